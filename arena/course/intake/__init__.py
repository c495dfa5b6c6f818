"""What comes into a course: the roster, hand-ins, deadlines, checks."""
