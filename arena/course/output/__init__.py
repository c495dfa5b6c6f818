"""What comes out of a course: pages, feedback, the school's files."""
