"""The tables at which hand-ins meet baselines: a pure function of the seed and the two bots.

A block is two tables, each bot in either seat. All hand-ins meet a baseline on the same dice, and
with the same seeds for the bots' own chances: copies play the same games, whatever they are called.
Nothing depends on another student: whoever comes, leaves or hands in again changes nobody's games.
"""

from collections.abc import Sequence
from hashlib import sha256

import msgspec
from msgspec import Struct

from arena.course.lock import GradingTerms
from arena.game.records import BotInfo, Fixture, FixtureResult, LeagueInfo
from arena.game.rules.round_limit import ROUNDS_PER_DIE, max_rounds
from arena.game.seeds import commitment, fixture_seed

GAMES = 40
"""Games at a table."""
SEATS = 2
PER_BLOCK = GAMES * SEATS
_NAME = 16
"""Digits of a digest by which a bot is called at a table: those of a baseline have its name."""
_PLACE = 22
"""Bits of an id that its place in the store does not have: SQLite's numbers have 63."""


class Pairing(Struct, frozen=True):
    """A bot and a baseline, by their digests."""

    bot: str
    name: str
    """What the baseline is called."""
    baseline: str


def name_of(digest: str) -> str:
    """Return what a hand-in is called at a table."""
    return digest[:_NAME]


def block(terms: GradingTerms, pairing: Pairing, number: int) -> tuple[Fixture, ...]:
    """Return the tables of one block."""
    return tuple(_table(terms, pairing, number, seat) for seat in range(SEATS))


def wins(pairing: Pairing, result: FixtureResult) -> int:
    """Return how many games of a table the bot won."""
    seat = result.fixture.seats.index(name_of(pairing.bot))
    return sum(game.places[seat] == 1 for game in result.games)


def conditions(terms: GradingTerms, bots: Sequence[BotInfo], name: str) -> LeagueInfo:
    """Return the conditions of all tables, as a store keeps them."""
    return LeagueInfo(
        name=name,
        variants={terms.rules.name: terms.rules},
        bots=tuple(sorted(bots, key=lambda bot: bot.name)),
        players=(SEATS,),
        games=GAMES,
        rounds=0,
        limits=terms.limits.complete(GAMES),
        sandbox=terms.sandbox,
        seed=terms.seed,
        commitment=commitment(terms.seed),
        arena_version=terms.arena,
        shared_dice=False,
        rounds_per_die=ROUNDS_PER_DIE,
    )


def _table(terms: GradingTerms, pairing: Pairing, number: int, seat: int) -> Fixture:
    bots = name_of(pairing.bot), pairing.name
    decisive = [terms.rules, terms.limits, terms.sandbox, GAMES, pairing, number, seat]
    id_ = sha256(terms.seed.encode() + msgspec.json.encode(decisive)).hexdigest()[:16]
    return Fixture(
        id=id_,
        index=int(id_, 16) >> _PLACE,
        variant=terms.rules.name,
        seats=bots if seat == 0 else bots[::-1],
        seed=fixture_seed(terms.seed, f"{pairing.baseline}/{number}/{seat}"),
        games=GAMES,
        block=number,
        max_rounds=max_rounds(terms.rules, SEATS),
    )
