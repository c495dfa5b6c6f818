"""The command line: talks to people, decides nothing."""
