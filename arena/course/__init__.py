"""A course: hand-ins by a deadline, checked, played against baselines, and marked."""
