"""The games of a course: against baselines, and in the field."""
