"""Bots that are alike, by their source and by what they decide; shown, never judged."""
