"""A season: a field that changes, its games, and who plays them."""
