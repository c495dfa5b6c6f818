"""Help for a bot's author: check, coach, compare, alike, rerun, watch, tables to play at."""
