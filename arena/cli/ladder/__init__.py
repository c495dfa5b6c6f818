"""Commands of a ladder's operator."""
