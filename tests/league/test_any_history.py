"""Schedules of leagues whose fields and blocks change over and over, drawn by hypothesis."""

from itertools import accumulate, combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.records import Fixture
from arena.league.changes import History, changed, playing
from arena.league.schedule.schedule import Schedule
from tests.league import histories
from tests.league.histories import NAMES, games, league, then

each_history = settings(max_examples=25, deadline=None, database=None)


@st.composite
def any_history(draw: st.DrawFn) -> History:
    """A league whose field and blocks changed, over and over."""
    players = draw(st.integers(2, 4))
    fields = st.lists(st.sampled_from(NAMES), min_size=players, max_size=8, unique=True)
    numbers = st.integers(1, 9)
    terms: dict[str, Any] = {"blocks": draw(numbers), "endless": draw(st.booleans())}
    history = league("".join(sorted(draw(fields))), players, **terms)
    for _ in range(draw(st.integers(0, 4))):
        schedule = Schedule(*history)
        [(division, blocks)] = schedule.blocks.items()
        begun = draw(st.integers(schedule.earlier_blocks[division], len(blocks) + 3))
        if not history.start.endless:
            begun = min(begun, len(blocks))
        history = then(history, "".join(sorted(draw(fields))), begun, blocks=draw(numbers))
        if draw(st.booleans()):
            struck = draw(st.sampled_from([bot.name for bot in history.now().bots]))
            if len(playing(history.now())) > players:
                history = histories.changed(history, struck=(struck,))
    return history


def drawn(schedule: Schedule) -> Schedule:
    """Draw some blocks more of an endless schedule."""
    for division in schedule.blocks if schedule.conditions.endless else ():
        for _ in range(5):
            schedule.draw(division)
    return schedule


@each_history
@given(any_history(), st.integers(0, 6))
def test_drawn_in_steps_it_is_the_schedule_drawn_at_once(history: History, ahead: int) -> None:
    whole, schedule = drawn(Schedule(*history)), Schedule(history.start)
    for change in history.changes:
        for division in schedule.blocks if schedule.conditions.endless else ():
            for _ in range(ahead):
                schedule.draw(division)
        schedule.change(change)
    drawn(schedule)
    assert schedule.conditions == whole.conditions == history.now()
    assert (schedule.fixtures, schedule.drawn) == (whole.fixtures, whole.drawn)
    assert (schedule.blocks, schedule.earlier_blocks) == (whole.blocks, whole.earlier_blocks)


@each_history
@given(any_history())
def test_no_begun_fixture_is_ever_lost_but_by_a_strike(history: History) -> None:
    seen: dict[str, Fixture] = {}
    for number, change in enumerate(history.changes):
        before = drawn(Schedule(history.start, history.changes[:number]))
        for division, begun in zip(before.blocks, change.begun, strict=True):
            seen |= {one.id: one for block in before.blocks[division][:begun] for one in block}
    now = Schedule(*history)
    struck = {bot.name for bot in history.now().struck}
    for id_, fixture in seen.items():
        assert now.drawn[id_][0] == fixture
        assert now.counts(id_) == struck.isdisjoint(fixture.seats)


@each_history
@given(any_history())
def test_ids_places_and_dice_are_never_used_twice(history: History) -> None:
    fixtures = drawn(Schedule(*history)).fixtures
    assert len({one.index for one in fixtures}) == len(fixtures)
    assert len({one.seed for one in fixtures}) == len(fixtures)
    assert [one.block for one in fixtures] == sorted(one.block for one in fixtures)
    dice = {(one.block, one.dice) for one in fixtures}
    assert len({key for _, key in dice}) == len({block for block, _ in dice}) == len(dice)


@each_history
@given(any_history())
def test_everyone_plays_at_least_the_blocks_asked_for(history: History) -> None:
    info = history.now()
    if info.endless:
        return
    played = games(Schedule(*history).fixtures)
    assert set(playing(info)) <= set(played) <= {bot.name for bot in info.bots}
    assert min(played[bot] for bot in playing(info)) >= info.blocks * info.players[0]


@each_history
@given(any_history())
def test_each_bot_plays_or_rests_or_is_struck(history: History) -> None:
    for info in accumulate(history.changes, changed, initial=history.start):
        groups = [playing(info), info.resting, [bot.name for bot in info.struck]]
        assert all(set(one).isdisjoint(other) for one, other in combinations(groups, 2))
        assert {bot.name for bot in info.bots} == {*groups[0], *groups[1]}
