"""Arrays, distributions, intervals."""
