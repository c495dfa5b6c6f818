"""A ladder: a league that never ends, for bots that arrive while it is played."""
