"""What a league is, and what may change while it is played."""
