"""Self-play: what a policy sees, sample bots as arrays, and leagues without processes."""
