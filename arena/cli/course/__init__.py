"""Commands of a teacher."""
