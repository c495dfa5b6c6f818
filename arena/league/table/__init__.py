"""One table: live bots or a person; recorded games and seats played again."""
