"""Trains two of OpenSpiel's own learners, with nothing but its package: `pip install open_spiel`.

    python examples/openspiel_learners.py

With a die each: counterfactual regret minimisation by external sampling, in the round that seat 0
opens. Its curve is NashConv, by how much best responses to the average policy win, which is 0 for
an equilibrium; each look takes some ten seconds. With two dice each: Q-learning in whole games
against an agent that draws its actions; its curve is the share of games that it wins.

OpenSpiel's NFSP and deep CFR need torch or jax. They take the same games: `pyspiel.load_game` and
`rl_environment.Environment` as below.
"""

import argparse
import random
import time
from itertools import pairwise

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.rl_agent import AbstractAgent

from arena.game.rules.books import variant
from arena.game.rules.round import Standing, first_standing
from arena.lab.env import openspiel


def main() -> None:
    """Train both, and print their curves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--iterations", type=int, default=3000, help="of regret minimisation; 0 for none"
    )
    parser.add_argument("--games", type=int, default=6000, help="of Q-learning")
    parser.add_argument("--looks", type=int, default=3, help="how often each is measured")
    chosen = parser.parse_args()
    np.random.seed(1)  # which OpenSpiel's learners draw from
    random.seed(1)
    if chosen.iterations:
        minimise_regret(chosen.iterations, chosen.looks)
    learn_values(chosen.games, chosen.looks)


def minimise_regret(iterations: int, looks: int) -> None:
    """Print how far the average policy of a round is from an equilibrium."""
    game = openspiel.one_round(first_standing(variant("bga", {}, starting_dice=1), 2, 0), win)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    print("iterations  CPU s  NashConv")
    seconds = 0.0
    for done, more in parts(iterations, looks):
        began = time.process_time()
        for _ in range(more):
            solver.iteration()
        seconds += time.process_time() - began
        gap = exploitability.nash_conv(game, solver.average_policy())
        print(f"{done:>10}  {seconds:>5.1f}  {gap:.3f}", flush=True)


def win(after: Standing) -> tuple[float, float]:
    """Return the utilities of a round that ends the game."""
    return (1.0, -1.0) if after.winner == 0 else (-1.0, 1.0)


def learn_values(games: int, looks: int) -> None:
    """Print the share of games that a learner of values wins."""
    env = rl_environment.Environment(
        "python_perudo",
        starting_dice=2,
        observation_type=rl_environment.ObservationType.OBSERVATION,
        chance_event_sampler=rl_environment.ChanceEventSampler(seed=1),
    )
    actions = env.action_spec()["num_actions"]
    learner = QLearner(0, actions)
    agents = [learner, RandomAgent(1, actions)]
    print("games  CPU s  wins against random")
    seconds = 0.0
    for done, more in parts(games, looks):
        began = time.process_time()
        for _ in range(more):
            play(env, agents)
        seconds += time.process_time() - began
        wins = float(np.mean([play(env, agents, learn=False) > 0 for _ in range(500)]))
        print(f"{done:>5}  {seconds:>5.0f}  {wins:.2f}", flush=True)


def play(
    env: rl_environment.Environment, agents: list[AbstractAgent], *, learn: bool = True
) -> float:
    """Play a game; returns the reward of the first agent."""
    step = env.reset()
    while not step.last():
        agent = agents[step.observations["current_player"]]
        step = env.step([agent.step(step, is_evaluation=not learn).action])
    for agent in agents if learn else []:
        agent.step(step)
    return float(step.rewards[0])


def parts(total: int, looks: int) -> list[tuple[int, int]]:
    """Return how much is done at each look, and how much more since the last: in equal shares."""
    done = [total * look // looks for look in range(looks + 1)]
    return [(after, after - before) for before, after in pairwise(done)]


if __name__ == "__main__":
    main()
