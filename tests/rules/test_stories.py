"""The Pressman demonstration hand and the Italian illustrated round, told by live bots."""

import json
from typing import Any

import pytest

from tests.rules.notation import ask, by_oracle, table
from tests.rules.stories import EXAMPLES, STORIES, tell

ACE = 1
CALLS = {
    "pressman": "10x4 10x6 11x2 13x2 7x1 15x2 16x2 8x1",
    "italian": "4x4 6x4 4x1 9x5",
}


def told(book: str) -> list[tuple[str, int, dict[str, Any]]]:
    """Return a story as (way, seat, message)."""
    lines = (EXAMPLES / f"{book}.txt").read_text(encoding="utf-8").splitlines()
    return [(line[:2], int(line[2]), json.loads(line[4:])) for line in lines]


def round_end(book: str) -> dict[str, Any]:
    """Return the news of how the story's round ended, which come before the last question."""
    _, _, message = told(book)[-2]
    assert (message["type"], message["round"]) == ("round_end", STORIES[book].number)
    return message


def next_opener(book: str) -> tuple[int, dict[str, Any]]:
    """Return who is asked to open the next round, and the question."""
    way, seat, message = told(book)[-1]
    assert (way, message["type"], message["bids"]) == (">>", "turn", [])
    return seat, message


def spoken(book: str) -> list[tuple[int, str]]:
    """Return what the bots answered in the story's round: who, and what."""
    lines = told(book)
    first = next(i for i, (_, _, m) in enumerate(lines) if m.get("round") == STORIES[book].number)
    answers = [(seat, message) for way, seat, message in lines[first:] if way == "<<"]
    return [(seat, _words(message)) for seat, message in answers]


def _words(answer: dict[str, Any]) -> str:
    bid = answer["action"] == "bid"
    return f"{answer['quantity']}x{answer['face']}" if bid else str(answer["action"])


def in_words(hands: list[list[int]]) -> str:
    return " ".join("".join(map(str, hand)) for hand in hands)


@pytest.mark.parametrize("book", sorted(STORIES))
def test_live_bots_replay_the_story(book: str) -> None:
    """`make protocol` writes a story that has changed."""
    assert tell(book) == (EXAMPLES / f"{book}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("book", sorted(STORIES))
def test_story_has_no_faults(book: str) -> None:
    assert not [message for _, _, message in told(book) if message.get("type") == "fault"]


@pytest.mark.clause("pressman", "TURN")
def test_the_demonstration_hand_as_it_is_spoken() -> None:
    """Players 1 to 6 sit at seats 0 to 5: player 5 speaks before player 6, whatever the print."""
    calls = list(enumerate(CALLS["pressman"].split()))
    assert spoken("pressman") == [*((at % 6, call) for at, call in calls), (2, "dudo")]


@pytest.mark.clause("pressman", "SETUP")
def test_the_demonstration_hand_has_seven_aces_among_thirty_dice() -> None:
    hands = round_end("pressman")["dice"]
    assert [len(hand) for hand in hands] == [5] * 6
    assert sum(hand.count(ACE) for hand in hands) == 7


@pytest.mark.clause("pressman", "DUDO")
@pytest.mark.clause("pressman", "STARTER")
def test_player_2_loses_a_die_and_opens_with_four() -> None:
    end = round_end("pressman")
    assert (end["caller"], end["call"], end["count"], end["loser"]) == (2, "dudo", 7, 1)
    seat, turn = next_opener("pressman")
    assert (seat, len(turn["dice"])) == (1, 4)


@pytest.mark.clause("pressman", "REVEAL")
def test_players_3_4_5_6_1_and_2_uncover_in_this_order() -> None:
    dice = in_words(round_end("pressman")["dice"])
    verdict = ask("pressman", dice, f"{CALLS['pressman']} dudo")
    assert verdict["reveal_order"] == [2, 3, 4, 5, 0, 1]


@pytest.mark.clause("italian", "TURN")
@pytest.mark.clause("italian", "STARTER")
def test_the_illustrated_round_as_it_is_spoken() -> None:
    """A to E sit at seats 0 to 4; A opens, having lost a die in the round before."""
    calls = list(enumerate(CALLS["italian"].split()))
    assert spoken("italian") == [*calls, (4, "dudo")]
    before = [m for _, _, m in told("italian") if m.get("type") == "round_end" and m["round"] == 3]
    assert {message["loser"] for message in before} == {0}


def test_the_dice_of_the_illustrated_round_fit_its_words() -> None:
    a, b, c, d, e = hands = round_end("italian")["dice"]
    assert sum(len(hand) for hand in hands) == 21
    assert (len(a), a.count(4)) == (4, 2)
    assert (b.count(4), b.count(ACE)) == (2, 1)
    assert c.count(ACE) == 2
    assert (d.count(5), d.count(ACE)) == (2, 1)
    assert not {5, 6} & set(e)
    assert sum(hand.count(5) for hand in hands) == 4
    assert sum(hand.count(ACE) for hand in hands) == 5


@pytest.mark.clause("italian", "DUDO")
@pytest.mark.clause("italian", "TIE")
@pytest.mark.clause("italian", "STARTER")
def test_e_gave_in_too_early_loses_a_die_and_opens() -> None:
    end = round_end("italian")
    assert (end["caller"], end["call"], end["count"], end["loser"]) == (4, "dudo", 9, 4)
    seat, turn = next_opener("italian")
    assert (seat, len(turn["dice"])) == (4, len(end["dice"][4]) - 1)


@pytest.mark.clause("italian", "TO-PACOS")
@pytest.mark.clause("italian", "FROM-PACOS")
def test_c_could_have_called_three_pacos_and_d_called_the_least_number() -> None:
    turns = [m for _, _, m in told("italian") if m.get("type") == "turn" and m["round"] == 4]
    of_c, of_d = ({span["face"]: span["min"] for span in m["raises"]} for m in turns[2:4])
    assert of_c[ACE] == 3
    assert of_d[5] == 9


@pytest.mark.parametrize("book", sorted(STORIES))
def test_the_clauses_alone_count_the_same(book: str) -> None:
    """The oracle, which shares no code with the referee, is asked about the same dice and calls."""
    end = round_end(book)
    verdict = by_oracle(table(book, in_words(end["dice"]), f"{CALLS[book]} dudo"))
    assert (verdict["count"], verdict["loser"]) == (end["count"], end["loser"])
    assert verdict["next_starter"] == next_opener(book)[0]
