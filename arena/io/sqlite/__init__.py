"""SQLite files that somebody else may have written: opened, checked, brought up to date."""
