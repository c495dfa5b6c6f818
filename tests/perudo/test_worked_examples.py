"""Every worked example that the four rule books print, as they print it.

`Worked examples printed in the documents` in `docs/rules.md` lists them.
"""

import json
from typing import Any

import msgspec
import pytest

from arena.perudo.judge import Position, judge

Json = dict[str, Any]
Bid = tuple[int, int]  # quantity, face; 1 is a paco
NORMAL = {"kind": "normal", "starter": 0}
PALIFICO = {"kind": "palifico", "starter": 0, "palifico_seat": 0}


def verdict_on(position: Json) -> Json:
    plain: Json = json.loads(msgspec.json.encode(judge(msgspec.convert(position, Position))))
    return plain


def bids(*said: Bid) -> list[Json]:
    """The bids of seats 0, 1, 2, ... in turn."""
    return [
        {"seat": seat, "do": "bid", "quantity": quantity, "face": face}
        for seat, (quantity, face) in enumerate(said)
    ]


def table(variant: str, dice: list[list[int]], actions: list[Json], kind: Json = NORMAL) -> Json:
    return {"variant": variant, "dice": dice, "round": kind, "actions": actions}


def six_full_hands() -> list[list[int]]:
    return [[2, 3, 4, 5, 6]] * 6


def opening_for(last: Bid) -> list[Bid]:
    """Legal bids before `last`, so that it can be answered: pacos need a number before them."""
    quantity, face = last
    return [(2 * quantity, 2), last] if face == 1 else [last]


RAISES = [
    # RAISE-QTY, RAISE-FACE: "2 threes -> 3 threes", "2 fours or 2 sixes"
    ("bga", (2, 3), (3, 3), None),
    ("bga", (2, 3), (2, 4), None),
    ("bga", (2, 3), (2, 6), None),
    ("bga", (5, 6), (3, 1), None),
    ("bga", (5, 6), (2, 1), "TO-PACOS"),
    ("bga", (3, 1), (7, 3), None),
    ("bga", (3, 1), (6, 3), "FROM-PACOS"),
    ("classic", (8, 4), (9, 4), None),
    ("classic", (8, 4), (8, 5), None),
    ("classic", (9, 4), (5, 1), None),
    ("classic", (9, 4), (4, 1), "TO-PACOS"),
    ("classic", (5, 1), (11, 3), None),
    ("classic", (5, 1), (10, 3), "FROM-PACOS"),
    ("pressman", (7, 4), (7, 5), None),
    ("pressman", (7, 4), (8, 2), None),
    ("pressman", (7, 4), (9, 3), None),
    ("pressman", (7, 4), (6, 6), "RAISE-FACE"),
    ("pressman", (7, 4), (7, 2), "RAISE-DOWN"),
    ("pressman", (8, 6), (4, 1), None),
    ("pressman", (8, 6), (5, 1), None),
    ("pressman", (8, 6), (3, 1), "TO-PACOS"),
    ("pressman", (11, 3), (6, 1), None),
    ("pressman", (11, 3), (5, 1), "TO-PACOS"),
    ("pressman", (4, 1), (5, 1), None),
    ("pressman", (4, 1), (9, 2), None),
    ("pressman", (4, 1), (9, 6), None),
    ("pressman", (4, 1), (8, 6), "FROM-PACOS"),
    ("italian", (5, 4), (7, 4), None),
    ("italian", (5, 4), (5, 5), None),
    ("italian", (7, 4), (4, 1), None),
    ("italian", (7, 4), (3, 1), "TO-PACOS"),
    ("italian", (4, 1), (9, 2), None),
    ("italian", (4, 1), (8, 2), "FROM-PACOS"),
]


@pytest.mark.parametrize(("variant", "last", "answer", "broken"), RAISES)
def test_printed_raises(variant: str, last: Bid, answer: Bid, broken: str | None) -> None:
    actions = bids(*opening_for(last), answer)
    verdict = verdict_on(table(variant, six_full_hands(), actions))
    if broken is None:
        assert verdict["verdict"] == "open"
    else:
        assert verdict["verdict"] == "illegal"
        assert verdict["at"] == len(actions) - 1
        assert broken in verdict["clauses"]


@pytest.mark.parametrize("variant", ["bga", "classic", "pressman", "italian"])
def test_no_opening_on_pacos(variant: str) -> None:
    verdict = verdict_on(table(variant, six_full_hands(), bids((2, 1))))
    assert (verdict["verdict"], verdict["clauses"]) == ("illegal", ["OPEN"])


# ---------------------------------------------------------------- bga

ABE_AND_BOB = [[5, 5, 2, 3, 4], [5, 1, 1, 6, 2]]  # 3 fives and 2 pacos


@pytest.mark.parametrize(("quantity", "loser", "left"), [(4, 1, [5, 4]), (6, 0, [4, 5])])
def test_bga_bob_doubts_abe(quantity: int, loser: int, left: list[int]) -> None:
    """DUDO, TIE, STARTER: four fives stand, six do not; the loser opens."""
    actions = [*bids((quantity, 5)), {"seat": 1, "do": "dudo"}]
    verdict = verdict_on(table("bga", ABE_AND_BOB, actions))
    assert (verdict["count"], verdict["loser"], verdict["next_starter"]) == (5, loser, loser)
    assert (verdict["dice_counts"], verdict["next_round"]) == (left, "normal")


# ---------------------------------------------------------------- classic


@pytest.mark.parametrize(("face", "worth"), [(4, 4), (5, 3), (2, 2), (3, 2), (6, 2), (1, 2)])
def test_classic_a_hand_with_two_pacos(face: int, worth: int) -> None:
    """4, 4, 1, 1, 5 holds four fours, three fives, two of each other face; the rest has none."""
    blank = 2 if face != 2 else 3
    dice = [[4, 4, 1, 1, 5], [blank] * 5, [blank] * 5]
    said = [(6, 2), (3, 1)] if face == 1 else [(6, face)]
    actions = [*bids(*said), {"seat": len(said), "do": "dudo"}]
    assert verdict_on(table("classic", dice, actions))["count"] == worth


def test_classic_precisely_ten_fives() -> None:
    """Eight, nine, ten fives, dudo, precisely ten: the orange player, who doubted, loses a die."""
    dice = [[5, 5, 1, 1, 2], [5, 5, 1, 3, 4], [5, 5, 1, 6, 2], [2, 3, 4, 6, 6]]
    actions = [*bids((8, 5), (9, 5), (10, 5)), {"seat": 3, "do": "dudo"}]
    verdict = verdict_on(table("classic", dice, actions))
    assert (verdict["count"], verdict["loser"], verdict["next_starter"]) == (10, 3, 3)
    assert verdict["dice_counts"] == [5, 5, 5, 4]


def test_classic_palifico_two_sixes() -> None:
    """PAL-LOCK: after 2 sixes come 3 sixes, 4 sixes or more, or dudo, and nothing else."""
    verdict = verdict_on(table("classic", [[6], [1, 6, 2], [1, 1, 3]], bids((2, 6)), PALIFICO))
    assert verdict["raises"] == [{"face": 6, "min": 3, "max": 15}]
    assert verdict["dudo"] is True


def test_classic_palifico_counts_no_pacos() -> None:
    """PAL-WILD: only the sixes are counted, without the pacos."""
    actions = [*bids((3, 6)), {"seat": 1, "do": "dudo"}]
    verdict = verdict_on(table("classic", [[6], [1, 6, 2], [1, 1, 3]], actions, PALIFICO))
    assert (verdict["count"], verdict["loser"]) == (2, 0)


def test_classic_palifico_may_open_on_pacos() -> None:
    verdict = verdict_on(table("classic", [[6], [1, 6, 2], [1, 1, 3]], bids((2, 1)), PALIFICO))
    assert verdict["raises"] == [{"face": 1, "min": 3, "max": 15}]


# ---------------------------------------------------------------- pressman

SEVEN_ACES = [
    [1, 2, 2, 4, 4],
    [1, 1, 6, 6, 5],
    [2, 3, 4, 5, 6],
    [1, 2, 2, 3, 5],
    [1, 1, 2, 3, 3],
    [1, 2, 4, 5, 6],
]
DEMONSTRATION = [(10, 4), (10, 6), (11, 2), (13, 2), (7, 1), (15, 2), (16, 2), (8, 1)]


def demonstration_hand() -> list[Json]:
    """Players 1 to 6 sit at seats 0 to 5; players 1 and 2 have a second call, player 3 doubts."""
    said = bids(*DEMONSTRATION)
    return [*({**bid, "seat": bid["seat"] % 6} for bid in said), {"seat": 2, "do": "dudo"}]


def test_pressman_demonstration_hand() -> None:
    verdict = verdict_on(table("pressman", SEVEN_ACES, demonstration_hand()))
    assert (verdict["count"], verdict["loser"]) == (7, 1)
    assert verdict["dice_counts"] == [5, 4, 5, 5, 5, 5]
    assert verdict["reveal_order"] == [2, 3, 4, 5, 0, 1]
    assert (verdict["next_starter"], verdict["next_round"]) == (1, "normal")


def test_pressman_demonstration_hand_in_the_printed_order() -> None:
    """Player 6 is printed before player 5: seven aces are then one too few over fifteen twos."""
    swapped = [*DEMONSTRATION[:4], DEMONSTRATION[5], DEMONSTRATION[4], *DEMONSTRATION[6:]]
    actions = [{**bid, "seat": bid["seat"] % 6} for bid in bids(*swapped)]
    verdict = verdict_on(table("pressman", SEVEN_ACES, actions))
    assert (verdict["verdict"], verdict["at"]) == ("illegal", 5)
    assert verdict["clauses"] == ["TO-PACOS"]


@pytest.mark.parametrize(("quantity", "loser"), [(7, 1), (8, 0)])
def test_pressman_seven_twos(quantity: int, loser: int) -> None:
    """Fewer than seven twos and aces: the bidder loses a die; seven or more: the doubter."""
    dice = [[2, 2, 2, 1, 1], [2, 1, 3, 4, 5]]  # 7 twos and aces
    actions = [*bids((quantity, 2)), {"seat": 1, "do": "dudo"}]
    verdict = verdict_on(table("pressman", dice, actions))
    assert (verdict["count"], verdict["loser"]) == (7, loser)


def test_pressman_palafico_two_threes() -> None:
    """PAL-LOCK: two threes can only be followed by three threes, four threes and so on."""
    verdict = verdict_on(table("pressman", [[3], [1, 3], [2, 2]], bids((2, 3)), PALIFICO))
    assert verdict["raises"] == [{"face": 3, "min": 3, "max": 15}]


def test_pressman_veteran_calls_two_fours() -> None:
    """PAL-VETERAN: it may say two fours after two threes; those after follow the fours."""
    position = table("pressman", [[3], [4], [2, 2]], bids((2, 3), (2, 4)), PALIFICO)
    verdict = verdict_on(position | {"palifico_used": [False, True, False]})
    assert verdict["raises"] == [{"face": 4, "min": 3, "max": 15}]


def test_pressman_two_left_aces_are_wild() -> None:
    """PAL-TWO: with one die each numbers can be changed and aces are still wild."""
    actions = [*bids((1, 2), (2, 3)), {"seat": 0, "do": "dudo"}]
    verdict = verdict_on(table("pressman", [[1], [3], []], actions))
    assert (verdict["count"], verdict["loser"], verdict["winner"]) == (2, 0, 1)


def test_pressman_calza_on_thirteen_fours() -> None:
    """CALZA-RIGHT: exactly thirteen dice show four or ace; a die comes back from the bag."""
    dice = [[4, 4, 4, 4, 1], [4, 4, 4, 1, 1], [4, 4, 1, 2], [2, 3, 5, 6, 6]]
    actions = [*bids((13, 4)), {"seat": 2, "do": "calza"}]
    verdict = verdict_on(table("pressman", dice, actions) | {"calza": True})
    assert (verdict["count"], verdict["gainer"], verdict["next_starter"]) == (13, 2, 2)
    assert verdict["dice_counts"] == [5, 5, 5, 5]


# ---------------------------------------------------------------- italian

# A holds two of four fours, B two fours and a paco, C two pacos, D two fives and a paco, E neither
# five nor six: 21 dice, 4 fives and 5 pacos in all.
ILLUSTRATED = [[4, 4, 5, 1], [4, 4, 1, 5], [1, 1, 2, 3], [5, 5, 1, 2], [2, 2, 3, 3, 4]]


def test_italian_illustrated_round() -> None:
    assert sum(len(hand) for hand in ILLUSTRATED) == 21
    actions = [*bids((4, 4), (6, 4), (4, 1), (9, 5)), {"seat": 4, "do": "dudo"}]
    verdict = verdict_on(table("italian", ILLUSTRATED, actions))
    assert (verdict["count"], verdict["loser"], verdict["next_starter"]) == (9, 4, 4)
    assert (verdict["dice_counts"], verdict["next_round"]) == ([4, 4, 4, 4, 4], "normal")


def test_italian_illustrated_round_three_pacos_would_do() -> None:
    verdict = verdict_on(table("italian", ILLUSTRATED, bids((4, 4), (6, 4))))
    assert verdict["raises"][0] == {"face": 1, "min": 3, "max": 25}


def test_italian_illustrated_round_nine_is_the_minimum() -> None:
    verdict = verdict_on(table("italian", ILLUSTRATED, bids((4, 4), (6, 4), (4, 1))))
    assert {"face": 5, "min": 9, "max": 25} in verdict["raises"]
