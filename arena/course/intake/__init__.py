"""The input of a course: the roster, hand-ins, deadlines, checks."""
