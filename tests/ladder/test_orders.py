"""Orders: carried out in the states that they are for, and answered in any."""

from itertools import product

from arena.ladder.orders import carry_out
from arena.ladder.tables import ALLOWED, Action, Order, State
from tests.ladder.desk import PASSED, Desk

ABOUT_VERSIONS = [one for one in Action if one is not Action.CLOSE_SEASON]
LEADS_TO = {
    Action.REST: State.RESTING,
    Action.RESUME: State.PROVISIONAL,
    Action.STRIKE: State.STRUCK,
    Action.RECHECK: State.QUEUED,
}


def test_an_order_moves_a_version_from_the_states_that_it_is_for(desk: Desk) -> None:
    for number, (what, state) in enumerate(product(ABOUT_VERSIONS, State), 1):
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
            assert desk.book.version(name).why == "ordered by root: a reason"


def test_an_order_about_a_version_that_is_gone_is_refused(desk: Desk) -> None:
    carry_out(Order(7, 0.0, "root", Action.STRIKE, "bot@9", ""), desk.book)
    assert "strike by root: refused: there is no version 'bot@9'" in desk.book.events()[-1].text
    assert desk.book.last_order() == 7


def test_one_version_of_a_bot_plays_at_a_time(desk: Desk) -> None:
    first, second = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED, PASSED)
    carry_out(Order(1, 0.0, "root", Action.RESUME, first, ""), desk.book)
    assert (desk.state(first), desk.state(second)) == (State.PROVISIONAL, State.RESTING)
