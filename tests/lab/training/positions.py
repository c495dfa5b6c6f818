"""Positions of random games, as arrays and as the requests that bots get."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arena.lab.training.games import Games, Shown
from arena.lab.training.rivals import Witness, odds, play
from arena.lab.training.view import CALZA, DUDO, PASS, Numbers

Message = dict[str, Any]
CALLS = {DUDO: "dudo", CALZA: "calza", PASS: "calza"}
"""What ended a round; one who passes may be the last that was asked after another called calza."""


def played(
    book: str,
    players: int,
    *,
    calza: bool,
    steps: int,
    witness: Witness | None = None,
    tell: Callable[[Message], None] | None = None,
) -> Games:
    """Return games that `odds` and chance have played for a while.

    `witness` hears of them as a player in arrays does, `tell` as a bot does.
    """
    games = Games(32, book, players, calza=calza, seed=players)
    for _ in range(steps):
        at = games.positions(games.rows)
        actions = odds(at, games, games.rows)
        lots = games.random.random(32) < 0.2
        actions[lots] = games.env.sample()[lots]
        asked = [request(games, game) for game in games.rows.tolist()] if tell else []
        dice = games.env.dice.copy()
        shown, over = play(games, at, actions, [witness])
        if tell:
            for message in _ends(shown, over.tolist(), asked, actions, games.env.dice - dice):
                tell(message)
    return games


def _ends(
    shown: Shown, over: list[bool], asked: list[Message], actions: Numbers, change: Numbers
) -> Iterator[Message]:
    """Yield what bots hear of the ends of rounds and games."""
    for row, game in enumerate(shown.games.tolist()):
        turn, call = asked[game], CALLS[int(actions[game])]
        round_end = {key: turn[key] for key in ("game", "round", "bids", "palifico_seat")}
        hands = [np.repeat(np.arange(1, 7), hand).tolist() for hand in shown.hands[row]]
        lost, gained = (np.flatnonzero(change[game] == by).tolist() for by in (-1, 1))
        yield {
            **round_end,
            "type": "round_end",
            "dice": hands,
            "caller": turn["seat"],
            "call": call,
            "loser": lost[0] if lost else None,
            "gainer": gained[0] if gained else None,
        }
        if over[game]:
            yield {"type": "game_end", "game": game}


def request(games: Games, game: int) -> Message:
    """Return what the seat that acts in a game is asked, with the dice that all have left."""
    env, seat = games.env, int(games.env.seat[game])
    dice, alive = env.dice[game].tolist(), np.flatnonzero(env.dice[game]).tolist()
    message = {
        "type": "calza" if env.offering[game] else "turn",
        "id": game,
        "game": game,
        "round": int(env.round[game]),
        "seat": seat,
        "dice": np.repeat(np.arange(1, 7), env.hands[game, seat]).tolist(),
        "bids": _bids(games, game),
        "alive": alive,
        "dice_counts": dice,
        "palifico_seat": int(env.palifico[game]) if env.palifico[game] >= 0 else None,
    }
    if message["type"] == "calza":
        return message
    least, most = (bounds[game].tolist() for bounds in env.ranges())
    raises = [
        {"face": face + 1, "min": low, "max": high}
        for face, (low, high) in enumerate(zip(least, most, strict=True))
        if low
    ]
    return {**message, "raises": raises, "dudo": bool(message["bids"])}


def _bids(games: Games, game: int) -> list[dict[str, int]]:
    """Return the bids so far; seats bid in turn, and the last bidder is known."""
    said: Numbers = games.bids[game, : games.length[game]]
    living = np.flatnonzero(games.env.dice[game]).tolist()
    last = living.index(int(games.env.bidder[game])) if len(said) else 0
    return [
        {
            "seat": living[(last - (len(said) - 1 - n)) % len(living)],
            "quantity": int(bid) // 6 + 1,
            "face": int(bid) % 6 + 1,
        }
        for n, bid in enumerate(said)
    ]
