"""How to mend a fault, worked out from its words, from what the bot wrote, and from its files."""
