"""Perudo and its records, pure: the rules, the referee, events, results, messages."""
