"""The table of mistakes: a small bot for each, and the words that the answer must have."""
