"""The games of a result as bytes: a league has millions, and few are looked at at a time."""

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

from arena.game.records import GameResult

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[GameResult]).decode


class PackedGames(Sequence[GameResult]):
    """The games of a fixture, in a quarter of the memory; each look at them unpacks them all."""

    __slots__ = ("_size", "data")

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self._size = data, size

    @classmethod
    def of(cls, games: Sequence[GameResult]) -> "PackedGames":
        """Pack games, unless they are."""
        if isinstance(games, PackedGames):
            return games
        return cls(_encode(games), len(games))

    def __len__(self) -> int:
        """Return the number of games."""
        return self._size

    def __iter__(self) -> Iterator[GameResult]:
        """Yield the games in order."""
        return iter(_decode(self.data))

    def __reversed__(self) -> Iterator[GameResult]:
        """Yield the games, the last one first."""
        return reversed(list(self))

    @overload
    def __getitem__(self, at: int) -> GameResult: ...
    @overload
    def __getitem__(self, at: slice) -> list[GameResult]: ...
    def __getitem__(self, at: int | slice) -> GameResult | list[GameResult]:
        """Return one game, or some."""
        return list(self)[at]
