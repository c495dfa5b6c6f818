"""The results of games and fixtures, from their records."""

from msgspec import Struct

from arena.game.records import (
    BidMade,
    Cause,
    Faulted,
    FixtureResult,
    GameRecord,
    GameResult,
    PlayedFixture,
    RoundStarted,
)


class Placed(Struct, frozen=True, array_like=True, tag="placed"):
    """The end of a game that is followed as it is played."""

    places: tuple[int, ...]


def game_result(record: GameRecord) -> GameResult:
    """Return the result of a game."""
    kinds = [type(event) for event in record.events]
    faults: list[Cause | None] = [None] * len(record.places)
    for event in record.events if Faulted in kinds else ():
        if isinstance(event, Faulted):
            faults[event.seat] = event.cause
    rounds, bids = kinds.count(RoundStarted), kinds.count(BidMade)
    return GameResult(record.game, record.places, tuple(faults), rounds, bids, len(kinds))


def fixture_result(played: PlayedFixture, stored_at: float | None = None) -> FixtureResult:
    """Return the result of a fixture."""
    games = [game_result(record) for record in played.games]
    return FixtureResult(
        fixture=played.fixture,
        games=games,
        sandbox=played.sandbox,
        clock=played.clock,
        decisions=played.decisions,
        seconds=played.seconds,
        stored_at=stored_at,
    )
