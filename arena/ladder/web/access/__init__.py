"""Who may do what at the web door, and how often."""
