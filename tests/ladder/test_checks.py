"""What becomes of a version that waits: checked, begun again, refused; the checks are played."""

import pytest

from arena.ladder.book.tables import Action, Order, State
from arena.ladder.check import checks
from arena.ladder.check.checks import Checks
from arena.ladder.check.submission import CheckResult, Fault
from arena.ladder.config import load_config
from arena.ladder.season.orders import carry_out
from tests.ladder import club
from tests.ladder.desk import DIED, FAILED, PASSED, Desk, Played


def test_a_version_that_passes_is_admitted_beside_the_one_before(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.QUEUED)
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.PROVISIONAL)
    assert desk.book.version(first).why == "it meets bot@2 on the same dice"


def test_an_older_version_that_passes_late_does_not_take_the_place_of_a_newer(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(FAILED, PASSED)
    desk.book.set_state(desk.book.version(first), State.QUEUED, "a recheck was ordered")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(first).why.endswith("but bot@2 is newer")


def test_a_ladder_that_approves_lets_a_version_wait_for_it(desk: Desk) -> None:
    club.change(desk.folder.root, approve=True)
    desk.checks.config = load_config(desk.folder.config)
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED, PASSED)
    assert (desk.state(first), desk.state(second)) == (State.AWAITING, State.AWAITING)
    assert desk.book.version(first).why == "it passed its check: 17 steps, 20 games, 0 faults"
    carry_out(Order(1, 0.0, "root", Action.APPROVE, second, ""), desk.book)
    # Both pass; the newer one plays.
    carry_out(Order(2, 0.0, "root", Action.APPROVE, first, ""), desk.book)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(second).why == "approved by root"
    desk.submit("ann", "bot", b"3")
    desk.run(FAILED)
    assert desk.state("bot@3") is State.REFUSED


def test_a_version_that_fails_is_refused_for_its_first_fault(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    desk.run(FAILED)
    assert desk.state(version) is State.REFUSED
    assert desk.book.version(version).why == "it crashed / bga / mend it"


def test_a_check_that_dies_is_begun_again_three_times(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    desk.run(DIED, DIED)
    assert desk.state(version) is State.QUEUED
    desk.run(DIED)
    assert desk.state(version) is State.REFUSED
    assert desk.book.version(version).why.startswith("its check died 3 times")


def test_a_check_whose_ladder_was_killed_is_begun_again_and_not_counted(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    for _ in range(5):
        Played.results = []
        desk.checks.step()
        assert desk.state(version) is State.CHECKING
        desk.checks = Checks(desk.folder, desk.checks.config, desk.book)
        assert desk.state(version) is State.QUEUED
    desk.run(PASSED)
    assert desk.state(version) is State.PROVISIONAL


def test_a_check_whose_lease_ends_is_ended(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    version = desk.submit("ann", "bot")
    monkeypatch.setattr(checks, "LEASE", 0.0)
    Played.results, Played.ended = [], 0
    desk.checks.step()
    desk.checks.step()
    assert Played.ended == 1
    assert desk.state(version) is State.QUEUED


def test_authors_take_turns(desk: Desk) -> None:
    many = [desk.submit("ann", "bot", b"%d" % n) for n in range(3)]
    late = desk.submit("bob", "other")
    desk.run(FAILED, FAILED)
    assert [desk.state(one) for one in (*many, late)] == [
        State.REFUSED,
        State.QUEUED,
        State.QUEUED,
        State.REFUSED,
    ]


def test_a_submission_leaves_the_inbox_when_no_backup_can_need_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = desk.submit("ann", "bot")
    desk.run(PASSED)
    desk.checks.tidy()
    assert len(list(desk.folder.inbox.iterdir())) == 1
    monkeypatch.setattr(checks, "_KEPT", -1.0)
    desk.checks.tidy()
    assert list(desk.folder.inbox.iterdir()) == []
    assert desk.state(version) is State.PROVISIONAL


def test_the_log_has_the_lines_of_a_fault(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    fault = Fault("it crashed", "bga, seat 1", "mend it", asked='{"id":1}', came="what?")
    desk.run(CheckResult(ok=False, faults=[fault]))
    told = [event.text for event in desk.book.events(version)]
    assert told[-4:] == [
        "fault: it crashed / bga, seat 1",
        'asked: {"id":1}',
        "answered: what?",
        "refused: it crashed / bga, seat 1 / mend it",
    ]
