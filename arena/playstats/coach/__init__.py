"""The judgement of a bot's decisions: what they cost, and which change of play is worth most."""
