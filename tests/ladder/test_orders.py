"""Orders: carried out in the states that they are for, and answered in any."""

from itertools import product

import pytest

from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import ALLOWED, Action, Order, State
from arena.ladder.door.door import QuotaError
from arena.ladder.new import operator
from arena.ladder.season.field import carry_out
from tests.cli.command import run
from tests.ladder.desk import PASSED, Desk

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
