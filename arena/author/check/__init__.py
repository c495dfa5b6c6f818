"""The check of one bot: numbered steps, from its manifest to the end of its input."""
