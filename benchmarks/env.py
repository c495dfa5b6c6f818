"""Decisions per second of the environments: `python -m benchmarks.env`.

Random legal play, in one process; also per second of CPU time. Beside it, in the same run:
OpenSpiel's liar's dice, and games of PettingZoo, where they are installed (pip install open_spiel
pygame rlcard).
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy
from gymnasium import make_vec

from arena.lab.env import perudo_v0
from arena.lab.env.vector import VectorEnv

GAMES = 4096
BATCH = 50
"""Steps between two looks at the clock."""


def aec(env: Any) -> Iterator[int]:
    """Play a PettingZoo environment as its documentation does; yields decisions."""
    while True:
        env.reset()
        count = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(draw(observation["action_mask"]))
            count += 1
        yield count


def draw(mask: Any) -> int:
    """Draw a legal action, faster than gymnasium's spaces do."""
    (legal,) = mask.nonzero()
    return int(legal[int(random.random() * len(legal))])


def vector(*, observe: bool) -> Iterator[int]:
    """Play the vectorised environment, with or without making observations and masks."""
    env = VectorEnv(GAMES)
    while True:
        for _ in range(BATCH):
            if observe:
                env.observations()
                env.masks()
            env.step(env.sample())
        yield BATCH * GAMES


def rivals() -> Iterator[int]:
    """Play against the sample bot `odds` in arrays; yields the agent's decisions."""
    envs: Any = make_vec(perudo_v0.ID, num_envs=1024, rivals=["sample:odds"])
    seen, _ = envs.reset(seed=1)
    random_ = numpy.random.default_rng(1)
    while True:
        for _ in range(BATCH):
            mask = seen["action_mask"]
            seen, *_ = envs.step((random_.random(mask.shape) * mask).argmax(1))
        yield BATCH * 1024


def openspiel(game: Any) -> Iterator[int]:
    """Play a game of OpenSpiel, with observations of whoever acts."""
    while True:
        state, count = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
                continue
            state.information_state_tensor(state.current_player())
            state.apply_action(random.choice(state.legal_actions()))
            count += 1
        yield count


def contestants() -> Iterator[tuple[str, Iterator[int]]]:
    """Yield what is measured, by name; what is not installed is named and left out."""
    yield "perudo_v0.raw_env", aec(perudo_v0.raw_env())
    yield "perudo_v0.env", aec(perudo_v0.env())
    yield f"VectorEnv, {GAMES} games", vector(observe=False)
    yield f"VectorEnv, {GAMES} games, observed", vector(observe=True)
    yield "make_vec, 1,024 games against odds", rivals()
    others: list[tuple[str, Callable[[], Iterator[int]]]] = [
        ("OpenSpiel liars_dice, 5 dice each", liars_dice),
        ("PettingZoo connect_four_v3", lambda: aec(classic("connect_four_v3"))),
        ("PettingZoo leduc_holdem_v4 (RLCard)", lambda: aec(classic("leduc_holdem_v4"))),
    ]
    for name, make in others:
        try:
            yield name, make()
        except Exception as error:
            print(f"{name}: not installed ({type(error).__name__}: {error})"[:120])


def liars_dice() -> Iterator[int]:
    pyspiel = import_module("pyspiel")
    return openspiel(pyspiel.load_game("liars_dice(numdice=5)"))


def classic(name: str) -> Any:
    return import_module(f"pettingzoo.classic.{name}").env()


def rates(plays: Iterator[int], seconds: float) -> tuple[float, float]:
    """Return decisions per second and per CPU second, after a warm-up of a tenth of the time."""
    for limit in (seconds / 10, seconds):
        began, cpu, count = time.perf_counter(), time.process_time(), 0
        while (passed := time.perf_counter() - began) < limit:
            count += next(plays)
    return count / passed, count / (time.process_time() - cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="for each")
    seconds = parser.parse_args().seconds
    for name, plays in contestants():
        wall, cpu = rates(plays, seconds)
        print(f"{name:<40} {wall:>12,.0f}/s {cpu:>12,.0f} per CPU second", flush=True)


if __name__ == "__main__":
    main()
