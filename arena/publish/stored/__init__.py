"""The games of a stored league as the source of its site, each fixture worked out once."""
