"""The referee as a state machine: who is asked what, and what a fault does to a round."""

import pytest

from arena.game.records import BidMade, CallMade, Cause, Fault, Faulted
from arena.game.referee import Referee
from arena.game.rules.dice import roll
from arena.game.wire.messages import Answer, CalzaOffer, FaultNotice, GameEnd, RoundEnd, Turn
from tests.league.table.driver import CALZA, DUDO, GONE, PASS, SEED, bid, left_of, rounds, table


def calza_moment(players: int, calza_seats: tuple[int, ...]) -> tuple[Referee, int]:
    """Play an opening bid of a table where calza is offered; returns who made it, too."""
    referee = table(players, calza_seats=calza_seats)
    (opener,) = referee.waiting
    referee.take(opener, bid(1, 3))
    return referee, opener


def end_round(referee: Referee) -> int:
    """Bid the most there can be and have it doubted; returns the seat that lost its die."""
    (seat,) = referee.waiting
    request = referee.request(seat, 0)
    assert isinstance(request, Turn)
    referee.take(seat, bid(request.raises[0].max, 2))
    referee.take(referee.waiting[0], DUDO)
    call = [event for event in referee.events if isinstance(event, CallMade)][-1]
    assert call.loser is not None
    return call.loser


# ---------------------------------------------------------------- turns


def test_an_opening_turn() -> None:
    referee = table(3)
    (opener,) = referee.waiting
    request = referee.request(opener, 17)
    assert isinstance(request, Turn)
    assert (request.id, request.game, request.round, request.seat) == (17, 0, 0, opener)
    assert request.dice == roll(SEED, 0, 0, opener, 5)
    assert not request.dudo
    assert list(request.bids) == []
    assert [span.face for span in request.raises] == [2, 3, 4, 5, 6]


def test_the_turn_goes_left_and_dudo_ends_the_round() -> None:
    referee = table(3)
    (opener,) = referee.waiting
    for step, quantity in enumerate((1, 2, 3, 4)):
        assert referee.waiting == (left_of(opener, 3, step),)
        assert referee.take(referee.waiting[0], bid(quantity, 2)) is None
    caller = referee.waiting[0]
    assert referee.take(caller, DUDO) is None
    call = referee.events[-2]
    assert isinstance(call, CallMade)
    assert (call.seat, call.call) == (caller, "dudo")
    (notice,) = referee.notices
    assert isinstance(notice, RoundEnd)
    assert notice.dice == tuple(roll(SEED, 0, 0, seat, 5) for seat in range(3))
    assert [(b.seat, b.quantity) for b in notice.bids] == [
        (left_of(opener, 3, step), step + 1) for step in range(4)
    ]
    assert referee.waiting == (call.loser,)


@pytest.mark.parametrize(
    ("first", "answer", "because"),
    [
        (None, DUDO, "there is no bid to doubt yet (DUDO)"),
        (None, CALZA, "calza is no answer to a turn"),
        (None, PASS, "pass is no answer to a turn"),
        (None, bid(1, 1), "only a palifico player may open with pacos (OPEN)"),
        (None, bid(0, 2), "a bid names at least one die (SETUP)"),
        (None, bid(1, 7), "a die has no face 7 (SETUP)"),
        (None, bid(1, 0), "a die has no face 0 (SETUP)"),
        (None, Answer(id=0, action="bid"), "a die has no face 0 (SETUP)"),
        (None, bid(11, 2), "the game started with 10 dice: no bid goes above that (OVER-TOTAL)"),
        (None, bid(10**30, 2), "the game started with 10 dice: no bid goes above that"),
        (bid(3, 4), bid(3, 4), "to raise 3 fours takes at least 4 (RAISE-QTY)"),
        (bid(3, 4), bid(2, 4), "to raise 3 fours takes at least 4 (RAISE-QTY)"),
        (bid(3, 4), bid(4, 2), "a face below four can only follow a bid of pacos (RAISE-DOWN)"),
        (bid(3, 4), bid(1, 1), "to answer 3 fours with pacos takes at least 2 (TO-PACOS)"),
    ],
)
def test_illegal_answers(first: Answer | None, answer: Answer, because: str) -> None:
    referee = table(2)
    if first:
        referee.take(referee.waiting[0], first)
    (seat,) = referee.waiting
    fault = referee.take(seat, answer)
    assert fault is not None
    assert fault.cause is Cause.ILLEGAL_ACTION
    assert fault.detail.startswith(because)
    assert referee.waiting == ()
    assert referee.record.places[seat] == 2
    assert referee.record.events[-1] == Faulted(seat, Cause.ILLEGAL_ACTION, fault.detail)


# ---------------------------------------------------------------- calza


def test_calza_is_offered_to_all_who_asked_nearest_first() -> None:
    referee, bidder = calza_moment(4, calza_seats=(0, 1, 2, 3))
    assert referee.offering
    assert referee.waiting == tuple(left_of(bidder, 4, step) for step in (1, 2, 3))
    offer = referee.request(referee.waiting[1], 5)
    assert isinstance(offer, CalzaOffer)
    assert offer.seat == left_of(bidder, 4, 2)
    for seat in reversed(referee.waiting):
        assert referee.take(seat, PASS) is None
    assert not referee.offering
    assert referee.waiting == (left_of(bidder, 4),)


def test_calza_is_offered_only_to_seats_that_asked() -> None:
    opener = table(4).waiting[0]
    taker = left_of(opener, 4, 2)
    referee, _ = calza_moment(4, calza_seats=(taker, opener))
    assert referee.waiting == (taker,)
    referee.take(taker, PASS)
    assert referee.waiting == (left_of(opener, 4),)


@pytest.mark.parametrize("answered", [(1, 3), (3, 1)])
def test_the_nearest_after_the_bidder_counts(answered: tuple[int, int]) -> None:
    referee, bidder = calza_moment(5, calza_seats=(0, 1, 2, 3, 4))
    callers = [left_of(bidder, 5, step) for step in answered]
    for seat in callers:
        referee.take(seat, CALZA)
    for step in (2, 4):
        referee.take(left_of(bidder, 5, step), PASS)
    call = [event for event in referee.events if isinstance(event, CallMade)][-1]
    assert (call.seat, call.call) == (left_of(bidder, 5, 1), "calza")
    assert call.rivals == (left_of(bidder, 5, 3),)


@pytest.mark.parametrize("answer", [bid(2, 3), DUDO])
def test_an_offer_takes_calza_or_pass(answer: Answer) -> None:
    referee, bidder = calza_moment(3, calza_seats=(0, 1, 2))
    fault = referee.take(left_of(bidder, 3), answer)
    assert fault == Fault(Cause.ILLEGAL_ACTION, "an offer of calza was open")


def test_a_fault_voids_a_calza_of_the_same_moment() -> None:
    referee, bidder = calza_moment(4, calza_seats=(0, 1, 2, 3))
    near, far, last = referee.waiting
    referee.take(near, CALZA)
    referee.take(far, GONE)
    assert referee.waiting == (last,)
    referee.take(last, CALZA)
    assert not any(isinstance(event, CallMade) for event in referee.events)
    assert referee.waiting == (bidder,)
    assert len(rounds(referee)) == 2


# ---------------------------------------------------------------- faults


def test_a_void_round_is_played_again_by_the_same_opener() -> None:
    referee = table(3)
    (opener,) = referee.waiting
    referee.take(opener, bid(1, 2))
    (second,) = referee.waiting
    assert referee.take(second, GONE) is GONE
    before, after = rounds(referee)
    assert referee.waiting == (opener,) == (after.opener,)
    assert after.dice[second] == ()
    assert after.dice[opener] == roll(SEED, 0, after.number, opener, 5) != before.dice[opener]
    assert referee.notices == [FaultNotice(game=0, round=0, seat=second, cause="crash")]
    request = referee.request(opener, 0)
    assert second not in request.alive
    assert list(request.bids) == []


def test_the_left_neighbour_opens_when_the_opener_faulted() -> None:
    referee = table(4)
    (opener,) = referee.waiting
    referee.take(opener, GONE)
    assert referee.waiting == (left_of(opener, 4),)


def test_the_last_one_standing_wins() -> None:
    referee = table(3)
    (opener,) = referee.waiting
    referee.take(opener, GONE)
    second, third = left_of(opener, 3, 1), left_of(opener, 3, 2)
    referee.take(second, GONE)
    assert referee.waiting == ()
    places = [0, 0, 0]
    places[opener], places[second], places[third] = 3, 2, 1
    assert referee.record.places == tuple(places)
    assert referee.notices[-1] == GameEnd(game=0, places=tuple(places))


@pytest.mark.parametrize("players", [2, 3, 6])
def test_when_all_fault_at_once_the_order_is_strict(players: int) -> None:
    referee = table(players)
    referee.forfeit(dict.fromkeys(range(players), GONE))
    assert referee.waiting == ()
    assert referee.record.places == tuple(range(players, 0, -1))


def test_seats_that_never_started_finish_behind_all_others() -> None:
    referee = table(4)
    referee.forfeit({3: GONE, 1: GONE})
    assert referee.record.places == (0, 4, 0, 3)
    assert len(rounds(referee)) == 2
    while referee.waiting:
        end_round(referee)
    assert sorted(referee.record.places) == [1, 2, 3, 4]


def test_a_game_to_its_end_without_a_fault() -> None:
    referee = table(2, starting_dice=1)
    loser = end_round(referee)
    assert referee.waiting == ()
    assert referee.record.places[loser] == 2
    assert [type(event) for event in referee.events[1:]] == [BidMade, CallMade]


# ---------------------------------------------------------------- palifico


def palifico_table(book: str) -> tuple[Referee, int]:
    referee = table(3, book, starting_dice=2)
    seat = end_round(referee)
    assert rounds(referee)[-1].palifico_seat == seat
    assert referee.waiting == (seat,)
    return referee, seat


def test_a_palifico_round_broken_by_another_stays_palifico() -> None:
    referee, seat = palifico_table("bga")
    referee.take(seat, bid(1, 1))
    referee.take(left_of(seat, 3), GONE)
    assert referee.waiting == (seat,)
    assert rounds(referee)[-1].palifico_seat == seat


def test_a_broken_palifico_round_becomes_normal_if_two_left_play_none() -> None:
    referee, seat = palifico_table("pressman")
    referee.take(seat, bid(1, 1))
    referee.take(left_of(seat, 3), GONE)
    assert referee.waiting == (seat,)
    assert rounds(referee)[-1].palifico_seat is None


@pytest.mark.parametrize("book", ["bga", "classic", "pressman", "italian"])
def test_a_palifico_round_ends_when_its_seat_faults(book: str) -> None:
    referee, seat = palifico_table(book)
    referee.take(seat, GONE)
    assert referee.waiting == (left_of(seat, 3),)
    assert rounds(referee)[-1].palifico_seat is None
