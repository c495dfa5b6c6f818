"""The schedule of a league: tables, seats, and the fixtures still to be played."""
