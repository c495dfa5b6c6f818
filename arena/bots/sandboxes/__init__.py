"""Where untrusted programs run: Docker, bubblewrap, plain processes."""
