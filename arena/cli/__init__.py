"""The command line: options in, words out; it decides nothing."""
