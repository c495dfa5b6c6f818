"""From games to points: shares, marks, their lock, and what changed."""
