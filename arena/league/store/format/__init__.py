"""How a fixture is stored: tables, rows, logs of games, hashes."""
