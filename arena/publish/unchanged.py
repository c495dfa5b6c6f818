"""A report that would be the one before: everything that it is made of is the same."""

from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import QuarantinedFixture, RatingsInfo
from arena.league.store.failures import damaged_fixtures
from arena.league.store.store import Store
from arena.publish.output.cache import CacheEntry
from arena.publish.output.manifest import is_whole
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.replay.selection import ReplayChoice
from arena.publish.stored.stored_games import summaries_of
from arena.ratings.board.memory import pack, unpack
from arena.ratings.league_ratings import Ratings

_ENTRY = "report"
_encode = msgspec.msgpack.Encoder().encode


class Asked(Struct, frozen=True):
    """What a report shows, and where it is written."""

    options: RatingsInfo
    site: Path
    replays: ReplayChoice
    names: Pseudonyms | None = None
    """Those that bots and authors are called by; None for their own."""
    url: str = ""
    """Where the site will be published, if that is known."""


class Outcome(Struct, frozen=True):
    """What a report says of its store beside the site."""

    root: str
    ratings: Ratings
    """Without what is about pairs of bots."""
    games: int
    left: int
    """Fixtures that are due and not stored."""
    quarantined: Sequence[QuarantinedFixture]


def without_pairs(ratings: Ratings) -> Ratings:
    """Return the ratings without what is about pairs of bots, of which there may be very many."""
    return replace(ratings, boards=[replace(one, duels={}, better={}) for one in ratings.boards])


def inputs(store: Store, asked: Asked) -> str:
    """Return a digest of all that a report is made of, but for the arena itself."""
    fingerprint = asked.names.fingerprint if asked.names else ""
    shown = asked.options, asked.replays, fingerprint, asked.url
    stored = store.history(), store.quarantined(), sorted(store.without_logs())
    digest = sha256(_encode((shown, stored)))
    for hashes in store.hashes():
        digest.update(_encode(hashes))
    return digest.hexdigest()


def outcome_before(store: Store, asked: Asked, made_of: str) -> Outcome | None:
    """Return the outcome of an earlier report if its site is still what a new one would be.

    Raises ArenaError if something of the store is missing or damaged.
    """
    if not is_whole(asked.site, made_of):
        return None
    with closing(summaries_of(store, store.conditions(), asked.names)) as cache:
        data = cache.read(_ENTRY, made_of.encode())
    if data is None:
        return None
    store.check_complete()
    if damaged := store.damaged_rows(store.positions()):
        raise damaged_fixtures(damaged, store.path)
    return unpack(data, Outcome)


def keep(store: Store, asked: Asked, made_of: str, outcome: Outcome) -> None:
    """Keep the outcome of a report for the next one."""
    with closing(summaries_of(store, store.conditions(), asked.names)) as cache:
        cache.write([CacheEntry(_ENTRY, made_of.encode(), pack(outcome))])
