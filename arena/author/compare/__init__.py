"""Two versions of a bot against the same field, on the same dice."""
