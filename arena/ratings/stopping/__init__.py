"""When enough was played to tell bots apart."""
