"""Sandboxes for untrusted programs: Docker, bubblewrap, plain processes."""
