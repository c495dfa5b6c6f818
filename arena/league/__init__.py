"""Leagues: league.yaml, the schedule, the runner."""
