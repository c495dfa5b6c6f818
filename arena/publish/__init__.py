"""The report: static pages, CSV and JSON made from a league's leaderboards and games."""
