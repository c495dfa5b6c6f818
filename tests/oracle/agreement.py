"""The engine and the oracle at the same position or in the same game, compared step by step."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from random import Random

import msgspec

from arena.game.rules.books import BOOKS, Rules, changed
from arena.game.rules.judge import Position, RefusedError, judge
from arena.game.rules.round import (
    Bid,
    Outcome,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    open_round,
    place,
    raises,
)
from arena.league.terms.house import load_house
from tests.oracle import oracle
from tests.oracle.bidding import Json
from tests.oracle.random_games import PlayedRound, random_game
from tests.oracle.random_positions import random_position

EXAMPLES = Path(__file__).parents[2] / "examples" / "houses"
HOUSES = [load_house(path) for path in EXAMPLES.glob("*.yaml") if path.stem != "league"]
KNOWN: dict[str, Rules] = {**BOOKS, **{rules.name: rules for rules in HOUSES}}
"""The books of the engine: those that ship with it, and the houses of the examples."""


class DisagreementError(Exception):
    """The engine and the oracle do not say the same."""


def compare_position(variant: str, seed: str) -> None:
    """Let both judge the random position of that seed.

    Raises:
        DisagreementError: their verdicts differ. Whatever is raised has the position as its note.
    """
    position = random_position(variant, Random(seed)) | {"id": seed}
    with showing(position):
        compare_verdict(position, oracle.judge(position))


def compare_game(variant: str, seed: str) -> int:
    """Let the engine play along with the oracle's random game of that seed; returns its rounds.

    Raises:
        DisagreementError: as `compare_position`, and if the games diverge.
    """
    return play_along(random_game(variant, Random(seed)))


@contextmanager
def showing(position: Json) -> Iterator[None]:
    """Add the position to any error as a note."""
    try:
        yield
    except Exception as error:
        error.add_note(json.dumps(position))
        raise


def same(what: str, engine: object, expected: object) -> None:
    if engine != expected:
        raise DisagreementError(f"{what}\noracle: {expected}\nengine: {engine}")


# ---------------------------------------------------------------- verdicts


def compare_verdict(position: Json, expected: Json) -> None:
    engine = engine_verdict(position)
    same("verdict", without_texts(engine), without_texts(expected))
    if engine["verdict"] in ("illegal", "resolved"):
        same("names clauses", bool(engine["clauses"]), True)


def engine_verdict(position: Json) -> Json:
    """Return the engine's verdict; a position is refused in either of two ways."""
    try:
        verdict = judge(msgspec.convert(position, Position), KNOWN)
    except (RefusedError, msgspec.ValidationError):
        return {"verdict": "refused"}
    plain: Json = msgspec.json.decode(msgspec.json.encode(verdict))
    return plain


def without_texts(verdict: Json) -> Json:
    return {key: verdict[key] for key in verdict if key not in ("id", "reason", "clauses")}


# ---------------------------------------------------------------- whole games


def play_along(game: Iterator[PlayedRound]) -> int:
    """Play the oracle's game with the engine and its own standing; return the number of rounds."""
    first = next(game)
    rules = rules_in(first.position)
    seats, starter = len(first.position["dice"]), first.position["round"]["starter"]
    standing = first_standing(rules, seats, starter)
    rounds = 0
    for played in chain([first], game):
        with showing(played.position):
            same("standing", standing, standing_in(played.position, rules))
            compare_verdict(played.position, played.result)
            standing = play_along_round(standing, played)
            same("winner", standing.winner, played.result["winner"])
        rounds += 1
    return rounds


def rules_in(position: Json) -> Rules:
    options = {key: position[key] for key in ("calza", "starting_dice")}
    return changed(KNOWN[position["variant"]], position["overrides"], **options)


def standing_in(position: Json, rules: Rules) -> Standing:
    kind = position["round"]
    return Standing(
        rules,
        tuple(len(hand) for hand in position["dice"]),
        tuple(position["palifico_used"]),
        kind["starter"],
        kind["palifico_seat"],
    )


def play_along_round(standing: Standing, played: PlayedRound) -> Standing:
    """Repeat a round's actions, compare the options before each moment, return the standing."""
    hands = tuple(tuple(hand) for hand in played.position["dice"])
    now: Round | Outcome = open_round(standing)
    for so_far, together in zip(played.opens, played.moments, strict=True):
        if not isinstance(now, Round):
            raise DisagreementError("the engine thinks that the round is over")
        same("open", open_in(now), so_far)
        now = play_moment(now, hands, together)
    if not isinstance(now, Outcome):
        raise DisagreementError("the engine thinks that the round goes on")
    settled = (now.count, now.loser, now.gainer, list(now.after.dice))
    expected = tuple(played.result[key] for key in ("count", "loser", "gainer", "dice_counts"))
    same("settled", settled, expected)
    return now.after


def open_in(now: Round) -> Json:
    return {
        "verdict": "open",
        "to_act": now.to_act,
        "dudo": now.bid is not None,
        "calza": sorted(calza_seats(now)),
        "raises": [{"face": r.face, "min": r.min, "max": r.max} for r in raises(now)],
    }


def play_moment(
    now: Round, hands: tuple[tuple[int, ...], ...], together: list[Json]
) -> Round | Outcome:
    """Let the engine decide which action of a moment counts."""
    callers = {action["seat"] for action in together if action["do"] == "calza"}
    on_turn = next((action for action in together if action["do"] != "calza"), None)
    if callers and (on_turn is None or now.standing.rules.calza_beats_turn):
        return calza(now, hands, next(seat for seat in calza_seats(now) if seat in callers))
    if on_turn is None or on_turn["do"] == "dudo":
        return dudo(now, hands)
    return place(now, Bid(on_turn["quantity"], on_turn["face"]))
