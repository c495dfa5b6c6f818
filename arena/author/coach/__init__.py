"""What a bot's author is told: what its decisions cost, from stored games or a quick table."""
