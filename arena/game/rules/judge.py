"""The verdict on a position: open, resolved or illegal, with the clauses behind it."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from arena.game.rules.books import BOOKS, FACES, MAX_PLAYERS, MIN_PLAYERS, Rules, changed
from arena.game.rules.dice import Hand
from arena.game.rules.explain import clauses_of, why_illegal_bid, why_illegal_call
from arena.game.rules.round import (
    Bid,
    Outcome,
    Raises,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    open_round,
    place,
    raises,
)
from arena.io.errors import check_known


class JudgedAction(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """An action of a seat; `with_` is the action (0-based) in the same moment, if any."""

    seat: int
    with_: int | None = field(default=None, name="with")


class BidAction(JudgedAction, tag="bid", frozen=True, kw_only=True):
    """A bid, legal or not."""

    quantity: int
    face: int


class DudoAction(JudgedAction, tag="dudo", frozen=True):
    """A doubt of the last bid."""


class CalzaAction(JudgedAction, tag="calza", frozen=True):
    """A call that the bid is exact."""


AnyAction = BidAction | DudoAction | CalzaAction


class RoundInfo(Struct, frozen=True, forbid_unknown_fields=True):
    """The kind of the round and its opener."""

    kind: Literal["normal", "palifico"]
    starter: int
    palifico_seat: int | None = None


class Position(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of input of `arena judge`: a table, its dice, and the actions in order."""

    id: Any = None
    variant: str
    overrides: dict[str, Any] = {}
    calza: bool | None = None
    """None stands for what the rules say, as for `starting_dice`."""
    starting_dice: int | None = None
    dice: tuple[tuple[int, ...], ...]
    palifico_used: tuple[bool, ...] | None = None
    round: RoundInfo
    actions: tuple[AnyAction, ...] = ()


class Open(Struct, frozen=True, tag_field="verdict", tag="open"):
    """The round goes on."""

    to_act: int
    dudo: bool
    calza: list[int]
    raises: tuple[Raises, ...]


class Resolved(Struct, frozen=True, tag_field="verdict", tag="resolved"):
    """A call settled the round."""

    count: int
    loser: int | None
    gainer: int | None
    dice_counts: tuple[int, ...]
    eliminated: list[int]
    reveal_order: list[int] | None
    next_starter: int | None
    next_round: Literal["normal", "palifico", "game_over"]
    winner: int | None
    clauses: list[str]


class IllegalVerdict(Struct, frozen=True, tag_field="verdict", tag="illegal"):
    """An action is against the rules."""

    at: int
    reason: str
    clauses: list[str]


Verdict = Open | Resolved | IllegalVerdict


class RefusedError(Exception):
    """An impossible position; the message says why."""


def judge(position: Position, books: Mapping[str, Rules] = BOOKS) -> Verdict:
    """Play a position's actions by the rules and return the verdict; `books` are those it may name.

    Raises RefusedError for an impossible position, ArenaError for an unknown variant or switch.
    """
    now = open_round(_standing(position, books))
    moments = _moments(position)
    for number, moment in enumerate(moments):
        if illegal := _illegal_in(now, position, moment):
            return illegal
        settled = _play(now, position, moment)
        if isinstance(settled, Round):
            now = settled
        elif number + 1 < len(moments):
            return IllegalVerdict(moments[number + 1][0], "the round is over", settled.clauses[:1])
        else:
            return settled
    return Open(now.to_act, now.bid is not None, sorted(calza_seats(now)), raises(now))


def _standing(position: Position, books: Mapping[str, Rules]) -> Standing:
    """Check that the position is possible, and set the table."""
    check_known(position.variant, books, f"unknown variant '{position.variant}'")
    given = {"calza": position.calza, "starting_dice": position.starting_dice}
    options = {option: value for option, value in given.items() if value is not None}
    rules = changed(books[position.variant], position.overrides, **options)
    dice = tuple(len(hand) for hand in position.dice)
    used = position.palifico_used
    if used is None:
        used = (False,) * len(dice)
    info = position.round
    standing = Standing(rules, dice, used, info.starter, info.palifico_seat)
    reason = _impossible_table(position, standing) or _impossible_round(standing, info)
    if reason:
        raise RefusedError(reason)
    return standing


def _impossible_table(position: Position, standing: Standing) -> str:
    dice, used = standing.dice, standing.palifico_used
    if not MIN_PLAYERS <= len(dice) <= MAX_PLAYERS:
        return f"{len(dice)} seats: a table has {MIN_PLAYERS} to {MAX_PLAYERS}"
    if len(used) != len(dice):
        return f"palifico_used names {len(used)} seats of {len(dice)}"
    for seat, hand in enumerate(position.dice):
        if reason := _impossible_hand(seat, hand, standing.rules.starting_dice):
            return reason
    if len(dice) - dice.count(0) < 2:
        return "fewer than two seats have dice: the game is over"
    unseated = [at for at, a in enumerate(position.actions) if not 0 <= a.seat < len(dice)]
    return f"action {unseated[0]} comes from a seat that does not exist" if unseated else ""


def _impossible_hand(seat: int, hand: Hand, start: int) -> str:
    if len(hand) > start:
        return f"seat {seat} has {len(hand)} dice, but the game started with {start}"
    impossible = [face for face in hand if not 1 <= face <= FACES]
    return f"seat {seat} has a die that shows {impossible[0]}" if impossible else ""


def _impossible_round(standing: Standing, info: RoundInfo) -> str:
    if not 0 <= info.starter < len(standing.dice):
        return f"there is no seat {info.starter} to start"
    if not standing.dice[info.starter]:
        return f"seat {info.starter} is to start but has no dice"
    if info.kind == "normal":
        return "" if info.palifico_seat is None else "a normal round has no palifico seat"
    return _impossible_palifico(standing, info)


def _impossible_palifico(standing: Standing, info: RoundInfo) -> str:
    seat = info.palifico_seat
    if seat is None or not 0 <= seat < len(standing.dice):
        return "a palifico round needs its palifico seat"
    if standing.dice[seat] != 1:
        return f"palifico seat {seat} has {standing.dice[seat]} dice, not one"
    if seat != info.starter:
        return f"a palifico round is opened by its palifico seat {seat}, not by {info.starter}"
    if not standing.rules.palifico:
        return "no palifico rounds are played (PAL-TRIGGER)"
    if standing.palifico_used[seat] and standing.rules.palifico_once:
        return f"seat {seat} had its one palifico round before (PAL-ONCE)"
    if standing.alive == 2 and not standing.rules.palifico_with_two_left:
        return "with two players left no palifico round is played (PAL-TWO)"
    return ""


def _moments(position: Position) -> list[list[int]]:
    """Group the actions of the same moment, in the order of their first actions."""
    groups: dict[int, list[int]] = {}
    for at in range(len(position.actions)):
        groups.setdefault(_moment_of(position, at), []).append(at)
    return [groups[root] for root in sorted(groups)]


def _moment_of(position: Position, at: int) -> int:
    root, passed = at, {at}
    while (other := position.actions[root].with_) is not None:
        if not 0 <= other < len(position.actions) or other in passed:
            msg = f'action {at}: "with" must lead to another action'
            raise RefusedError(msg)
        passed.add(other)
        root = other
    return root


def _illegal_in(now: Round, position: Position, moment: list[int]) -> IllegalVerdict | None:
    acted: set[int] = set()
    for at in moment:
        action = position.actions[at]
        if isinstance(action, BidAction):
            bid = Bid(action.quantity, action.face)
            illegality = why_illegal_bid(now, action.seat, bid)
        else:
            call: Literal["dudo", "calza"] = "dudo" if isinstance(action, DudoAction) else "calza"
            illegality = why_illegal_call(now, action.seat, call)
        if illegality is None and action.seat in acted:
            illegality = f"seat {action.seat} cannot do two things in one moment", ["TURN"]
        if illegality:
            return IllegalVerdict(at, *illegality)
        acted.add(action.seat)
    return None


def _play(now: Round, position: Position, moment: list[int]) -> Round | Resolved:
    """Apply those legal actions of a moment that count (CALZA-WHEN, CALZA-MANY)."""
    actions = [position.actions[at] for at in moment]
    callers = {a.seat for a in actions if isinstance(a, CalzaAction)}
    on_turn = next((a for a in actions if not isinstance(a, CalzaAction)), None)
    contested = ["CALZA-WHEN"] if callers and on_turn else []
    if callers and (on_turn is None or now.standing.rules.calza_beats_turn):
        first = next(seat for seat in calza_seats(now) if seat in callers)
        many = ["CALZA-MANY"] if len(callers) > 1 else []
        return _resolved(now, calza(now, position.dice, first), [*contested, *many])
    if isinstance(on_turn, BidAction):
        return place(now, Bid(on_turn.quantity, on_turn.face))
    return _resolved(now, dudo(now, position.dice), contested)


def _resolved(now: Round, outcome: Outcome, contested: list[str]) -> Resolved:
    before, after = now.standing, outcome.after
    over = after.winner is not None
    palifico = after.palifico_seat is not None
    return Resolved(
        count=outcome.count,
        loser=outcome.loser,
        gainer=outcome.gainer,
        dice_counts=after.dice,
        eliminated=[s for s, left in enumerate(after.dice) if before.dice[s] and not left],
        reveal_order=reveal_order(now, outcome.caller),
        next_starter=None if over else after.opener,
        next_round="game_over" if over else "palifico" if palifico else "normal",
        winner=after.winner,
        clauses=clauses_of(now, outcome, contested),
    )


def reveal_order(now: Round, caller: int) -> list[int] | None:
    """Return the seats in the order in which they uncover, or None if there is none (REVEAL)."""
    if now.standing.rules.reveal != "caller_first":
        return None
    players = len(now.standing.dice)
    around = [(caller + step) % players for step in range(players)]
    shown = [seat for seat in around if now.standing.dice[seat] and seat != now.bidder]
    return [*shown, *([] if now.bidder is None else [now.bidder])]
