"""The reference of a course: a bot whose parameters are drawn for it."""
