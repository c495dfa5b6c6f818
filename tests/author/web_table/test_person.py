"""A person in the browser: what the page is sent, and when."""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from traceback import extract_stack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.author.web_table.page import table_html
from arena.author.web_table.person import WebPerson, answer_to, legal_bids
from arena.game.rules.books import VARIANTS
from arena.game.rules.dice import Hand
from arena.game.rules.round import Raises
from arena.game.rules.view import SeatBid
from arena.game.wire.messages import (
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    Limits,
    RoundEnd,
    Turn,
    in_full,
)
from arena.league.table.person import LeftError
from tests.support.hands import hands_in

NAMES = ("honest", "you", "<b>odds</b>")
HELLO = Hello(
    protocol=1,
    seat=1,
    seats=3,
    games=2,
    seed=1,
    rules=in_full(VARIANTS["bga"]),
    limits=Limits(1.0, 1.0, 1.0),
)
HANDS = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(lambda dice: tuple(sorted(dice)))


def turn(dice: Hand = (1, 2, 3, 4, 5), **values: object) -> Turn:
    common = {
        "seat": 1,
        "dice": dice,
        "bids": [SeatBid(0, 2, 4)],
        "alive": (0, 1, 2),
        "dice_counts": None,
        "palifico_seat": None,
        "id": 7,
        "game": 0,
        "round": 0,
        "raises": (Raises(1, 1, 15), Raises(4, 3, 15), Raises(5, 2, 2)),
        "dudo": True,
    }
    return Turn(**(common | values))  # type: ignore[arg-type]  # fields by their names


def round_end(dice: Sequence[Hand], number: int = 0, caller: int = 2, loser: int = 1) -> RoundEnd:
    return RoundEnd(
        game=0,
        round=number,
        palifico_seat=None,
        bids=[SeatBid(0, 2, 4), SeatBid(1, 3, 4)],
        caller=caller,
        call="dudo",
        dice=tuple(dice),
        count=2,
        loser=loser,
        gainer=None,
    )


def seated() -> WebPerson:
    person = WebPerson(lambda: None, patience=0.0)
    person.meet(NAMES)
    person.hear(HELLO)
    return person


def page(person: WebPerson) -> str:
    shown = person.shown()
    assert shown
    return table_html(shown)


def ask(person: WebPerson, request: Turn | CalzaOffer) -> None:
    """Ask somebody who is not there: the page stays at the question."""
    with pytest.raises(LeftError):
        person.decide(request)


@given(mine=HANDS, theirs=st.tuples(HANDS, HANDS), others=st.tuples(HANDS, HANDS))
def test_page_does_not_depend_on_dice_that_are_not_shown_yet(
    mine: Hand, theirs: tuple[Hand, Hand], others: tuple[Hand, Hand]
) -> None:
    """The bots play on while the person looks at the end of a round."""
    pages = []
    for first, third in (theirs, others):
        person = seated()
        person.hear(round_end([(1,), mine, (2,)]))
        person.hear(round_end([first, mine, third], number=1))
        person.hear(FaultNotice(game=0, round=2, seat=2, cause="crash"))
        pages.append(page(person))
    assert pages[0] == pages[1]


@given(mine=HANDS)
def test_own_dice_alone_are_on_the_page_before_the_call(mine: Hand) -> None:
    person = seated()
    ask(person, turn(mine))
    text = page(person)
    assert hands_in(text) == [[], list(mine), []]
    assert text.count('class="cup"') == 2


def test_rounds_are_shown_one_by_one_and_dice_left_are_counted() -> None:
    person = seated()
    hands = ((2, 2, 3, 3, 4), (1, 1, 2, 3, 4), (5, 5, 6, 6, 6))
    person.hear(round_end(hands))
    person.hear(round_end((hands[0], hands[1][1:], hands[2]), number=1, loser=0))
    ask(person, turn((1, 2, 3, 4), round=2))
    first = page(person)
    assert "&lt;b&gt;odds&lt;/b&gt; calls dudo on 3 fours by you: there are 2. You lose" in first
    assert "14 dice left" in first
    assert "round 2" not in first
    person.act(number(person), "next")
    assert "13 dice left" in page(person)
    person.act(number(person), "next")
    assert 'data-kind="turn"' in page(person)


def number(person: WebPerson) -> int:
    shown = person.shown()
    assert shown
    return shown.number


def test_person_who_is_out_may_go_to_the_end_of_the_game() -> None:
    person = seated()
    for at in range(8):
        person.hear(round_end([(1,), (2,) if at < 5 else (), (3,)], at, loser=1 if at < 5 else 0))
    person.hear(GameEnd(game=0, places=(2, 3, 1)))
    for _ in range(4):
        assert 'value="skip"' not in page(person)
        person.act(number(person), "next")
    person.act(number(person), "skip")
    assert "The game is over: 1st &lt;b&gt;odds&lt;/b&gt;, 2nd honest, 3rd you." in page(person)


def test_faults_are_told_on_the_next_page() -> None:
    person = seated()
    person.hear(FaultNotice(game=0, round=0, seat=2, cause="timeout"))
    ask(person, turn())
    assert "faults and is out: too slow. The round is played again." in page(person)
    assert "10 dice left" in page(person)


def test_last_game_ends_on_the_page_once_it_is_stored() -> None:
    person = seated()
    person.hear(GameEnd(game=1, places=(2, 1, 3)))
    assert 'data-kind="waiting"' in page(person)
    person.stay()
    assert "You win" in page(person)
    assert 'value="leave"' in page(person)


def test_table_does_not_wait_for_a_person_who_is_gone() -> None:
    person = seated()
    ask(person, turn())
    person.leave()
    with pytest.raises(LeftError):
        person.hear(GameEnd(game=0, places=(1, 2, 3)))


def test_legal_moves_alone_are_answers() -> None:
    request = turn()
    moves = [f"bid {bid.quantity} {bid.face}" for bid in legal_bids(request)]
    assert len(moves) == 15 + 13 + 1
    assert all(answer_to(request, move) for move in (*moves, "dudo"))
    for move in ("bid 2 4", "bid 16 1", "bid 1 6", "bid 3 4 ", "calza", "pass", "leave", ""):
        assert answer_to(request, move) is None
    assert answer_to(turn(bids=[], dudo=False), "dudo") is None


@pytest.mark.slow
def test_signal_that_does_not_wake_a_wait_ends_it_all_the_same() -> None:
    # Python notes a signal that comes just before a wait, and handles it after the wait only.
    person = WebPerson(lambda: None)
    main = threading.get_ident()

    def interrupt() -> None:
        while "_wait" not in [frame.name for frame in extract_stack(sys._current_frames()[main])]:
            os.sched_yield()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with pytest.raises(KeyboardInterrupt):
            person.stay()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        thread.join()
