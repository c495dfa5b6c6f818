"""A recorded game as one seat lived it: the same requests and news, and its own answers."""

import json
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import BidMade, CallMade, Event, Fault, Faulted, PlayedFixture
from arena.game.rules.books import VARIANTS, Rules
from arena.game.rules.round import max_rounds
from arena.game.wire.codec import encode
from arena.game.wire.messages import Answer
from arena.league.table.play_fixture import play_fixture
from arena.league.table.recorded_game import ReplayError, Reply, SeatMoment, seat_moments
from tests.league.table.driver import GONE, SEED, bid, table
from tests.league.table.fakes import BlindSeats
from tests.support import records
from tests.support.depth import depth
from tests.support.random_games import rules

GAMES = 2


class RememberingSeats(BlindSeats):
    """Seats that all ask for calza; `answers` is what each said, by game and id."""

    def __init__(self, players: int, rng: Random, fault_rate: float) -> None:
        super().__init__(players, rng, 1.0, fault_rate)
        self.answers: list[dict[int, Answer]] = [{} for _ in range(players)]

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        super().ask(seat, id_, line, game)
        answer = self._replies[-1][2]
        assert isinstance(answer, Answer)
        self.answers[seat][id_] = answer

    def told(self, seat: int, game: int) -> list[bytes]:
        """Return what a seat was sent in a game."""
        return [line for line in self.lines[seat] if json.loads(line).get("game") == game]


def played_by(seats: RememberingSeats, book: Rules, players: int) -> PlayedFixture:
    names = tuple(f"bot{seat}" for seat in range(players))
    rounds = max_rounds(book, players, 2)
    fixture = records.fixture(names, GAMES, variant=book.name, seed=SEED, max_rounds=rounds)
    return play_fixture(fixture, book, seats)


def sent(moments: list[SeatMoment]) -> list[bytes]:
    return [
        encode(message)
        for moment in moments
        for message in (*moment.news, moment.request)
        if message is not None
    ]


@settings(max_examples=depth(25, 300), deadline=None, database=None)
@given(rules(), st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([0.0, 0.02, 0.2]))
def test_requests_news_and_answers_are_those_of_the_live_game(
    book: Rules, players: int, script: int, fault_rate: float
) -> None:
    with RememberingSeats(players, Random(script), fault_rate) as seats:
        played = played_by(seats, book, players)
    for record in played.games:
        for seat in range(players):
            moments = list(seat_moments(played.fixture, book, record, seat))
            told = seats.told(seat, record.game)
            faulted = any(isinstance(one, Faulted) and one.seat == seat for one in record.events)
            walked = sent(moments)
            # A bot that faulted heard no more of that game.
            assert (walked[: len(told)] if faulted else walked) == told
            for moment in moments[:-1]:
                assert moment.request is not None
                given = seats.answers[seat][moment.request.id]
                check_answer(moment, given, seat, record.events[moment.step :])


def check_answer(moment: SeatMoment, given: Answer, seat: int, came: Sequence[Event]) -> None:
    """Check a moment's answer against what was given, and against what came of it."""
    first, stored = came[0], moment.answer
    if stored is None or isinstance(stored, Fault):
        faults = {one.seat: one.detail for one in came if isinstance(one, Faulted)}
        assert isinstance(first, Faulted)
        assert stored is None or stored.detail == faults[seat]
        assert (given.quantity == 1000) == (stored is not None)
        return
    assert replace(given, id=0) == stored
    if stored.action == "bid":
        assert first == BidMade(seat, stored.quantity, stored.face)
    elif stored.action in {"dudo", "calza"}:
        assert isinstance(first, CallMade)
        assert seat in (first.seat, *first.rivals)
        assert stored.action == first.call


@pytest.mark.parametrize("book", VARIANTS.values(), ids=str)
def test_answers_are_judged_by_the_rules_of_their_moment(book: Rules) -> None:
    with RememberingSeats(3, Random(1), 0.0) as seats:
        played = played_by(seats, replace(book, calza=True), 3)
    rules_ = replace(book, calza=True)
    for moment in seat_moments(played.fixture, rules_, played.games[0], 1):
        if moment.request is not None:
            assert isinstance(moment.answer, Answer)
            assert moment.illegal(moment.answer) is None
            assert moment.illegal(bid(10_000, 2)) is not None


def test_seat_without_a_bot_only_hears_of_the_game() -> None:
    referee = table(3)
    [opener] = referee.waiting
    absent = (opener + 1) % 3
    referee.forfeit({absent: GONE})
    referee.forfeit({seat: GONE for seat in range(3) if seat != absent})
    fixture = records.fixture("abc", seed=SEED)
    [last] = seat_moments(fixture, VARIANTS["bga"], referee.record, absent)
    assert last.request is None
    assert len(last.news) == len(referee.notices)


def test_record_without_its_end_is_refused() -> None:
    with RememberingSeats(2, Random(1), 0.0) as seats:
        played = played_by(seats, VARIANTS["bga"], 2)
    record = played.games[0]
    for events in (record.events[:-1], [*record.events, record.events[-1]]):
        broken = replace(record, events=events)
        with pytest.raises(ReplayError):
            list(seat_moments(played.fixture, VARIANTS["bga"], broken, 0))


def test_fault_of_the_seat_on_turn_is_of_its_offer_only_if_it_says_so() -> None:
    """The record does not say which of its two requests a seat left unanswered."""
    assert answers_of_last("no answer within 2 s; open: 7 (calza)") == ["calza"]
    assert answers_of_last("no answer within 2 s; open: 7 (turn)") == ["turn"]


def answers_of_last(detail: str) -> list[str]:
    """Return the kinds of requests to which a fault with this detail is the answer."""
    referee = table(2, calza_seats=(0, 1))
    [opener] = referee.waiting
    referee.take(opener, bid(1, 2))
    referee.forfeit({1 - opener: replace(GONE, detail=detail)})
    fixture = records.fixture("ab", seed=SEED)
    rules_ = replace(VARIANTS["bga"], calza=True)
    moments = list(seat_moments(fixture, rules_, referee.record, 1 - opener))
    replies: list[tuple[str, Reply | None]] = [
        (json.loads(encode(moment.request))["type"], moment.answer)
        for moment in moments
        if moment.request
    ]
    return [kind for kind, reply in replies if isinstance(reply, Fault)]
