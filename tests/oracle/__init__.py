"""A second reading of the rules, slow and obvious, that shares no code with the arena."""
