"""Bodies and files on their way to the disk: counted, never opened."""
