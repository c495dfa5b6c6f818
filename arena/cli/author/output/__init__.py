"""What the commands for authors print, and leave in files."""
