"""The rules of Perudo read a second time, from the clauses alone, to check the engine against.

Everything here is decided the slow way: a bid is legal or not by a predicate over two bids, and
ranges, verdicts and counts are made by asking that predicate about everything there is. Positions
and verdicts are plain dicts in the format of `arena judge`.
"""

from tests.oracle.bidding import (
    BOOKS,
    FACES,
    Json,
    Table,
    book_of,
    calza_is_legal,
    legal_now,
    ranges,
)


class CannotBeError(Exception):
    """The position is one that no game reaches."""


class NotAllowedError(Exception):
    """The action breaks a clause; the message names it."""


# ---------------------------------------------------------------- what a call comes to


def count_dice(table: Table) -> int:
    """How many dice of all seats match the bid; pacos are wild outside a palifico round."""
    assert table.bid is not None
    face = table.bid[1]
    wild = table.palifico_seat is None and table.book.pacos_wild
    matching = [face, 1] if wild else [face]
    return sum(die in matching for dice in table.dice for die in dice)


def reveal_order(table: Table, caller: int) -> list[int] | None:
    if table.book.reveal != "caller_first":
        return None
    between = [seat for seat in table.after(caller) if seat not in (caller, table.bidder)]
    assert table.bidder is not None
    first = [] if caller == table.bidder else [caller]
    return [*first, *between, table.bidder]


def falls_into_palifico(table: Table, loser: int, left: list[int]) -> bool:
    """Whether `loser`, who went from `left[loser] + 1` dice to `left[loser]`, has palifico next."""
    if left[loser] != 1 or not table.book.palifico:
        return False  # PAL-TRIGGER
    if table.book.palifico_once and table.used[loser]:
        return False  # PAL-ONCE
    players = sum(count > 0 for count in left)
    return players > 2 or table.book.palifico_with_two_left  # PAL-TWO


def settle(table: Table, caller: int, winner: int, loser: int | None, gainer: int | None) -> None:
    left = [len(dice) for dice in table.dice]
    if loser is not None:
        left[loser] -= 1
    if gainer is not None:
        left[gainer] += 1
    out = [] if loser is None or left[loser] > 0 else [loser]
    survivors = [seat for seat, count in enumerate(left) if count > 0]
    over = len(survivors) == 1
    palifico = loser is not None and falls_into_palifico(table, loser, left)
    opener = next_opener(table, winner, caller if loser is None else loser)
    if palifico:
        assert loser is not None
        opener = loser  # PAL-TRIGGER
    if opener in out:
        opener = next(seat for seat in table.after(opener) if seat in survivors)  # OUT
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


def next_opener(table: Table, winner: int, loser: int) -> int:
    """Who opens by STARTER or CALZA-START, perhaps without dice by now."""
    if table.book.next_opener == "winner":
        return winner
    if table.book.next_opener == "left":
        assert table.opener is not None
        return table.after(table.opener)[0]
    return loser


def call_dudo(table: Table) -> None:
    assert table.bid is not None
    stands = count_dice(table) >= table.bid[0]  # TIE
    assert table.bidder is not None
    loser, winner = (table.to_act, table.bidder) if stands else (table.bidder, table.to_act)
    settle(table, table.to_act, winner, loser, None)


def call_calza(table: Table, caller: int) -> None:
    assert table.bid is not None
    if count_dice(table) != table.bid[0]:
        assert table.bidder is not None
        settle(table, caller, table.bidder, caller, None)  # CALZA-WRONG
    elif len(table.dice[caller]) < table.starting_dice:
        settle(table, caller, caller, None, caller)  # CALZA-RIGHT
    else:
        settle(table, caller, caller, None, None)


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
    refuse_unless(position["variant"] in BOOKS, "variant")
    refuse_unless(2 <= len(dice) <= 6, "seats")
    refuse_unless(len(used) == len(dice), "palifico_used")
    refuse_unless(all(len(hand) <= start for hand in dice), "more dice than the start")
    refuse_unless(all(die in FACES for hand in dice for die in hand), "a face that is no face")
    refuse_unless(sum(len(hand) > 0 for hand in dice) >= 2, "nobody to play with")
    refuse_unless(0 <= starter < len(dice) and len(dice[starter]) > 0, "starter")
    table = Table(
        book=book_of(position),
        calza=position["calza"],
        starting_dice=start,
        dice=dice,
        used=used,
        palifico_seat=palifico,
        to_act=starter,
        cap=start * len(dice),
        opener=starter,
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
    refuse_unless(table.book.palifico, "PAL-TRIGGER")
    if not table.book.palifico_with_two_left:
        refuse_unless(len(table.alive()) > 2, "PAL-TWO")
    if table.book.palifico_once:
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
        allowed = seat == table.to_act and (action["quantity"], action["face"]) in legal_now(table)
    if not allowed:
        raise NotAllowedError(action["do"])


def check_first(actions: list[Json], earlier: list[int], index: int) -> None:
    """A seat can do one thing in a moment."""
    if actions[index]["seat"] in [actions[other]["seat"] for other in earlier]:
        raise NotAllowedError("twice in one moment")


def play_moment(table: Table, together: list[Json]) -> None:
    """Play legal actions of one moment: one of them counts, by CALZA-WHEN and CALZA-MANY."""
    calzas = [action for action in together if action["do"] == "calza"]
    others = [action for action in together if action["do"] != "calza"]
    if calzas and (table.book.calza_beats_turn or not others):
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
    return {
        "verdict": "open",
        "to_act": table.to_act,
        "dudo": table.bid is not None,
        "calza": [seat for seat in range(len(table.dice)) if calza_is_legal(table, seat)],
        "raises": ranges(legal_now(table)),
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
        for place, index in enumerate(group):
            try:
                check(table, actions[index])
                check_first(actions, group[:place], index)
            except NotAllowedError:
                return name | {"verdict": "illegal", "at": index}
        play_moment(table, [actions[index] for index in group])
    return name | (table.result or open_verdict(table))


# ---------------------------------------------------------------- counting


def count_from(table: Table) -> int:
    """How many non-empty sequences of bids go on from the table as it is, one by one."""
    found = 0
    before = (table.bid, table.bidder, table.to_act)
    for bid in legal_now(table):
        table.bid, table.bidder = bid, table.to_act
        table.to_act = table.after(table.to_act)[0]
        found += 1 + count_from(table)
        table.bid, table.bidder, table.to_act = before
    return found


def count_sequences(variant: str, players: int, starting_dice: int, kind: str) -> int:
    """How many non-empty bid sequences a round of `kind` has from its opening by seat 0."""
    hands = [[1] * starting_dice for _ in range(players)]
    palifico = 0 if kind == "palifico" else None
    table = Table(
        book=BOOKS[variant],
        calza=False,
        starting_dice=starting_dice,
        dice=hands,
        used=[False] * players,
        palifico_seat=palifico,
        to_act=0,
        cap=players * starting_dice,
    )
    return count_from(table)
