"""What an author asks for: check, coach, compare, alike, rerun, a quick table."""
