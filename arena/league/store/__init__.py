"""SQLite: what was played, and nothing else."""
