"""The tables of the sample bot `equilibrium`: its strategy in each position, in few bytes.

A file holds the rounds of one set of bidding rules. Its first line is the CRC-32 of all that
follows. The second is JSON: for each state `[start, length, recall, value, first, second]`: where
its block is in what follows, how many of the last bids distinguish positions, the opener's chance
to win the game, and the most that a rival wins against this play when the bot opens and when the
rival does (null if that is not known). A block is compressed with zlib and holds one position after
another:

- its key: the number of bytes, who acts (0 is the opener), the last `recall` bids;
- the actions that are played there: their number, then each (0 is dudo);
- for each hand of the seat that acts, sorted, the weight of each action in 255ths; in rounds that
  are approximated, multiples of 5 of them. All are 0 where the seat does not come with that hand.

A bid is one byte: 6 x (quantity - 1) + face.
"""

import json
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules
from arena.game.rules.round import Bid
from arena.io import shipped
from arena.lab.equilibrium.endgames import BIDDING, Floats, check_rules
from arena.lab.equilibrium.exact_solver import Choices, Strategy, TreeGame

DUDO = 0
WHOLE = 255
"""The sum of the weights of a hand, but for rounding; and the recall of a whole sequence."""
LEAST_REACH = 3e-4
"""How likely a seat must be to make the bids of a position with a hand for it to be kept."""

Weights = NDArray[np.uint8]


class StoredPosition(Struct, frozen=True):
    """A seat's strategy in one position, by its hand."""

    key: bytes
    actions: bytes
    weights: Weights
    """A row for each hand, a column for each action."""


class StateStrategy(Struct, frozen=True):
    """The strategy of both seats in one state, position by position: a block of a file."""

    recall: int
    """How many of the last bids distinguish positions."""
    positions: list[StoredPosition]


def name_of(rules: Rules) -> str:
    """Return the name of the tables of a rule book; raises ArenaError if there are none."""
    check_rules(rules)
    return "".join(str(int(getattr(rules, switch))) for switch in BIDDING)


def code(bid: Bid) -> int:
    """Return the byte of a bid."""
    return FACES * (bid.quantity - 1) + bid.face


class Rounding(Struct, frozen=True):
    """The precision of stored probabilities."""

    least: float
    """The least probability that is stored."""
    step: int
    """The 255ths of which weights are multiples; a divisor of 255."""


FINE = Rounding(0.005, 1)


def position(
    key: bytes, actions: bytes, shares: Floats, reached: Floats, rounding: Rounding = FINE
) -> StoredPosition | None:
    """Round a strategy in a position, a row of shares for each hand; None if nothing is left."""
    stored = np.where(shares >= rounding.least, shares, 0) * (reached[:, None] >= LEAST_REACH)
    total = stored.sum(axis=1, keepdims=True)
    fine = np.rint(WHOLE * stored / np.where(total, total, 1))
    weights = (np.rint(fine / rounding.step) * rounding.step).astype(np.uint8)
    played = np.flatnonzero(weights.any(axis=0))
    if not played.size:
        return None
    return StoredPosition(key, bytes([actions[column] for column in played]), weights[:, played])


def block_of(tree: TreeGame, strategy: Strategy) -> StateStrategy:
    """Round a strategy on a tree."""
    return StateStrategy(WHOLE, list(_positions(tree, strategy)))


def _positions(tree: TreeGame, strategy: Strategy) -> Iterator[StoredPosition]:
    codes = np.array([code(bid) for bid in tree.game.bids], np.uint8)
    reached = [tree.reach(seat, strategy) for seat in (0, 1)]
    odds = [chance[None, :] for chance in tree.game.chances]
    sequences: list[bytes] = [b""]
    """The bids before each position of the level, as bytes."""
    for at, level in enumerate(tree.levels):
        if at:
            edges = zip(level.parent.tolist(), level.bid.tolist(), strict=True)
            sequences = [sequences[parent] + bytes([codes[bid]]) for parent, bid in edges]
        seat = at % 2
        reach = (reached[seat][at] / odds[seat]).astype(np.float64)
        starts = _starts(tree, at)
        for place in np.flatnonzero((reach >= LEAST_REACH).any(axis=1)):
            first, last = starts[place], starts[place + 1]
            actions = bytes([DUDO])
            shares = [strategy[at].dudo[place]]
            if last > first:
                actions += bytes(codes[tree.levels[at + 1].bid[first:last]])
                shares += list(strategy[at].raises[first:last])
            key = bytes([seat]) + sequences[place]
            rounded = position(key, actions, np.array(shares, np.float64).T, reach[place])
            if rounded:
                yield rounded


def _starts(tree: TreeGame, at: int) -> NDArray[np.intp]:
    """Return for each sequence of a level where its raises begin in the next; and their number."""
    size = tree.levels[at].bid.size
    if at + 1 == len(tree.levels):
        return np.zeros(size + 1, np.intp)
    return np.searchsorted(tree.levels[at + 1].parent, np.arange(size + 1))


def played(tree: TreeGame, block: StateStrategy) -> list[Choices]:
    """Return the strategy of a block on a tree: dudo where it says nothing."""
    strategy = tree.blank()
    by_key = {position.key: position for position in block.positions}
    codes = [code(bid) for bid in tree.game.bids]
    sequences = [b""]
    for at, level in enumerate(tree.levels):
        if at:
            edges = zip(level.parent.tolist(), level.bid.tolist(), strict=True)
            sequences = [sequences[parent] + bytes([codes[bid]]) for parent, bid in edges]
        strategy[at].dudo[:] = 1
        starts = _starts(tree, at)
        for place, bids in enumerate(sequences):
            stored = by_key.get(bytes([at % 2]) + bids[-block.recall :])
            if stored:
                first, last = starts[place], starts[place + 1]
                after = (
                    [codes[bid] for bid in tree.levels[at + 1].bid[first:last]]
                    if last > first
                    else []
                )
                _fill(strategy[at], place, first, after, stored)
    return strategy


def _fill(
    choices: Choices, place: int, first: int, raises: list[int], stored: StoredPosition
) -> None:
    total = stored.weights.sum(axis=1, dtype=np.float32)
    comes = total > 0
    choices.dudo[place, comes] = 0
    for column, action in enumerate(stored.actions):
        share = stored.weights[comes, column] / total[comes]
        if action == DUDO:
            choices.dudo[place, comes] = share
        else:
            choices.raises[first + raises.index(action), comes] = share


def packed(block: StateStrategy) -> bytes:
    """Return a block in the format of the file."""
    lines = [
        bytes([len(position.key)])
        + position.key
        + bytes([len(position.actions)])
        + position.actions
        + position.weights.tobytes()
        for position in block.positions
    ]
    return zlib.compress(b"".join(lines), 9)


def file_of(blocks: Mapping[str, tuple[bytes, list[float | None]]]) -> bytes:
    """Return the file of packed blocks and their entries in the index, by the name of the state."""
    index: dict[str, list[float | None]] = {}
    body = b""
    for name, (block, entry) in blocks.items():
        index[name] = [len(body), len(block), *entry]
        body += block
    lines = json.dumps(index, separators=(",", ":")).encode() + b"\n" + body
    return b"%d\n" % zlib.crc32(lines) + lines


def index_of(file: bytes) -> dict[str, list[float | None]]:
    """Return the index of a file, by state; raises ValueError if it was changed or cut off."""
    crc, _, lines = file.partition(b"\n")
    if crc != b"%d" % zlib.crc32(lines):
        raise ValueError("changed or cut off")
    index: dict[str, list[float | None]] = json.loads(lines.partition(b"\n")[0])
    return index


@cache
def equilibrium_bot() -> Any:
    """Load the bot's program."""
    path = shipped.folder("sample_bots") / "equilibrium" / "bot.py"
    spec = spec_from_file_location("_sample_equilibrium", path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    bot = module_from_spec(spec)
    sys.modules[spec.name] = bot
    spec.loader.exec_module(bot)
    return bot


def equilibrium_tables(rules: Rules) -> Any:
    """Return the bot's tables for a rule book."""
    return _tables(*(getattr(rules, switch) for switch in equilibrium_bot().SWITCHES))


@cache
def _tables(*values: bool) -> Any:
    bot = equilibrium_bot()
    return bot.Tables(dict(zip(bot.SWITCHES, values, strict=True)))
