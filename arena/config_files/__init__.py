"""YAML and JSON input files, with errors that name the line."""
