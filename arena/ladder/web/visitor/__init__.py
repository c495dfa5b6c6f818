"""The pages for everybody: the front page, the way to take part, tables to play at."""
