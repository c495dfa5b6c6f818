"""Compute what beats the tables of the sample bot `equilibrium`, for the sample bot `champion`.

    python -m arena.lab.equilibrium.response_tables sample_bots/champion/responses.npz

In rounds that `equilibrium` approximates a response is learned that remembers the last two bids, as
`equilibrium` does there; in those that it has solved nothing is better than its own play. States
with few dice come first: a round is worth what the response wins after it.

The file has two arrays for each state and seat (0 is the opener), under `RULES/STATE/SEAT/`: `bids`
has the last bids of a position in each row, after zeros where there are fewer; `actions` what to do
with each hand: 0 is dudo, 6 x (quantity - 1) + face a bid, 255 that nothing is known.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules
from arena.game.rules.round import Bid
from arena.lab.equilibrium.approximate_solver import Approximation, Group, few_jumps
from arena.lab.equilibrium.endgames import (
    EndgameState,
    Floats,
    Numbers,
    RoundGame,
    round_game,
    states,
)
from arena.lab.equilibrium.exact_solver import Rival
from arena.lab.equilibrium.strategy_tables import (
    LEAST_REACH,
    WHOLE,
    code,
    equilibrium_bot,
    equilibrium_tables,
)
from arena.lab.equilibrium.train import MOST_DICE, rule_books

UNKNOWN = 255
ITERATIONS = 150
Mix = Callable[[Sequence[Bid]], Floats]
"""Returns a strategy after the last bids: weights by hand (rows) and action."""
Answers = list[tuple[bytes, NDArray[np.uint8]]]
"""The last bids of positions, and the action there with each hand."""


class KnownGroup(Group):
    """Positions of a seat whose strategy is known."""

    def begin(self) -> None:
        """Make room, also for the strategy."""
        super().begin()
        self.strategy = np.zeros_like(self.regrets)

    def play(self, hands: Numbers) -> None:
        """Play as the seat always does."""
        self.now = self.explored = self.strategy[hands]


class Response(Approximation):
    """Learns what beats the strategy of a seat, for one who remembers the last two bids."""

    def __init__(self, game: RoundGame, known: int, mix: Mix) -> None:
        """Take the seat whose strategy is known."""
        self._known = known
        super().__init__(game, seed=0, hands=max(map(len, game.hands)))
        for group in self._order:
            if isinstance(group, KnownGroup):
                for before, place in group.before.items():
                    weights = mix(self.bids(before, group.last))[:, self.actions(group)]
                    weights[~weights.any(1), 0] = 1
                    group.strategy[:, place] = weights / weights.sum(1, keepdims=True)

    def answers(self) -> Answers:
        """Return the best action by hand in the positions that are come to."""
        found = []
        for group in self._order:
            if group.seat == self._known:
                continue
            came = group.came.sum(2) / self._game.chances[group.seat][:, None]
            best = np.array(self.actions(group), np.uint8)[group.now.argmax(2)]
            best[came < LEAST_REACH] = UNKNOWN
            for before, place in group.before.items():
                if (best[:, place] < UNKNOWN).any():
                    bids = bytes(map(code, self.bids(before, group.last)))
                    found.append((bids, best[:, place]))
        return found

    def kind(self, seat: int) -> type[Group]:
        """Return how a seat's positions are played."""
        return KnownGroup if seat == self._known else Group


class Responses:
    """What beats `equilibrium` under a rule book."""

    def __init__(self, rules: Rules, iterations: int = ITERATIONS) -> None:
        """Take its tables."""
        self._rules, self._iterations = rules, iterations
        self._bot = equilibrium_bot()
        self._tables = equilibrium_tables(rules)
        self.chances: dict[tuple[EndgameState, int], float] = {}
        """The response's chance to win the game, by state and the bot's seat."""
        self._rival = Rival(rules, self.chances)

    def answers(self, state: EndgameState, bot: int) -> Answers:
        """Return what to do against the bot in a seat; states with fewer dice must come first."""
        _, _, recall, value = self._tables.states[str(state)][:4]
        if recall == WHOLE:
            self._rival.keep(state, bot, value if bot else 1 - value)
            return self._own(state, 1 - bot)
        response = Response(
            self._rival.game(state, bot, few_jumps(state.total)), bot, self._mix(state, bot)
        )
        for _ in range(self._iterations):
            response.iterate()
        won = response.values[-1]
        self._rival.keep(state, bot, won if bot else 1 - won)
        return response.answers()

    def _own(self, state: EndgameState, seat: int) -> Answers:
        """Return the likeliest actions of the bot itself."""
        _, block = self._tables.block(str(state), (state.opener, state.other))
        found = []
        for key, (actions, weights) in block.items():
            if key[0] == seat and (len(key) - 1) % 2 == seat:
                by_hand = np.frombuffer(weights, np.uint8).reshape(-1, len(actions))
                best = np.frombuffer(actions, np.uint8)[by_hand.argmax(1)]
                found.append((key[1:], np.where(by_hand.any(1), best, UNKNOWN).astype(np.uint8)))
        return found

    def _mix(self, state: EndgameState, seat: int) -> Mix:
        """Return the strategy of the bot in a seat."""
        game = round_game(state, self._rules, (0, 1))
        dice = (state.opener, state.other)
        turn: dict[str, Any] = {"palifico_seat": 0 if state.palifico else None}

        def mix(bids: Sequence[Bid]) -> Floats:
            number = game.bids.index(bids[-1]) if bids else -1
            # Its tables tell seats apart by the number of bids.
            unknown = bids[:1] if len(bids) % 2 != seat else []
            turn["bids"] = [{"quantity": b.quantity, "face": b.face} for b in (*unknown, *bids)]
            turn["raises"] = _ranges([game.bids[higher] for higher in game.raises[number]])
            turn["dudo"] = bool(bids)
            weights = np.zeros((len(game.hands[seat]), 1 + len(game.bids)))
            for row, hand in zip(weights, game.hands[seat], strict=True):
                mixed = self._bot.mixed({**turn, "dice": list(hand)}, dice[1 - seat], self._tables)
                for action, weight in mixed:
                    row[action] = weight
            return weights

        return mix


def _ranges(raises: Sequence[Bid]) -> list[dict[str, int]]:
    """Return raises as a turn tells them."""
    by_face = {face: [b.quantity for b in raises if b.face == face] for face in range(1, FACES + 1)}
    return [{"face": f, "min": min(q), "max": max(q)} for f, q in by_face.items() if q]


def _arrays(name: str, answers: Answers) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    longest = max(len(bids) for bids, _ in answers)
    padded = b"".join(bids.rjust(longest, b"\0") for bids, _ in answers)
    yield f"{name}/bids", np.frombuffer(padded, np.uint8).reshape(-1, longest)
    yield f"{name}/actions", np.array([actions for _, actions in answers])


def main() -> None:
    """Compute the responses, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m arena.lab.equilibrium.response_tables")
    parser.add_argument("file", type=Path)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--dice", type=int, default=2 * MOST_DICE, help="most dice on the table")
    chosen = parser.parse_args()
    arrays: dict[str, Any] = {}
    for name, rules in rule_books().items():
        responses = Responses(rules, chosen.iterations)
        for state in states(rules, range(2, chosen.dice + 1), MOST_DICE):
            for bot in (0, 1):
                answers = responses.answers(state, bot)
                arrays.update(_arrays(f"{name}/{state}/{1 - bot}", answers))
                won = responses.chances[state, bot]
                print(f"{name} {state} the response wins {won:.4f} from seat {1 - bot}", flush=True)  # noqa: T201 - shows the progress of a long script
    np.savez_compressed(chosen.file, **arrays)


if __name__ == "__main__":
    main()
