"""One table: bots or a person, live; and back from a record to what a seat was asked."""
