"""Control groups: limits and accounting for all processes of a bot together."""
