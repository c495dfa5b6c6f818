"""What a ladder publishes, for everybody and for each author."""
