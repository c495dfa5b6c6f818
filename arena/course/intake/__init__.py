"""The input of a course: hand-ins, whose they are, their checks."""
