"""A bot that is tried again whenever its author saves it."""
