"""The conditions of a league, and the changes that are allowed while it is played."""
