"""Hand-made leagues: small, deterministic, with whatever names and faults a test wants."""

from hashlib import sha256
from typing import Any

from arena.game.records import (
    BidMade,
    BotInfo,
    CallMade,
    Cause,
    Conditions,
    Event,
    Faulted,
    Fixture,
    FixtureResult,
    GameRecord,
    LimitsInfo,
    PlayedFixture,
    RatingsInfo,
    RoundStarted,
    fixture_result,
)
from arena.game.rules.books import variant
from arena.ratings.league_ratings import Ratings
from tests.support.results import rate_league

SEED = "5f0c7a2e9b"


def bot(name: str, author: str = "Ada", version: str = "1.0") -> BotInfo:
    return BotInfo(name, author, version, "python", sha256(repr(name).encode()).hexdigest())


def league(names: tuple[str, ...], **changes: Any) -> Conditions:
    fields: dict[str, Any] = {
        "name": "Test league",
        "variants": {
            "bga": variant("bga", {}),
            "house rules": variant("classic", {"calza_in_palifico": True}, calza=True),
        },
        "bots": tuple(bot(name) for name in names),
        "players": (2, 3),
        "games": 4,
        "blocks": max(1, len(names) - 1),
        "limits": LimitsInfo(),
        "sandbox": "bubblewrap",
        "seed": SEED,
        "commitment": sha256(SEED.encode()).hexdigest(),
        "arena_version": "0.1.0",
    }
    return Conditions(**{**fields, **changes})


def _game(number: int, seats: int, shift: int, fault: Faulted | None) -> GameRecord:
    order = [(seat * 2 + number + shift) % seats if seats % 2 else seat for seat in range(seats)]
    if seats % 2 == 0 and (number + shift) % 3 == 0:
        order.reverse()
    places = tuple(place + 1 for place in order)
    first = tuple((1, 2, 3, 4, 5) for _ in range(seats))
    second = (first[0], first[1][:4], *first[2:])
    events: list[Event] = [
        RoundStarted(0, 0, None, first),
        BidMade(0, 2, 3),
        CallMade(1, "dudo", 2 * seats, 1, None),
        RoundStarted(1, 1, None, second),
    ]
    last = [fault] if fault else []
    return GameRecord(number, places, [*events, *last])


def fixture(
    index: int,
    seats: tuple[str, ...],
    label: str = "bga",
    faults: dict[int, Faulted] | None = None,
    stderr: tuple[str, ...] = (),
    games: int = 4,
) -> PlayedFixture:
    """`faults` by game number."""
    ident = sha256(f"{label}{index}".encode()).hexdigest()[:16]
    fix = Fixture(ident, index, label, seats, f"{SEED}/{index}", games)
    records = [
        _game(number, len(seats), index, (faults or {}).get(number)) for number in range(games)
    ]
    return PlayedFixture(fix, records, "bubblewrap", "wall", 100 + index, 1.5, stderr)


def ratings(played: list[PlayedFixture], **options: Any) -> Ratings:
    """Rate what was played."""
    return rate_league(played, RatingsInfo(**{"provisional": 0, **options}))


def results(played: list[PlayedFixture]) -> list[FixtureResult]:
    """What pages need of what was played."""
    return [fixture_result(one) for one in played]


NAMES = ("alpha", "Bravo Bot", "gamma", "delta")


def sample(
    names: tuple[str, ...] = NAMES,
) -> tuple[Conditions, Ratings, list[PlayedFixture]]:
    """Four bots, two variants, tables of two and three, faults of two causes."""
    a, b, c, d = names
    crash = Faulted(1, Cause.CRASH, "exit status 1")
    late = Faulted(0, Cause.TIMEOUT, "no answer within 2 s")
    played = [
        fixture(0, (a, b)),
        fixture(1, (c, d), faults={1: crash, 2: crash}, stderr=("", "Traceback\n  <b>boom</b>\n")),
        fixture(2, (b, c), faults={0: late}),
        fixture(3, (a, b, c), "house rules"),
        fixture(4, (d, a, b), "house rules"),
    ]
    return league(names), ratings(played), played
