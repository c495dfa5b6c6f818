"""The web door of a ladder: it takes submissions and orders in, and shows how the ladder is."""
