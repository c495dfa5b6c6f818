"""Commands that play, inspect and publish a league."""
