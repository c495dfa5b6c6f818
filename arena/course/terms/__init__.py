"""What a teacher writes beside course.yaml, and how it is read: tables, times, grades."""
