"""Summaries of fixtures that are at hand, added up."""

from collections.abc import Iterable

from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.playstats.faults import FaultEntry
from arena.playstats.fixture_summary import FixtureSummary, summarize_fixtures
from arena.playstats.league_summary import LeagueSummary, add_faults, add_up


def summarize_fixture(played: PlayedFixture, rules: Rules) -> FixtureSummary:
    """Return the summary of one fixture."""
    [summary] = summarize_fixtures([played], rules)
    return summary


def faults_of(summaries: Iterable[FixtureSummary]) -> list[FaultEntry]:
    """Return the faults of a league, in schedule order."""
    ordered = sorted(summaries, key=lambda one: one.fixture.index)
    return [fault for one in ordered for fault in one.faults]


def league_of(summaries: Iterable[FixtureSummary]) -> LeagueSummary:
    """Return the summary of a league."""
    every = list(summaries)
    league = add_up(every, LeagueSummary())
    add_faults(league, faults_of(every))
    return league
