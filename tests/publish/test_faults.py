"""The page of faults: like ones together, with the share of games, in words."""

import pytest

from arena.playstats.fixture_summary import summarize_fixture
from arena.playstats.league_summary import LeagueSummary, summarize_league
from arena.publish.pages import faults
from arena.records import Cause, Faulted
from tests.publish import factory

BGA = factory.league(()).variants["bga"]


def summary(*found: tuple[int, int, Cause, str]) -> LeagueSummary:
    """The games of two bots, four a fixture; each fault by fixture, game, cause and detail."""
    played = [
        factory.fixture(
            index,
            ("alpha", "gamma"),
            faults={
                game: Faulted(1, cause, text) for at, game, cause, text in found if at == index
            },
        )
        for index in range(5)
    ]
    return summarize_league(summarize_fixture(one, BGA) for one in played)


def test_details_that_differ_in_numbers_and_quotes_are_one_kind() -> None:
    [one] = faults.by_bot(
        summary(
            (0, 1, Cause.TIMEOUT, "no answer within 2 s"),
            (1, 0, Cause.TIMEOUT, "no answer within 3.5 s"),
            (1, 1, Cause.CRASH, "exit status 1"),
            (2, 3, Cause.TIMEOUT, "no answer within 2 s"),
            (3, 0, Cause.MALFORMED_LINE, 'not JSON: "{" (line 17)'),
            (3, 1, Cause.MALFORMED_LINE, 'not JSON: "what now?" (line 2)'),
        )
    )
    assert (one.bot, one.games, one.faulted) == ("gamma", 20, 6)
    assert one.share == pytest.approx(0.3)
    assert [(kind.cause, kind.count) for kind in one.kinds] == [
        (Cause.TIMEOUT, 3),
        (Cause.MALFORMED_LINE, 2),
        (Cause.CRASH, 1),
    ]
    assert [(kind.first.index, kind.first.game) for kind in one.kinds] == [(0, 1), (3, 0), (1, 1)]


def test_kinds_that_are_not_shown_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "SHOWN", 1)
    model = faults.model(summary((0, 1, Cause.TIMEOUT, "late"), (1, 0, Cause.CRASH, "gone")))
    assert [len(one.kinds) for one in model["bots"]] == [1]
    assert (model["left"], model["faulty"]) == (1, 1)
