"""Orders: carried out in the states that they are for, and answered in any."""

import re
from itertools import product

import msgspec
import pytest

from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import ALLOWED, Action, Order, State
from arena.ladder.door.door import QuotaError
from arena.ladder.new import operator
from arena.ladder.season.field import carry_out
from tests.cli.command import run
from tests.ladder.desk import PASSED, Desk, Played

LEADS_TO = {
    Action.APPROVE: State.PROVISIONAL,
    Action.REST: State.RESTING,
    Action.RESUME: State.PROVISIONAL,
    Action.STRIKE: State.STRUCK,
    Action.RECHECK: State.QUEUED,
    Action.WITHDRAW: State.RESTING,
    Action.PLAY: State.PROVISIONAL,
}


def test_an_order_moves_a_version_from_the_states_that_it_is_for(desk: Desk) -> None:
    for number, (what, state) in enumerate(product(ALLOWED, State), 1):
        name = desk.submit("ann", f"bot-{number}")
        desk.book.set_state(desk.book.version(name), state, "as it is")
        version = desk.book.version(name)
        desk.book.end_check(desk.book.begin_check(version, 1.0), msgspec.json.encode(PASSED))
        carry_out(Order(number, 0.0, "root", what, name, "a reason"), desk.book)
        allowed = state in ALLOWED[what]
        assert desk.state(name) == (LEADS_TO[what] if allowed else state)
        told = desk.book.events(name)[-1].text
        verdict = "done" if allowed else "refused"
        assert told.startswith(f"{what} by root (a reason): {verdict}: ")
        assert desk.book.last_order() == number
        if allowed:
            verb = "approved" if what is Action.APPROVE else "ordered"
            assert desk.book.version(name).why == f"{verb} by root: a reason"


def test_a_version_is_approved_in_the_terminal(desk: Desk) -> None:
    name, club = desk.submit("ann", "bot"), desk.folder.root
    refused = run("ladder", "approve", club, name, cwd=club.parent)
    assert refused.err.endswith("approve is for: awaiting approval\n")
    desk.book.set_state(desk.book.version(name), State.AWAITING, "it passed its check")
    assert run("ladder", "approve", club, name, "--why", "fair", cwd=club.parent).code == 0
    desk.obey()
    told = run("ladder", "log", club, name, cwd=club.parent).out
    assert f"provisional: approved by {operator()}: fair\n" in told
    assert f"approve by {operator()} (fair): done: bot@1 is provisional\n" in told


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("what", "state"), [("rest", State.RESTING), ("strike", State.STRUCK)])
def test_a_version_that_waits_for_its_check_is_turned_down(
    desk: Desk, what: str, state: State, *, begun: bool
) -> None:
    name, club = desk.submit("ann", "bot"), desk.folder.root
    if begun:
        Played.results = []
        desk.checks.step()
        assert desk.checking() == [name]
    assert run("ladder", what, club, name, cwd=club.parent).code == 0
    desk.obey()
    ended = Played.ended
    desk.checks.step()
    assert Played.ended == ended + begun
    Played.results = [PASSED]
    desk.checks.step()
    assert desk.state(name) is state


def test_a_version_that_rested_before_its_check_is_checked_before_it_plays(desk: Desk) -> None:
    name, club = desk.submit("ann", "bot"), desk.folder.root
    for what in ("rest", "resume"):
        assert run("ladder", what, club, name, cwd=club.parent).code == 0
        desk.obey()
    assert desk.state(name) is State.QUEUED
    desk.run(PASSED)
    assert desk.state(name) is State.PROVISIONAL


def test_a_ladder_that_does_not_run_lists_what_came_and_takes_orders_for_it(desk: Desk) -> None:
    club = desk.folder.root
    desk.door.invite("ann")
    desk.door.submit("ann", "bot", b"1", ".tar", Quotas(10, 10))
    listed = run("ladder", "list", club, cwd=club.parent).out
    assert re.search(r"bot@1 +ann +queued .*the ladder has not looked at it yet", listed)
    refused = run("ladder", "approve", club, "bot@1", cwd=club.parent).err
    assert refused.startswith("error: bot@1 is queued: the ladder has not looked at it yet / ")
    assert run("ladder", "strike", club, "bot@1", cwd=club.parent).code == 0
    for upload in desk.door.uploads(desk.book.last_upload()):
        desk.book.add(upload, State.QUEUED, "it came")
    desk.obey()
    assert desk.state("bot@1") is State.STRUCK


def test_an_order_about_a_version_that_is_gone_is_refused(desk: Desk) -> None:
    carry_out(Order(7, 0.0, "root", Action.STRIKE, "bot@9", ""), desk.book)
    assert "strike by root: refused: there is no version 'bot@9'" in desk.book.events()[-1].text
    assert desk.book.last_order() == 7


def test_a_quota_that_is_ordered_takes_the_place_of_that_in_ladder_yaml(desk: Desk) -> None:
    desk.submit("ann", "bot")
    desk.submit("bob", "other")
    quotas = Quotas(uploads=2)

    def submit() -> None:
        desk.door.submit("ann", "bot", b"2", ".tar", quotas)

    desk.door.order_quota("root", "Ann", 1, "too many")
    assert desk.door.allowance("ann", quotas).of == 2  # no ladder has looked at it yet
    desk.obey()
    told = "quota by root (too many): done: ann may make 1 submissions in 24 hours"
    assert (desk.book.events()[-1].author, desk.book.events()[-1].text) == ("ann", told)
    with pytest.raises(QuotaError, match="at most 1 submissions in 24 hours"):
        submit()
    desk.door.order_quota("root", "ann", 3, "")
    desk.obey()
    submit()
    left = {name: desk.door.allowance(name, quotas) for name in ("ann", "bob")}
    assert {name: (one.left, one.of) for name, one in left.items()} == {
        "ann": (1, 3),
        "bob": (1, 2),
    }


def test_a_version_that_is_resumed_plays_in_place_of_every_other(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED, PASSED)
    desk.book.set_state(desk.book.version(first), State.RESTING, "they have met")
    carry_out(Order(1, 0.0, "root", Action.RESUME, first, ""), desk.book)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.RESTING)
