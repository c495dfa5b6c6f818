"""Compute the tables of the sample bot `equilibrium`: python -m arena.lab.equilibrium.train --help.

States are solved from the fewest dice up, because a round is worth what comes after it. Each is
kept in the work folder once it is done, so a run that was stopped goes on from there; the same
options give the same bytes.
"""

import argparse
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, astuple

from arena.game.rules.books import VARIANTS, Rules
from arena.lab.equilibrium.approximate_solver import Approximation, few_jumps
from arena.lab.equilibrium.endgames import (
    EndgameState,
    RoundGame,
    after,
    round_game,
    stakes,
    states,
)
from arena.lab.equilibrium.exact_solver import Rival, Strategy, TreeGame, solve
from arena.lab.equilibrium.strategy_tables import WHOLE, block_of, file_of, name_of, packed, played

MOST_DICE = 5
MOST_SEQUENCES = 300_000
"""Rounds with more sequences of bids are approximated."""


class Effort(Struct, frozen=True):
    """The effort of a computation."""

    exact: int = 300
    """Iterations of a round that is solved."""
    rough: int = 200
    """Iterations of a round that is approximated."""
    hands: int = 128
    """The hands of a seat that an iteration of these draws."""


class Solved(Struct, frozen=True):
    """The results of a state."""

    recall: int
    value: float
    """The opener's chance to win the game."""
    beaten_opening: float | None = None
    """The most that a rival wins against the stored play when the bot opens; None if the state is
    approximated."""
    beaten_answering: float | None = None
    """The same when the rival opens."""


def sequences(game: RoundGame) -> int:
    """Return how many sequences of bids a round has."""
    known: dict[int, int] = {}

    def after(bid: int) -> int:
        if bid not in known:
            known[bid] = 1 + sum(map(after, game.raises[bid]))
        return known[bid]

    return after(-1)


class Trainer:
    """The states of a rule book, one after another."""

    def __init__(self, rules: Rules, work: Path, effort: Effort) -> None:
        self._rules = rules
        self._work = work / name_of(rules)
        self._work.mkdir(parents=True, exist_ok=True)
        self._effort = effort
        self.solved: dict[EndgameState, Solved] = {}

    def states(self, total: int) -> Iterator[EndgameState]:
        """Yield the states with so many dice on the table."""
        return states(self._rules, (total,), MOST_DICE)

    def train(self, state: EndgameState) -> None:
        """Solve a state, unless it is in the work folder."""
        done, table = self._paths(state)
        if not done.exists():
            solved, block = self._solve(state)
            table.write_bytes(block)
            done.write_text(json.dumps(asdict(solved)))
        self.solved[state] = Solved(**json.loads(done.read_text()))

    def file(self) -> bytes:
        """Return the tables of all states."""
        return file_of(
            {
                str(state): (self._paths(state)[1].read_bytes(), list(astuple(solved)))
                for state, solved in self.solved.items()
            }
        )

    def _paths(self, state: EndgameState) -> tuple[Path, Path]:
        return self._work / f"{state}.json", self._work / f"{state}.bin"

    def _solve(self, state: EndgameState) -> tuple[Solved, bytes]:
        worth = stakes(state, self._rules, lambda coming: self.solved[coming].value)
        game = round_game(state, self._rules, worth)
        if sequences(game) > MOST_SEQUENCES:
            return self._approximate(state, worth)
        tree = TreeGame(game)
        strategy = solve(tree, self._effort.exact)
        block = block_of(tree, strategy)
        value = tree.bounds(strategy).middle
        return Solved(WHOLE, value, *self._beaten(state, played(tree, block))), packed(block)

    def _beaten(self, state: EndgameState, strategy: Strategy) -> list[float | None]:
        """Return a rival's greatest winnings when the bot opens, and when the rival does."""
        known = {
            (state, bot): beaten
            for state, solved in self.solved.items()
            for bot, beaten in enumerate((solved.beaten_opening, solved.beaten_answering))
            if beaten is not None
        }
        coming = [after(state, self._rules, loser)[0] for loser in (0, 1)]
        if any(following.other and (following, 0) not in known for following in coming):
            return [None, None]
        rival = Rival(self._rules, known)
        return [rival.chance(state, bot, strategy, strategy) for bot in (0, 1)]

    def _approximate(self, state: EndgameState, worth: tuple[float, float]) -> tuple[Solved, bytes]:
        game = round_game(state, self._rules, worth, few_jumps(state.total))
        rough = Approximation(game, zlib.crc32(str(state).encode()), self._effort.hands)
        for _ in range(self._effort.rough):
            rough.iterate()
        block = rough.block()
        return Solved(block.recall, rough.value), packed(block)


def rule_books() -> dict[str, Rules]:
    """Return a rule book for each set of bidding rules."""
    return {name_of(rules): rules for rules in reversed(VARIANTS.values())}


def main() -> None:
    """Train and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m arena.lab.equilibrium.train")
    parser.add_argument("work", type=Path, help="folder of the states that are done")
    parser.add_argument("tables", type=Path, help="folder for the tables")
    parser.add_argument("--dice", type=int, default=2 * MOST_DICE, help="most dice on the table")
    for name, default in zip(Effort.__struct_fields__, Effort.__struct_defaults__, strict=True):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = vars(parser.parse_args())
    work, tables, dice = (options.pop(key) for key in ("work", "tables", "dice"))
    tables.mkdir(parents=True, exist_ok=True)
    trainers = {
        name: Trainer(rules, work, Effort(**options)) for name, rules in rule_books().items()
    }
    for total in range(2, dice + 1):
        for name, trainer in trainers.items():
            for state in trainer.states(total):
                trainer.train(state)
                print(name, state, trainer.solved[state], flush=True)  # noqa: T201 - shows the progress of a long script
            (tables / f"{name}.bin").write_bytes(trainer.file())


if __name__ == "__main__":
    main()
