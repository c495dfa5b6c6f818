"""Schedules that a module of the arena draws, and whether it lets them go."""

from types import ModuleType
from typing import Any
from weakref import ref

import pytest

from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.ratings.league_ratings import Ratings, rate_results


def let_go_before_rating(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> list[ref[Schedule]]:
    """Let the ratings of a module fail while its schedule is kept; returns what it draws."""
    schedules: list[ref[Schedule]] = []

    def draw(store: Store) -> Schedule:
        schedule = schedule_of(store)
        schedules.append(ref(schedule))
        return schedule

    def rated(*given: Any) -> Ratings:
        assert [schedule() for schedule in schedules] == [None]
        return rate_results(*given)

    monkeypatch.setattr(module, "schedule_of", draw)
    monkeypatch.setattr(module, "rate_results", rated)
    return schedules
