"""The referee: one table of bots, one fixture, a record."""
