"""The rules of Perudo read a second time, from the clauses alone, to check the engine against.

Everything here is decided the slow way: a bid is legal or not by a predicate over two bids, and
ranges, verdicts and counts are made by asking that predicate about everything there is. Positions
and verdicts are plain dicts in the format of `arena judge`.
"""

from dataclasses import dataclass, field
from typing import Any

VARIANTS = ("bga", "classic", "pressman", "italian")
FACES = range(1, 7)

Json = dict[str, Any]
Bid = tuple[int, int]  # quantity, face


class CannotBeError(Exception):
    """The position is one that no game reaches."""


class NotAllowedError(Exception):
    """The action breaks a clause; the message names it."""


@dataclass
class Table:
    """One round while it is replayed. `dice` are the faces of each seat, `cap` the highest bid."""

    variant: str
    calza: bool
    starting_dice: int
    dice: list[list[int]]
    used: list[bool]
    palifico_seat: int | None
    to_act: int
    cap: int
    bid: Bid | None = None
    bidder: int | None = None
    result: Json | None = field(default=None)

    def alive(self) -> list[int]:
        return [seat for seat, dice in enumerate(self.dice) if dice]

    def after(self, seat: int) -> list[int]:
        """The seats with dice in turn order, from the one to the left of `seat` round to it."""
        size = len(self.dice)
        order = [(seat + step) % size for step in range(1, size + 1)]
        return [other for other in order if self.dice[other]]


# ---------------------------------------------------------------- what may be bid


def bid_fits(variant: str, before: Bid | None, new: Bid) -> bool:
    """Whether `new` may answer `before` in a normal round, the cap aside."""
    quantity, face = new
    if before is None:
        return face != 1  # OPEN
    old_quantity, old_face = before
    if old_face == 1 and face == 1:
        return quantity > old_quantity  # PACOS-UP
    if old_face == 1:
        return quantity >= 2 * old_quantity + 1  # FROM-PACOS
    if face == 1:
        return quantity >= old_quantity / 2  # TO-PACOS
    if variant == "pressman":  # RAISE-QTY, RAISE-FACE, RAISE-BOTH, RAISE-DOWN
        return quantity > old_quantity or (quantity == old_quantity and face > old_face)
    more_dice = quantity > old_quantity and face == old_face
    higher_face = quantity == old_quantity and face > old_face
    return more_dice or higher_face


def palifico_bid_fits(before: Bid | None, new: Bid, veteran: bool) -> bool:
    """Whether `new` may answer `before` in a palifico round, the cap aside."""
    if before is None:
        return True  # OPEN: the palifico player opens, on pacos if it likes
    if new[1] == before[1]:
        return new[0] > before[0]  # PAL-LOCK
    return veteran and new[1] > before[1] and new[0] >= before[0]  # PAL-VETERAN


def is_veteran(table: Table, seat: int) -> bool:
    return (
        table.variant == "pressman"
        and table.used[seat]
        and len(table.dice[seat]) == 1
        and seat != table.palifico_seat
    )


def bid_is_legal(table: Table, new: Bid) -> bool:
    """Whether the seat on turn may bid `new` now."""
    if not 1 <= new[0] <= table.cap or new[1] not in FACES:
        return False  # OVER-TOTAL
    if table.palifico_seat is None:
        return bid_fits(table.variant, table.bid, new)
    return palifico_bid_fits(table.bid, new, is_veteran(table, table.to_act))


def calza_is_legal(table: Table, seat: int) -> bool:
    if not table.calza or table.bid is None or not table.dice[seat] or seat == table.bidder:
        return False
    if table.variant == "bga":
        return True
    if table.palifico_seat is not None or len(table.alive()) == 2:
        return False  # CALZA-PAL, CALZA-TWO
    return table.variant == "classic" or seat != table.to_act  # CALZA-WHO


# ---------------------------------------------------------------- what a call comes to


def count_dice(table: Table) -> int:
    """How many dice of all seats match the bid; pacos are wild outside a palifico round."""
    assert table.bid is not None
    face = table.bid[1]
    matching = [face] if table.palifico_seat is not None else [face, 1]
    return sum(die in matching for dice in table.dice for die in dice)


def reveal_order(table: Table, caller: int) -> list[int] | None:
    if table.variant != "pressman":
        return None
    between = [seat for seat in table.after(caller) if seat not in (caller, table.bidder)]
    assert table.bidder is not None
    return [caller, *between, table.bidder]


def falls_into_palifico(table: Table, loser: int, left: list[int]) -> bool:
    """Whether `loser`, who went from `left[loser] + 1` dice to `left[loser]`, has palifico next."""
    if left[loser] != 1:
        return False
    if table.variant in ("bga", "pressman") and table.used[loser]:
        return False  # PAL-ONCE
    players = sum(count > 0 for count in left)
    return not (table.variant == "pressman" and players == 2)  # PAL-TWO


def settle(table: Table, caller: int, loser: int | None, gainer: int | None) -> None:
    left = [len(dice) for dice in table.dice]
    opener = caller
    if loser is not None:
        left[loser] -= 1
        opener = loser
    if gainer is not None:
        left[gainer] += 1
    out = [] if loser is None or left[loser] > 0 else [loser]
    if out:
        opener = table.after(opener)[0]
    survivors = [seat for seat, count in enumerate(left) if count > 0]
    over = len(survivors) == 1
    palifico = loser is not None and falls_into_palifico(table, loser, left)
    table.result = {
        "verdict": "resolved",
        "count": count_dice(table),
        "loser": loser,
        "gainer": gainer,
        "dice_counts": left,
        "eliminated": out,
        "reveal_order": reveal_order(table, caller),
        "next_starter": None if over else opener,
        "next_round": "game_over" if over else "palifico" if palifico else "normal",
        "winner": survivors[0] if over else None,
    }


def call_dudo(table: Table) -> None:
    assert table.bid is not None
    stands = count_dice(table) >= table.bid[0]  # TIE
    settle(table, table.to_act, table.to_act if stands else table.bidder, None)


def call_calza(table: Table, caller: int) -> None:
    assert table.bid is not None
    if count_dice(table) != table.bid[0]:
        settle(table, caller, caller, None)  # CALZA-WRONG
    elif len(table.dice[caller]) < table.starting_dice:
        settle(table, caller, None, caller)  # CALZA-RIGHT
    else:
        settle(table, caller, None, None)


# ---------------------------------------------------------------- the position


def refuse_unless(possible: bool, reason: str) -> None:
    if not possible:
        raise CannotBeError(reason)


def set_table(position: Json) -> Table:
    """The table before the first action.

    Raises:
        CannotBeError: no game comes to this position.
    """
    dice, start = position["dice"], position["starting_dice"]
    starter, palifico = position["round"]["starter"], position["round"]["palifico_seat"]
    used = position.get("palifico_used") or [False] * len(dice)
    refuse_unless(position["variant"] in VARIANTS, "variant")
    refuse_unless(2 <= len(dice) <= 6, "seats")
    refuse_unless(len(used) == len(dice), "palifico_used")
    refuse_unless(all(len(hand) <= start for hand in dice), "more dice than the start")
    refuse_unless(all(die in FACES for hand in dice for die in hand), "a face that is no face")
    refuse_unless(sum(len(hand) > 0 for hand in dice) >= 2, "nobody to play with")
    refuse_unless(0 <= starter < len(dice) and len(dice[starter]) > 0, "starter")
    table = Table(
        variant=position["variant"],
        calza=position["calza"],
        starting_dice=start,
        dice=dice,
        used=used,
        palifico_seat=palifico,
        to_act=starter,
        cap=start * len(dice),
    )
    refuse_bad_kind(table, position["round"]["kind"], starter)
    for action in position["actions"]:
        refuse_unless(0 <= action["seat"] < len(dice), "no such seat")
    return table


def refuse_bad_kind(table: Table, kind: str, starter: int) -> None:
    seat = table.palifico_seat
    if kind == "normal":
        refuse_unless(seat is None, "a palifico seat in a normal round")
        return
    refuse_unless(kind == "palifico" and seat == starter, "palifico seat opens")
    refuse_unless(len(table.dice[starter]) == 1, "palifico seat has one die")
    if table.variant == "pressman":
        refuse_unless(len(table.alive()) > 2, "PAL-TWO")
    if table.variant in ("bga", "pressman"):
        refuse_unless(not table.used[starter], "PAL-ONCE")


def moment_of(actions: list[Json], index: int) -> int:
    """The action that `index` happens with, in the end; its place is the place of the moment."""
    seen = [index]
    while (partner := actions[seen[-1]].get("with")) is not None:
        refuse_unless(0 <= partner < len(actions) and partner not in seen, "with leads nowhere")
        seen.append(partner)
    return seen[-1]


def moments(actions: list[Json]) -> list[list[int]]:
    """The indices of the actions, those of one moment together, in order."""
    roots = [moment_of(actions, index) for index in range(len(actions))]
    grouped = [[at for at, root in enumerate(roots) if root == n] for n in range(len(actions))]
    return [group for group in grouped if group]


def check(table: Table, action: Json) -> None:
    """Raise NotAllowedError when the action is not legal on the table as it is."""
    if table.result is not None:
        raise NotAllowedError("the round is settled")
    seat = action["seat"]
    if action["do"] == "calza":
        allowed = calza_is_legal(table, seat)
    elif action["do"] == "dudo":
        allowed = seat == table.to_act and table.bid is not None
    else:
        allowed = seat == table.to_act and bid_is_legal(table, (action["quantity"], action["face"]))
    if not allowed:
        raise NotAllowedError(action["do"])


def play_moment(table: Table, together: list[Json]) -> None:
    """Play legal actions of one moment: one of them counts, by CALZA-WHEN and CALZA-MANY."""
    calzas = [action for action in together if action["do"] == "calza"]
    others = [action for action in together if action["do"] != "calza"]
    if calzas and (table.variant != "italian" or not others):
        assert table.bidder is not None
        callers = {action["seat"] for action in calzas}
        call_calza(table, next(seat for seat in table.after(table.bidder) if seat in callers))
    elif others[0]["do"] == "dudo":
        call_dudo(table)
    else:
        table.bid = (others[0]["quantity"], others[0]["face"])
        table.bidder = table.to_act
        table.to_act = table.after(table.bidder)[0]


def open_verdict(table: Table) -> Json:
    raises = []
    for face in FACES:
        legal = [n for n in range(1, table.cap + 1) if bid_is_legal(table, (n, face))]
        if legal:
            assert legal == list(range(legal[0], legal[-1] + 1))
            raises.append({"face": face, "min": legal[0], "max": legal[-1]})
    return {
        "verdict": "open",
        "to_act": table.to_act,
        "dudo": table.bid is not None,
        "calza": [seat for seat in range(len(table.dice)) if calza_is_legal(table, seat)],
        "raises": raises,
    }


def judge(position: Json) -> Json:
    """The verdict on `position`, without the texts (`reason`, `clauses`)."""
    name = {"id": position.get("id")}
    actions = position["actions"]
    try:
        table = set_table(position)
        groups = moments(actions)
    except CannotBeError:
        return name | {"verdict": "refused"}
    for group in groups:
        for index in group:
            try:
                check(table, actions[index])
            except NotAllowedError:
                return name | {"verdict": "illegal", "at": index}
        play_moment(table, [actions[index] for index in group])
    return name | (table.result or open_verdict(table))


# ---------------------------------------------------------------- counting


def count_from(table: Table) -> int:
    """How many non-empty sequences of bids go on from the table as it is, one by one."""
    found = 0
    before = (table.bid, table.bidder, table.to_act)
    for quantity in range(1, table.cap + 1):
        for face in FACES:
            if not bid_is_legal(table, (quantity, face)):
                continue
            table.bid, table.bidder = (quantity, face), table.to_act
            table.to_act = table.after(table.to_act)[0]
            found += 1 + count_from(table)
            table.bid, table.bidder, table.to_act = before
    return found


def count_sequences(variant: str, players: int, starting_dice: int, kind: str) -> int:
    """How many non-empty bid sequences a round of `kind` has from its opening by seat 0."""
    hands = [[1] * starting_dice for _ in range(players)]
    palifico = 0 if kind == "palifico" else None
    table = Table(
        variant=variant,
        calza=False,
        starting_dice=starting_dice,
        dice=hands,
        used=[False] * players,
        palifico_seat=palifico,
        to_act=0,
        cap=players * starting_dice,
    )
    return count_from(table)
