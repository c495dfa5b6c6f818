"""Playing what is due: the runner and its workers."""
