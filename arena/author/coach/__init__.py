"""The coach: what a bot's decisions cost it, from stored games or a quick table."""
