"""What becomes of a version that waits: checked, begun again, refused; the checks are played."""

import json
import time

import pytest

from arena.io.cores import core_count
from arena.ladder.book.tables import CHECKS, Action, CheckResult, Order, ReportedFault, State
from arena.ladder.check import scheduler
from arena.ladder.check.scheduler import CheckScheduler
from arena.ladder.config import load_config
from arena.ladder.folder import locked
from arena.ladder.season.field import carry_out
from arena.ladder.status import status
from arena.ladder.web.snapshot import look, version_info
from tests.ladder import club
from tests.ladder.desk import DIED, FAILED, PASSED, SHORT, Desk, Played


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


def test_a_check_that_the_machine_cannot_make_is_put_off_and_not_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_PAUSE", 0.0)
    version = desk.submit("ann", "bot")
    desk.run(*[SHORT] * 5)
    assert desk.state(version) is State.QUEUED
    assert desk.book.version(version).why.startswith("this machine is short of processes")
    assert desk.book.checks(desk.book.version(version)) == []
    assert desk.checking() == []
    desk.run(PASSED)
    assert desk.state(version) is State.PROVISIONAL


def test_a_check_whose_process_cannot_be_started_is_put_off(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    version = desk.submit("ann", "bot")
    monkeypatch.setattr(scheduler, "Job", refuse)
    desk.checks.step()
    assert desk.state(version) is State.QUEUED
    assert desk.book.checks(desk.book.version(version)) == []
    monkeypatch.setattr(scheduler, "Job", Played)
    Played.results = []
    desk.checks.step()
    assert desk.checking() == []  # after a pause


def test_a_check_whose_ladder_was_killed_is_begun_again_and_not_counted(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    for _ in range(5):
        Played.results = []
        desk.checks.step()
        assert desk.state(version) is State.CHECKING
        desk.checks = CheckScheduler(desk.folder, desk.checks.config, desk.book)
        assert desk.state(version) is State.QUEUED
    desk.run(PASSED)
    assert desk.state(version) is State.PROVISIONAL


def test_a_check_whose_lease_ends_is_ended(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    version = desk.submit("ann", "bot")
    monkeypatch.setattr(scheduler, "lease", lambda _: 0.0)
    Played.results, Played.ended = [], 0
    desk.checks.step()
    desk.checks.step()
    assert Played.ended == 1
    assert desk.state(version) is State.QUEUED


def test_a_lease_is_longer_than_the_budget_and_leaves_out_a_suspension(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, now = desk.submit("ann", "bot"), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    desk.allow(1)
    Played.results = []
    desk.checks.step()
    [check] = desk.book.checks(desk.book.version(version))
    lease = check.lease_until - check.began
    assert 900 < lease < 3_600
    now[0] = 10 * lease
    desk.checks.step()
    assert desk.state(version) is State.CHECKING
    while now[0] < 11 * lease:
        now[0] += 5
        desk.checks.step()
    desk.checks.step()
    assert [one.number for one in desk.book.checks(desk.book.version(version))] == [1, 2]


def test_checks_of_two_authors_go_on_side_by_side(desk: Desk) -> None:
    desk.allow(2)
    versions = [desk.submit("ann", "bot"), desk.submit("bob", "other"), desk.submit("eve", "third")]
    Played.results = []
    desk.checks.step()
    assert desk.checking() == versions[:2]
    desk.allow(2)  # as after a kill: what was under way begins again
    assert [desk.state(one) for one in versions] == [State.QUEUED] * 3
    assert desk.checking() == []
    desk.checks.step()
    assert desk.checking() == versions[:2]


def test_many_submissions_of_an_author_leave_a_slot_to_others(desk: Desk) -> None:
    desk.allow(2)
    many = [desk.submit("ann", "bot", b"%d" % n) for n in range(5)]
    Played.results = []
    desk.checks.step()
    assert desk.checking() == many[:1]
    late = desk.submit("bob", "other")
    desk.checks.step()
    assert desk.checking() == [many[0], late]


def test_an_author_has_two_checks_at_a_time_while_nobody_else_waits(desk: Desk) -> None:
    desk.allow(3)
    many = [desk.submit("ann", "bot", b"%d" % n) for n in range(5)]
    Played.results = []
    desk.checks.step()
    assert desk.checking() == many[:2]


def test_the_note_of_an_older_ladder_on_its_check_is_no_check_that_goes_on(desk: Desk) -> None:
    old = {"version": "bot@1", "steps": 18, "passed": ["manifest"], "trying": "program"}
    desk.book.set_fact("check", json.dumps(old))
    desk.book._file.execute("DELETE FROM facts WHERE key = ?", CHECKS)
    with locked(desk.folder):
        assert status(desk.folder).checks == []
        desk.submit("ann", "bot")
        assert version_info(look(desk.folder, None), desk.book.version("bot@1")).check is None


def test_a_ladder_yaml_that_says_nothing_of_checks_has_the_defaults(desk: Desk) -> None:
    path = desk.folder.config
    lines = [line for line in path.read_text().splitlines() if not line.startswith("checks:")]
    path.write_text("\n".join(lines))
    checks = load_config(path).file.checks
    assert (checks.seconds, checks.slots) == (900, core_count())


def test_status_has_the_checks_that_go_on(desk: Desk) -> None:
    desk.submit("ann", "bot")
    Played.results = []
    desk.checks.step()
    assert status(desk.folder).checks == []  # no ladder runs
    with locked(desk.folder):
        assert [one.version for one in status(desk.folder).checks] == ["bot@1"]


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
    monkeypatch.setattr(scheduler, "_KEPT", -1.0)
    desk.checks.tidy()
    assert list(desk.folder.inbox.iterdir()) == []
    assert desk.state(version) is State.PROVISIONAL


def test_the_log_has_the_lines_of_a_fault(desk: Desk) -> None:
    version = desk.submit("ann", "bot")
    fault = ReportedFault("it crashed", "bga, seat 1", "mend it", asked='{"id":1}', came="what?")
    desk.run(CheckResult(ok=False, faults=[fault]))
    told = [event.text for event in desk.book.events(version)]
    assert told[-4:] == [
        "fault: it crashed / bga, seat 1",
        'asked: {"id":1}',
        "answered: what?",
        "refused: it crashed / bga, seat 1 / mend it",
    ]
