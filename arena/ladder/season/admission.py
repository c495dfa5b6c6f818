"""Which version of a bot plays: the newest that passed its check, or the better of two."""

import msgspec

from arena.ladder.book.book import Book
from arena.ladder.book.tables import PLAYING, Comparison, State, Version
from arena.ladder.config import Keep
from arena.ladder.season.twins import TwinResult

_FAULTED_GAMES, _FAULTED_SHARE = 50, 0.1


def faults_too_often(games: int, faulted: int) -> bool:
    """Tell whether a version must rest that faulted in so many of its games."""
    return faulted >= _FAULTED_GAMES and faulted > _FAULTED_SHARE * games


def admit(book: Book, version: Version, why: str) -> None:
    """Let a version play that passed its check, unless a newer one of the bot plays.

    The one before it plays on, until they have met on the same dice.
    """
    others = sorted(_siblings(book, version), key=lambda other: other.number)
    if others and others[-1].number > version.number:
        book.set_state(version, State.RESTING, f"{why}, but {others[-1].name} is newer")
        return
    for old in others[:-1]:
        book.set_state(old, State.RESTING, f"{version.name} plays in its place")
    for predecessor in others[-1:]:
        book.set_state(predecessor, predecessor.state, f"it meets {version.name} on the same dice")
    book.set_state(version, State.PROVISIONAL, why)


def settle(
    book: Book, new: Version, old: Version, result: TwinResult | None, keep: Keep
) -> Version:
    """Let one of two versions rest that have met, or could not; returns which."""
    worse = result is not None and result.rivals_beaten.above < 0.5
    with book.together():
        if result:
            book.compare(Comparison(new.id, old.name, msgspec.json.encode(result)))
            book.note(verdict(result, old.name), new.author, new.name)
        if keep is Keep.BETTER and worse:
            book.set_state(new, State.RESTING, f"{old.name} is better, and plays on")
            book.set_state(old, old.state, f"it is better than {new.name}")
            return new
        book.set_state(old, State.RESTING, f"{new.name} plays in its place")
        return old


def verdict(result: TwinResult, predecessor: str) -> str:
    """Say how a version compares with the one before it."""
    above = result.rivals_beaten.above
    games = f"({result.games} twin games)"
    if above == 0.5:
        return f"as good as {predecessor} {games}"
    word = "better" if above > 0.5 else "worse"
    return f"{word} than {predecessor} with {_percent(max(above, 1 - above))} {games}"


def place_in_field(book: Book, version: Version, why: str) -> None:
    """Let a version play in place of every other one of the bot."""
    for other in _siblings(book, version):
        book.set_state(other, State.RESTING, f"{version.name} plays in its place")
    book.set_state(version, State.PROVISIONAL, why)


def _percent(share: float) -> str:
    return "over 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def _siblings(book: Book, version: Version) -> list[Version]:
    return [
        other
        for other in book.versions(PLAYING)
        if other.bot == version.bot and other.id != version.id
    ]
