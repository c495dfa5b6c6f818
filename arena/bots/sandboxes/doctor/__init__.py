"""The guarantees of each sandbox on this machine, tried from the inside."""
