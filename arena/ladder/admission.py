"""Which version of a bot plays: the newest that passed its check, and never two."""

from arena.ladder.book import Book
from arena.ladder.tables import PLAYING, State, Version

_FAULTED_GAMES, _FAULTED_SHARE = 50, 0.1


def faults_too_often(games: int, faulted: int) -> bool:
    """Tell whether a version must rest that faulted in so many of its games."""
    return faulted >= _FAULTED_GAMES and faulted > _FAULTED_SHARE * games


def admit(book: Book, version: Version, why: str) -> None:
    """Let a version play that passed its check, unless a newer one of the bot plays."""
    playing = _siblings(book, version)
    newer = [one for one in playing if one.number > version.number]
    if newer:
        book.set_state(version, State.RESTING, f"{why}, but {newer[-1].name} is newer")
        return
    place_in_field(book, version, why)


def place_in_field(book: Book, version: Version, why: str) -> None:
    """Let a version play in place of every other one of the bot."""
    for other in _siblings(book, version):
        book.set_state(other, State.RESTING, f"{version.name} plays in its place")
    book.set_state(version, State.PROVISIONAL, why)


def _siblings(book: Book, version: Version) -> list[Version]:
    return [
        one for one in book.versions(PLAYING) if one.bot == version.bot and one.id != version.id
    ]
