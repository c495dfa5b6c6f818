"""Who meets whom, in which seats, and what is still to be played."""
