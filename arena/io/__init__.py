"""The ground floor: errors, files, YAML, SQLite, processes, waits, text made harmless."""
