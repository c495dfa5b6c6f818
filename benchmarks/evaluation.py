"""Decisions per second of policies that play each other: `python -m benchmarks.evaluation`.

The champion sits in every seat of leagues in arrays. A network of its size plays as bots of
OpenSpiel in Python (`pyspiel.evaluate_bots`, liar's dice with five dice each), and at a PettingZoo
environment, an agent at a time as its documentation and CleanRL's evaluations do. These use the
same numpy code; RLlib samples that environment with a network of torch. All in turns in one run,
per second of CPU time. OpenSpiel (`open_spiel`) and RLlib (`ray[rllib]`) are left out where they
are not installed.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium.spaces import Dict
from pettingzoo.utils import BaseWrapper

from arena.lab.env import perudo_v0
from arena.lab.training.games import Games
from arena.lab.training.league import shipped_champion
from arena.lab.training.policy import Policy, draw
from arena.lab.training.rivals import play
from arena.lab.training.view import KINDS, Floats

HIDDEN = 192, 128
OTHERS = {"OpenSpiel": "pyspiel", "RLlib": "ray"}
RANDOM = np.random.default_rng(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=3, help="for each, in a round")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    plays = {name: make() for name, make in CONTESTANTS.items() if installed(name)}
    rates: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(chosen.rounds):
        for name, turns in plays.items():
            rates[name].append(rate(turns, chosen.seconds))
    ours = np.median(rates[next(iter(plays))])
    for name, found in rates.items():
        median = np.median(found)
        print(f"{name:<44} {median:>10,.0f} per CPU second, 1/{ours / median:,.0f}")


def installed(name: str) -> bool:
    """Return whether a contestant can play; says so if not."""
    found = all(find_spec(module) for word, module in OTHERS.items() if word in name)
    if not found:
        print(f"{name}: not installed")
    return found


def rate(turns: Iterator[int], seconds: float) -> float:
    """Return decisions per second of CPU time."""
    next(turns)
    began, count = time.process_time(), 0
    while (used := time.process_time() - began) < seconds:
        count += next(turns)
    return count / used


def network(numbers: int, actions: int) -> Policy:
    """Return a policy with the champion's layers, for other numbers and actions."""
    widths = (numbers, *HIDDEN, actions)
    weights = {}
    for n, (before, after) in enumerate(pairwise(widths)):
        weights[f"w{n}"] = RANDOM.normal(size=(before, after)) / before**0.5
        weights[f"b{n}"] = np.zeros(after)
    weights["against_w0"] = RANDOM.normal(size=(HIDDEN[-1], KINDS * actions)) / HIDDEN[-1] ** 0.5
    weights["against_b0"] = np.zeros(KINDS * actions)
    return Policy(weights)


def choose(policy: Policy, numbers: Any, legal: Any) -> int:
    """Return an action for one position."""
    row: Floats = np.asarray(numbers, np.float32)[None]
    return int(draw(policy.chances(row, np.asarray(legal, bool)[None]), RANDOM.random(1))[0])


def arrays(players: int) -> Iterator[int]:
    """Play a league in arrays."""
    champion = shipped_champion()
    table = Games(4096, "bga", players, seed=1)
    while True:
        at = table.positions(table.rows)
        play(table, at, champion(at, table, table.rows), [champion])
        yield len(table.rows)


def pettingzoo() -> Iterator[int]:
    """Play a PettingZoo environment, an agent at a time; yields decisions of a game."""
    env = perudo_v0.env("bga", players=2)
    env.reset()
    seen = env.observe(env.agent_selection)
    policy = network(len(seen["observation"]), len(seen["action_mask"]))
    while True:
        env.reset()
        count = 0
        for _ in env.agent_iter():
            seen, _, over, late, _ = env.last()
            done = over or late
            count += not done
            env.step(None if done else choose(policy, seen["observation"], seen["action_mask"]))
        yield count


def rllib() -> Iterator[int]:
    """Sample the PettingZoo environment by RLlib; yields decisions of a sample."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.examples.rl_modules.classes import action_masking_rlm as masking

    spec = RLModuleSpec(
        module_class=masking.ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[*HIDDEN]),
    )
    config = (
        PPOConfig()
        .environment(lambda _: PettingZooEnv(Masked(perudo_v0.env("bga", players=2))))
        .multi_agent(policies={"one"}, policy_mapping_fn=lambda *_, **__: "one")
        .env_runners(num_env_runners=0, rollout_fragment_length=200)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"one": spec}))
    )
    runner = MultiAgentEnvRunner(config=config)
    while True:
        yield sum(part.agent_steps() for part in runner.sample(num_timesteps=200))


class Masked(BaseWrapper):  # type: ignore[misc]
    """Observations with the names that RLlib's masks have."""

    def observation_space(self, agent: str) -> Any:
        space = super().observation_space(agent)
        return Dict(observations=space["observation"], action_mask=space["action_mask"])

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        numbers = np.asarray(seen["observation"], np.float32)
        return {"observations": numbers, "action_mask": seen["action_mask"]}

    def last(self, observe: bool = True) -> Any:
        agent = self.agent_selection
        return self.observe(agent), *super().last(observe)[1:]


def openspiel() -> Iterator[int]:
    """Play liar's dice with bots of OpenSpiel; yields decisions of a game."""
    pyspiel = import_module("pyspiel")
    game = pyspiel.load_game("liars_dice(numdice=5)")
    policy = network(game.information_state_tensor_size(), game.num_distinct_actions())
    count = 0

    class Bot(pyspiel.Bot):  # type: ignore[misc,name-defined]
        def step(self, state: Any) -> int:
            nonlocal count
            count += 1
            player = state.current_player()
            numbers = state.information_state_tensor(player)
            return choose(policy, numbers, state.legal_actions_mask(player))

        def restart(self) -> None: ...

    bots = [Bot(), Bot()]
    while True:
        before = count
        pyspiel.evaluate_bots(game.new_initial_state(), bots, int(RANDOM.integers(1 << 30)))
        yield count - before


CONTESTANTS: dict[str, Callable[[], Iterator[int]]] = {
    "league in arrays, two players": lambda: arrays(2),
    "league in arrays, four players": lambda: arrays(4),
    "OpenSpiel liars_dice, bots in Python": openspiel,
    "PettingZoo perudo_v0, an agent at a time": pettingzoo,
    "RLlib, perudo_v0": rllib,
}

if __name__ == "__main__":
    main()
