"""An endless league that a program plays, changes, stops and goes on with; nothing really plays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.game.records import Conditions, Division
from arena.league.keeping.verify import verify
from arena.league.play.dispatcher import RunListener
from arena.league.play.stored_league import StoredLeague
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from tests.league.test_dispatch import Scripted
from tests.support import factory, records
from tests.support.depth import depth

START = replace(factory.league(("a", "b", "c")), endless=True, blocks=0)
KINDS = len(Schedule(START).blocks)
More = Callable[[Division], bool]


class Stopping(RunListener):
    """Asks to stop once so many fixtures are under way or over."""

    def __init__(self, engine: Scripted, after: int) -> None:
        self._engine, self._after = engine, after

    def stop_requested(self) -> bool:
        return len(self._engine.handed_out) >= self._after


def bots(conditions: Conditions) -> dict[str, StagedBot]:
    known = {bot.name: bot for bot in conditions.bots}
    return {name: StagedBot(bot, Path(), ()) for name, bot in known.items()}


def play(league: StoredLeague, blocks: int, stop: int = 10**9) -> bool:
    """Play until every division has so many blocks, or until it is stopped."""
    engine = Scripted(1)

    def more(division: Division) -> bool:
        return league.progress.begun(division) < blocks

    at_table = bots(league.conditions)
    return league.play(at_table, engine, Stopping(engine, stop), more=more)


def opened(store: Store) -> StoredLeague:
    if store.league is None:
        store.begin(START)
    return StoredLeague(store)


def stored(path: Path) -> list[tuple[str, int]]:
    with Store(path) as store:
        return [(one.id, one.position) for one in store.stored()]


def season(path: Path, stop: int) -> list[tuple[str, int]]:
    """Play a league with two changes; stopped after every `stop` fixtures, and opened again."""
    changes: list[dict[str, Any]] = [
        {"joined": [factory.bot("d")], "rested": ["a"]},
        {"struck": ["b"], "resumed": ["a"]},
        {"endless": False},
    ]
    for blocks in (2, 5, 8):
        while True:
            with Store(path, create=True) as store:
                if play(opened(store), blocks, stop):
                    break
        with Store(path, create=True) as store:
            opened(store).change(**changes.pop(0))
    return stored(path)


@pytest.mark.slow
@pytest.mark.parametrize("stop", depth([7], [1, 7]))
def test_stopped_anywhere_it_plays_the_same_fixtures(tmp_path: Path, stop: int) -> None:
    whole = season(tmp_path / "whole", 10**9)
    assert season(tmp_path / "stopped", stop) == whole
    roots = []
    for name in ("whole", "stopped"):
        with Store(tmp_path / name) as store:
            roots.append(store.root())
            league = StoredLeague(store)
            assert league.progress.due() == []
            assert not any("has no such fixture" in one.what for one in verify(store).findings)
    assert roots[0] == roots[1]


def test_bots_come_and_go_between_blocks(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        league = opened(store)
        assert play(league, 2)
        assert len(store.finished()) == 2 * 3 * KINDS
        change = league.change(joined=[factory.bot("d")], rested=["a"])
        assert (change.begun, change.unplayed) == ((2,) * KINDS, ())
        assert play(league, 3)
        new = [one for one in league.schedule.fixtures if one.index >= 2 * 3 * KINDS]
        assert not any("a" in one.seats for one in new)
        assert any("d" in one.seats for one in new)
        assert len(league.progress.played) == len(store.finished())
        again = StoredLeague(store)
        assert again.progress.due() == league.progress.due() == []
        assert again.schedule.fixtures[: len(new)] == league.schedule.fixtures[: len(new)]


def test_tables_of_a_bot_that_is_struck_in_mid_block_are_not_played(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        league = opened(store)
        first, *_ = league.due()
        packed = pack(records.played(first))
        league.keep([packed], [packed.result()])
        change = league.change(struck=["c"])
        assert change.begun == (1, 0, 0, 0)
        assert len(change.unplayed) == 2 - ("c" in first.seats)
        assert all("c" not in one.seats for one in league.progress.due())
        league.change(resumed=["c"])
        assert all(one.index not in change.unplayed for one in league.progress.due())
        assert league.schedule.counts(first.id)


def test_asleep_it_has_nothing_to_play(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        league = opened(store)
        engine = Scripted(1)
        assert league.play({}, engine, RunListener(), more=lambda _: False)
        assert engine.handed_out == []
        league.change(endless=False)
        assert schedule_of(store).fixtures == []
        assert league.play({}, engine, RunListener())
