"""What each sandbox guarantees on this machine, tried from the inside."""
