"""Causes of faults as visitors read them: on pages, in highlights and in replays."""

from msgspec import Struct

from arena.game.records import Cause


class CauseWords(Struct, frozen=True):
    """A cause in words."""

    name: str
    meaning: str
    did: str
    """A verb phrase that follows the bot's name."""


CAUSES = {
    Cause.TIMEOUT: CauseWords("too slow", "no answer within a limit", "answers too late"),
    Cause.CRASH: CauseWords("crashed", "the program ended or could not be started", "crashes"),
    Cause.ILLEGAL_ACTION: CauseWords(
        "against the rules", "an answer that the rules forbid", "breaks a rule"
    ),
    Cause.MALFORMED_LINE: CauseWords(
        "not readable",
        "a line that is not strict JSON, or not an answer to what was asked",
        "sends an answer that cannot be read",
    ),
    Cause.FLOOD: CauseWords(
        "wrote too much", "a line too long, or much output that nobody asked for", "sends too much"
    ),
}
"""Every cause, in the vocabulary's order."""
