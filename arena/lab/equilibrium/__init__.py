"""Two-player rounds solved as zero-sum games, and the tables of the sample bot `equilibrium`."""
