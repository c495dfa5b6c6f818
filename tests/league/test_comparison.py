"""The result of a comparison over several variants and table sizes: one verdict, and its parts."""

from collections.abc import Callable
from random import Random
from typing import Any, Literal

import pytest

from arena.author.compare.behaviour import NEW, OLD, version_seat
from arena.author.compare.compare import comparison_fixtures
from arena.author.compare.result import EQUIVALENT, Comparison, ComparisonGames, Until
from arena.game.records import Fixture, FixtureResult
from arena.league.store.rows import PackedFixture, pack
from tests.support import factory, records
from tests.support.depth import depth

BOTS = ("ann", "bob", "cid")
GAMES = 2
PACKED: PackedFixture = pack(factory.fixture(0, ("a", "b"), "bga"))
"""Stands for every table that was played."""

Place = Callable[[str, Fixture], int]
"""Returns the place of a version at a table."""


def comparison(place: Place, until: Until | None = None, **changes: Any) -> Comparison:
    """Return the result if these are the places of the versions in all games at a table."""
    conditions = factory.league(BOTS, **{"games": GAMES, "blocks": 8, **changes})
    games = ComparisonGames(conditions, comparison_fixtures(conditions), until)
    while due := games.due():
        for fixture in due:
            games.keep([PACKED], [result(fixture, place)])
    return games.comparison()


def result(fixture: Fixture, place: Place) -> FixtureResult:
    version, seat = version_seat(fixture)
    own = place(version, fixture)
    others = [one for one in range(1, len(fixture.seats) + 1) if one != own]
    places = (*others[:seat], own, *others[seat:])
    return records.result(fixture, [places] * fixture.games)


def first(is_first: bool, fixture: Fixture) -> int:
    return 1 if is_first else len(fixture.seats)


def test_divisions_weigh_the_same_whatever_their_size() -> None:
    def place(version: str, fixture: Fixture) -> int:
        return first((version == NEW) == (len(fixture.seats) == 2), fixture)

    found = comparison(place, players=(2, 4))
    differences = [one.rivals_beaten.difference for one in found.divisions]
    assert differences == [1, -1, 1, -1]
    assert (found.rivals_beaten.old, found.rivals_beaten.new) == (0.5, 0.5)
    assert (found.decision, found.better) == (None, 0.5)
    assert [one.better for one in found.divisions] == [NEW, OLD, NEW, OLD]
    games = 8 * len(BOTS) * GAMES
    assert [one.games for one in found.divisions] == [games] * 4
    assert found.games == 4 * games


def test_opponents_are_those_that_a_version_finished_ahead_of() -> None:
    """At a table of three whoever is second is ahead of one rival."""
    rng = Random(1)
    found = comparison(lambda _, fixture: rng.randint(1, len(fixture.seats)), players=(2, 3))
    assert [one.bot for one in found.opponents] == list(BOTS)
    assert [one.games for one in found.opponents] == [8 * 2 * (1 + 2) * GAMES] * 3
    for version in (OLD, NEW):
        shares = [getattr(one.rivals_beaten, version) for one in found.opponents]
        assert getattr(found.rivals_beaten, version) == pytest.approx(sum(shares) / 3)
    [_, three, *_] = found.divisions
    expected = (3 - three.mean_place.old) / 2
    assert three.rivals_beaten.old == pytest.approx(expected)


@pytest.mark.parametrize("test", ["ratio", "planned"])
def test_one_decision_ends_all_divisions_after_the_same_round(
    test: Literal["ratio", "planned"],
) -> None:
    rng = Random(1)

    def place(version: str, fixture: Fixture) -> int:
        better = 0.9 if version == NEW and fixture.variant == "bga" else 0.3
        return first(rng.random() < better, fixture)

    found = comparison(place, until=Until(0.95, test), blocks=40)
    assert found.decision == NEW
    [*_, last] = found.looks
    assert last.blocks < 40
    assert [one.games for one in found.divisions] == [last.blocks * len(BOTS) * GAMES] * 4
    assert found.games == 4 * last.blocks * len(BOTS) * GAMES
    assert found.rivals_beaten == last.rivals_beaten


@pytest.mark.slow
def test_equal_versions_are_seldom_told_apart_over_several_divisions() -> None:
    rng, trials, planned = Random(2), depth(10, 100), Until(0.9, "planned")

    def place(_: str, fixture: Fixture) -> int:
        return rng.randint(1, len(fixture.seats))

    found = [comparison(place, until=planned, blocks=12, players=(2, 4)) for _ in range(trials)]
    assert sum(one.decision is not None for one in found) <= trials * 0.1 + 3 * trials**0.5 * 0.3


def test_versions_that_play_alike_are_found_to_be_equivalent() -> None:
    def place(_: str, fixture: Fixture) -> int:
        return first(Random(fixture.seed).random() < 0.5, fixture)

    found = comparison(place, until=Until(0.95), blocks=40)
    assert (found.decision, found.looks[-1].decision) == (EQUIVALENT, EQUIVALENT)
    assert found.looks[-1].blocks < 40
    assert [look.decision for look in found.looks[:-1]] == [None] * (len(found.looks) - 1)


def test_a_comparison_that_may_stop_early_has_one_verdict() -> None:
    """The new version is a place better at tables of four: clearly, and by less than is asked."""
    until = Until(0.95, points=90)
    found = comparison(lambda version, _: 2 if version == NEW else 3, until, players=(4,))
    assert found.decision == EQUIVALENT
    assert [one.better for one in found.divisions] == [None] * len(found.divisions)


@pytest.mark.slow
def test_order_in_which_results_come_changes_no_decision() -> None:
    """Tables end in any order on several workers, and a comparison that was stopped begins anew."""

    def place(version: str, fixture: Fixture) -> int:
        better = 0.6 if version == NEW else 0.4
        return first(Random(f"{version}{fixture.index}").random() < better, fixture)

    conditions = factory.league(BOTS, games=GAMES, blocks=60)
    found = []
    for order in (1, 2):
        games = ComparisonGames(conditions, comparison_fixtures(conditions), Until(0.95))
        while due := games.due():
            for fixture in Random(order).sample(due, len(due)):
                games.keep([PACKED], [result(fixture, place)])
        found.append(games.comparison())
    assert found[0] == found[1]
    assert found[0].decision == NEW
