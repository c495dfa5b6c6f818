"""Positions of random games, as arrays and as the requests that bots get."""

from typing import Any

import numpy as np

from arena.lab.training.games import Games
from arena.lab.training.rivals import odds
from arena.lab.training.view import Numbers


def played(book: str, players: int, *, calza: bool, steps: int) -> Games:
    """Return games that `odds` and chance have played for a while."""
    games = Games(32, book, players, calza=calza, seed=players)
    for _ in range(steps):
        actions = odds(games.positions(games.rows), games, games.rows)
        lots = games.random.random(32) < 0.2
        actions[lots] = games.env.sample()[lots]
        games.step(actions)
    return games


def request(games: Games, game: int) -> dict[str, Any]:
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
