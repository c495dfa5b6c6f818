"""From games to marks: the parts of a mark and their sum, the result, and what changed."""
