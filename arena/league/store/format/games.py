"""A game as it is stored beside its log: a packed row, from which ratings are made."""

from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from arena.game.records import Cause, GameRecord, GameResult
from arena.game.results import game_result
from arena.io.sqlite.file import DamageError

GAMES = 1 << 20
"""A game's key is its fixture's position times this, plus its number in the fixture."""
_CAUSES = (None, *Cause)
"""A cause is stored as its index: new ones go to the end."""
_CAUSE_UNIT = 16
"""A seat is packed as its place plus this times its cause."""


class PackedGame(NamedTuple):
    """The row of a game: everything but its events."""

    key: int
    id: bytes
    """A hash of the fixture's id and the game's number."""
    seats: bytes
    """One byte per seat: its place and its fault, if any."""
    rounds: int
    bids: int
    events: int


def pack_game(fixture: str, position: int, record: GameRecord) -> PackedGame:
    """Return the row of a game."""
    result = game_result(record)
    seats = zip(result.places, result.faults, strict=True)
    name = f"{fixture}/{record.game}".encode("utf-8", "surrogateescape")
    return PackedGame(
        key=position * GAMES + record.game,
        id=sha256(name).digest()[:8],
        seats=bytes(place + _CAUSE_UNIT * _CAUSES.index(cause) for place, cause in seats),
        rounds=result.rounds,
        bids=result.bids,
        events=result.events,
    )


def unpack_game(game: PackedGame, players: int) -> GameResult:
    """Return the result of a game by its row; raises DamageError if that is damaged."""
    places, faults = _unpack_seats(game.seats, players)
    if not type(game.rounds) is type(game.bids) is type(game.events) is int:
        raise DamageError(f"game {game.key % GAMES} has numbers that are none")
    return GameResult(game.key % GAMES, places, faults, game.rounds, game.bids, game.events)


@lru_cache(maxsize=8192)
def _unpack_seats(seats: bytes, players: int) -> tuple[tuple[int, ...], tuple[Cause | None, ...]]:
    places = tuple(seat % _CAUSE_UNIT for seat in seats)
    if sorted(places) != list(range(1, players + 1)):
        raise DamageError(f"the places {places} are not those of {players} players")
    return places, tuple(_CAUSES[seat // _CAUSE_UNIT] for seat in seats)
