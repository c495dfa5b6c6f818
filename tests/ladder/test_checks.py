"""What becomes of a version that waits: checked, begun again, refused; the checks are played."""

import pytest

from arena.ladder import checks
from arena.ladder.checks import Checks
from arena.ladder.tables import State
from tests.ladder.desk import DIED, FAILED, PASSED, Desk, Played


def test_a_version_that_passes_is_admitted_and_the_one_before_rests(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.QUEUED)
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(first).why == "bot@2 plays in its place"


def test_an_older_version_that_passes_late_does_not_take_the_place_of_a_newer(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(FAILED, PASSED)
    desk.book.set_state(desk.book.version(first), State.QUEUED, "a recheck was ordered")
    desk.run(PASSED)
    assert (desk.state(first), desk.state(second)) == (State.RESTING, State.PROVISIONAL)
    assert desk.book.version(first).why.endswith("but bot@2 is newer")


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
