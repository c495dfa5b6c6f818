"""Statistics of play: what the events of games say about bots. Pure."""
