"""The ground floor: errors, files, YAML, locks, waits, text made harmless."""
