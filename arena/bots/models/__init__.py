"""Language models for bots: a socket in each bot's sandbox, and the way from there to a server."""
