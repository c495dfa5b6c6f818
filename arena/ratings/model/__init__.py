"""TrueSkill for all games of a division together."""
