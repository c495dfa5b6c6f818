"""Leagues whose terms change: what differs counts no more, what comes back counts again."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.records import Fixture
from arena.game.rules.books import BGA, CLASSIC, variant
from arena.league.changes import History
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule, divisions
from tests.league.histories import changed
from tests.league.test_progress import by_name, play, resumed
from tests.support import factory

each_history = settings(max_examples=15, deadline=None, database=None)
CALZA = variant("bga", {}, calza=True)


def league(**changes: object) -> History:
    fields: dict[str, object] = {"variants": {"bga": BGA}, "players": (2,), "games": 2, "blocks": 3}
    return History(factory.league(("a", "b", "c", "d"), **{**fields, **changes}))


def test_division_that_joins_leaves_the_others_unchanged() -> None:
    before = league()
    after = changed(before, variants={"bga": BGA, "classic": CLASSIC}, players=(2, 3))
    fixtures = Schedule(*after).fixtures
    assert fixtures[: len(Schedule(*before).fixtures)] == Schedule(*before).fixtures
    counts = Counter((one.variant, len(one.seats)) for one in fixtures)
    assert counts == dict.fromkeys(divisions(after.now()), 3 * 4)


def test_switch_affects_only_its_variant() -> None:
    before = league(variants={"bga": BGA, "classic": CLASSIC})
    after = changed(before, variants={"bga": CALZA, "classic": CLASSIC})
    old, new = Schedule(*before).fixtures, Schedule(*after).fixtures
    assert [one for one in new if one in old] == [one for one in old if one.variant == "classic"]
    assert sum(one.variant == "bga" for one in new) == 12


def test_games_of_restored_terms_count_again_and_none_are_added() -> None:
    before = league(players=(2, 3))
    for changes in ({"games": 5}, {"players": (3,)}, {"variants": {"bga": CALZA}}):
        undone = {key: getattr(before.start, key) for key in changes}
        again = changed(changed(before, **changes), **undone)
        assert Schedule(*again).fixtures == Schedule(*before).fixtures


def test_with_until_it_decides_by_games_of_its_own_terms_alone() -> None:
    before = league(blocks=40, until=0.95, games=10)
    played = play(LeagueProgress(Schedule(*before)), by_name)
    begun = max(one.block for one in played) + 1
    after = changed(before, [begun], games=20)
    progress = resumed(after, played, by_name)
    assert not any(progress.schedule.counts(one.id) for one in played)
    more = play(progress, by_name)
    [verdict] = progress.verdicts()
    assert verdict.blocks == len(more) // 4 >= 8
    assert {one.games for one in more} == {20}
    assert min(one.block for one in more) == begun


@st.composite
def histories(draw: st.DrawFn) -> History:
    """A league whose terms changed, over and over."""
    changes = st.fixed_dictionaries(
        {
            "variants": st.sampled_from(
                [{"bga": BGA}, {"bga": CALZA, "classic": CLASSIC}, {"classic": CLASSIC}]
            ),
            "players": st.sampled_from([(2,), (3,), (2, 3), (3, 2)]),
            "games": st.integers(1, 2),
            "blocks": st.integers(1, 5),
            "shared_dice": st.booleans(),
        }
    )
    history = league(**draw(changes))
    for _ in range(draw(st.integers(1, 4))):
        schedule = Schedule(*history)
        first = schedule.earlier_blocks
        begun = [draw(st.integers(first[of], len(b))) for of, b in schedule.blocks.items()]
        history = changed(history, begun, **draw(changes))
    return history


@each_history
@given(histories())
def test_ids_and_places_are_never_used_twice(history: History) -> None:
    seen: dict[str, Fixture] = {}
    for number in range(len(history.changes) + 1):
        schedule = Schedule(history.start, history.changes[:number])
        info = schedule.conditions
        for one in schedule.fixtures:
            assert seen.setdefault(one.id, one) == one
            assert (one.games, bool(one.dice)) == (info.games, info.shared_dice)
            assert one.division in divisions(info)
    fixtures = Schedule(*history).fixtures
    assert len({one.index for one in fixtures}) == len(fixtures)
    assert len({one.seed for one in seen.values()}) == len(seen)


@each_history
@given(histories())
def test_everyone_plays_at_least_the_blocks_asked_for(history: History) -> None:
    info = history.now()
    for kind, blocks in Schedule(*history).blocks.items():
        met = Counter(bot for block in blocks for one in block for bot in one.seats)
        assert min(met[bot.name] for bot in info.bots) >= info.blocks * kind[1]
