"""What a ladder knows: versions, checks, seasons, orders, its log."""
