"""Random positions for `arena judge`: possible tables, mostly legal actions, some that are not.

A position is built one action at a time against the oracle, so that legal play goes deep into a
round; about one action in five is drawn without asking whether it is legal.
"""

from random import Random
from typing import Any

from tests.oracle import oracle
from tests.oracle.bidding import BOOKS, Json, book_of

ILLEGAL_SHARE = 0.2
CANNOT_BE_SHARE = 0.03
OVERRIDDEN_SHARE = 0.25
REVEALS = ("unstated", "caller_first", "at_once")
OPENERS = ("random", "highest_roll")
NEXT = ("loser", "winner", "left")


def random_position(variant: str, rng: Random) -> Json:
    """A position of `variant`: seats, hands and round at random, then up to some 12 actions."""
    position = random_table(variant, rng)
    if rng.random() < CANNOT_BE_SHARE:
        spoil(position, rng)
    for _ in range(rng.choice((0, 1, 2, 3, 4, 6, 8, 12))):
        so_far = oracle.judge(position)
        if so_far["verdict"] == "open":
            position["actions"] += next_moment(position, so_far, rng)
        elif so_far["verdict"] == "resolved" and rng.random() < ILLEGAL_SHARE:
            position["actions"].append(any_action(position, so_far, rng))
        else:
            break
    return position


def random_table(variant: str, rng: Random) -> Json:
    seats, start = rng.randint(2, 6), rng.choice((1, 2, 3, 4, 5, 5, 10))
    sizes = [random_size(start, rng) for _ in range(seats)]
    first, second = rng.sample(range(seats), 2)
    sizes[first], sizes[second] = max(sizes[first], 1), max(sizes[second], 1)
    used = [rng.random() < (0.7 if size <= 1 else 0.2) for size in sizes]
    faces = rng.choice(((1, 2, 3, 4, 5, 6), (1, 4, 5), (1, 2)))
    position = {
        "id": "",
        "variant": variant,
        "overrides": random_overrides(rng) if rng.random() < OVERRIDDEN_SHARE else {},
        "calza": rng.random() < 0.6,
        "starting_dice": start,
        "dice": [sorted(rng.choices(faces, k=size)) for size in sizes],
        "palifico_used": used,
        "round": {"kind": "normal", "starter": first, "palifico_seat": None},
        "actions": [],
    }
    if start > 1 and rng.random() < 0.4:
        make_palifico(position, rng)
    return position


def random_overrides(rng: Random) -> Json:
    """One to all of the rules on which the books differ, each anew at random."""
    names = sorted(vars(BOOKS["bga"]))
    return {name: random_value(name, rng) for name in rng.sample(names, rng.randint(1, len(names)))}


def random_value(name: str, rng: Random) -> object:
    known = {"reveal": REVEALS, "first_opener": OPENERS, "next_opener": NEXT}
    return rng.choice(known.get(name, (False, True)))


def random_size(start: int, rng: Random) -> int:
    """0 to `start` dice; single dice and empty cups are common."""
    return rng.choice((0, 1, 1, 1, rng.randint(1, start), rng.randint(1, start)))


def make_palifico(position: Json, rng: Random) -> None:
    """Make the starter the palifico seat; one time in ten it may have had its palifico before."""
    seat = position["round"]["starter"]
    position["dice"][seat] = position["dice"][seat][:1]
    position["palifico_used"][seat] = rng.random() < 0.1
    position["round"] = {"kind": "palifico", "starter": seat, "palifico_seat": seat}


def spoil(position: Json, rng: Random) -> None:
    """Make the table impossible in one of the ways that the format names."""
    seat, other = rng.sample(range(len(position["dice"])), 2)
    starter = position["round"]["starter"]
    palifico = {"kind": "palifico", "starter": seat, "palifico_seat": other}
    changes: list[tuple[list[Any], object]] = [
        (["dice", seat], [2] * (position["starting_dice"] + 1)),
        (["dice", seat], [rng.choice((0, 7))]),
        (["dice", starter], []),
        (["dice"], [[4] if place == starter else [] for place in range(len(position["dice"]))]),
        (["dice"], [[1], [2], [3], [4], [5], [6], [1]]),
        (["palifico_used"], [False] * (len(position["dice"]) - 1)),
        (["round", "starter"], len(position["dice"])),
        (["round"], palifico),
        (["round"], palifico | {"palifico_seat": None}),
        (["round"], palifico | {"palifico_seat": seat}),
        (["round"], palifico | {"kind": "normal"}),
    ]
    path, value = rng.choice(changes)
    parent: Any = position if len(path) == 1 else position[path[0]]
    parent[path[-1]] = value


def next_moment(position: Json, so_far: Json, rng: Random) -> list[Json]:
    """The next actions, one of the seat on turn or a calza, or several of the same moment."""
    if rng.random() < ILLEGAL_SHARE:
        return [any_action(position, so_far, rng)]
    callers = list(so_far["calza"])
    if not callers or rng.random() < 0.65:
        together = [turn_action(position, so_far, rng)]
        callers = [seat for seat in callers if seat != so_far["to_act"]]
    else:
        together = [calza_by(callers.pop(rng.randrange(len(callers))))]
    rng.shuffle(callers)
    if position["calza"] and rng.random() < 0.3:
        together += [calza_by(seat) for seat in callers[: rng.randint(1, 3)]]
        together += stray_calza(position, so_far, together, rng)
    rng.shuffle(together)
    return tie_together(together, len(position["actions"]), rng)


def turn_action(position: Json, so_far: Json, rng: Random) -> Json:
    """A legal action of the seat on turn: often the lowest raise or a bid that is exact."""
    if so_far["dudo"] and (not so_far["raises"] or rng.random() < 0.15):
        return {"seat": so_far["to_act"], "do": "dudo"}
    span = rng.choice(so_far["raises"])
    near = min(span["max"], span["min"] + rng.randint(0, 2))
    anywhere = rng.randint(span["min"], span["max"])
    quantity = rng.choice((span["min"], near, anywhere, exact_bid(position, span)))
    return bid_by(so_far["to_act"], quantity, span["face"])


def exact_bid(position: Json, span: Json) -> int:
    """Return the number of dice of the face, or the lowest raise if that is too few."""
    plain = position["round"]["kind"] == "palifico" or not book_of(position).pacos_wild
    wild = () if plain else (1,)
    count = sum(die in (span["face"], *wild) for hand in position["dice"] for die in hand)
    return count if span["min"] <= count <= span["max"] else int(span["min"])


def stray_calza(position: Json, so_far: Json, together: list[Json], rng: Random) -> list[Json]:
    """Now and then a calza more, of a seat that may not call it."""
    busy = [action["seat"] for action in together]
    idle = [seat for seat in range(len(position["dice"])) if seat not in busy]
    idle = [seat for seat in idle if seat not in so_far["calza"]]
    if not idle or rng.random() > 0.2:
        return []
    return [calza_by(rng.choice(idle))]


def tie_together(together: list[Json], first: int, rng: Random) -> list[Json]:
    """The actions with their `with`: each names the first of the moment or one in between."""
    for place, action in enumerate(together):
        if place > 0:
            action["with"] = first + rng.choice((0, rng.randrange(place)))
    return together


def any_action(position: Json, so_far: Json, rng: Random) -> Json:
    """Return a random action, legal or not: any seat, any bid up to above the cap."""
    seats = len(position["dice"])
    on_turn = so_far.get("to_act", 0)
    seat = on_turn if rng.random() < 0.7 else rng.randrange(seats)
    kind = rng.random()
    if kind < 0.02:
        return rng.choice((bid_by(seat, 1, 7), bid_by(seat, 0, 2), calza_by(seats)))
    if kind < 0.04:
        return calza_by(seat) | {"with": rng.randint(0, len(position["actions"]) + 1)}
    if kind < 0.15:
        return {"seat": seat, "do": "dudo"}
    if kind < 0.4:
        return calza_by(rng.randrange(seats))
    cap = position["starting_dice"] * seats
    quantity = rng.choice((rng.randint(1, cap), near_bid(so_far, rng), cap + rng.randint(0, 2)))
    return bid_by(seat, max(1, quantity), rng.randint(1, 6))


def near_bid(so_far: Json, rng: Random) -> int:
    """Return a quantity at or next to the edge of a legal range, to find off-by-one errors."""
    if not so_far.get("raises"):
        return rng.randint(1, 5)
    span = rng.choice(so_far["raises"])
    edge: int = rng.choice((span["min"], span["max"]))
    return edge + rng.randint(-1, 1)


def bid_by(seat: int, quantity: int, face: int) -> Json:
    return {"seat": seat, "do": "bid", "quantity": quantity, "face": face}


def calza_by(seat: int) -> Json:
    return {"seat": seat, "do": "calza"}
