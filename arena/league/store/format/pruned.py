"""What is kept of a fixture's standard error and logs after they were removed to save space."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from arena.league.store.format.hashes import row_hash

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, ...]).decode


class Pruned(NamedTuple):
    """Hashes that prove the rows, and what the ratings need of the logs."""

    stderr: bytes
    """The SHA-256 of the standard error."""
    logs: bytes | None = None
    """That of the hashes of the logs; None, like what follows, while there are logs."""
    records: bytes | None = None
    """That of the games, from which the content hash follows."""
    packed_luck: bytes | None = None
    """The luck of each game as it is rated, as MessagePack."""

    @property
    def luck(self) -> tuple[int, ...]:
        """The luck of each game as it is rated; raises msgspec's error if it is damaged."""
        return _decode(self.packed_luck) if self.packed_luck else ()

    def with_luck(self, luck: Sequence[int]) -> "Pruned":
        """Return the same with the luck of the games."""
        return self._replace(packed_luck=_encode(luck))

    def hash(self) -> bytes:
        """Return the SHA-256 of all this."""
        return row_hash(self)
