"""TextArena's LiarsDice beside our environment, in one run: `python -m benchmarks.textarena`.

Actions per second of CPU time, in one process, with two players who have five dice each. A trivial
agent bids one six more, up to so many, and then doubts. The contestants play in turns. Then what
each does with an illegal answer, and which rules it can play.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from inspect import signature
from statistics import median
from typing import Any

import textarena
from gymnasium.error import InvalidAction
from textarena.envs.LiarsDice.env import LiarsDiceEnv

from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS
from arena.lab.env import perudo_v0
from arena.lab.env.perudo_policy import DUDO, Table
from arena.lab.textarena import policy

LONG = 8
"""The dice of the last bid in a long round."""


def action(quantity: int, longest: int) -> int:
    """Return the dice to bid after a bid of so many sixes, 0 for a doubt."""
    return 0 if quantity >= longest else quantity + 1


def speak(observation: str, longest: int) -> str:
    """Act on the text of a game."""
    bid = observation.rpartition("New round")[2].rpartition(" bids ")[2].partition(" of face")
    more = action(int(bid[0]) if bid[1] else 0, longest)
    return f"[Bid: {more}, 6]" if more else "[Call]"


def theirs(name: str, longest: int) -> Iterator[int]:
    """Play games of TextArena; yields actions."""
    while True:
        env, over, count = textarena.make(name), False, 0
        env.reset(num_players=2, seed=random.randrange(10**6))
        while not over:
            _, observation = env.get_observation()
            if not isinstance(observation, str):
                # Without wrappers it is a list of what is new.
                observation = "\n".join(text for _, text, _ in observation)
            over, _ = env.step(speak(observation, longest))
            count += 1
        env.close()
        yield count


def ours(choose: Callable[[Any], int]) -> Iterator[int]:
    """Play games of `arena.lab.env`; yields actions."""
    env = perudo_v0.raw_env("bga", seed=1)
    while True:
        env.reset()
        count = 0
        while env.agents:
            observation, _, out, _, _ = env.last()
            env.step(None if out else choose(observation))
            count += not out
        yield count


def by_array(longest: int) -> Callable[[Any], int]:
    """Return the agent that reads arrays."""
    table = Table(2, 5)

    def choose(observation: Any) -> int:
        more = action(int(observation["observation"][table.last_bid][0]), longest)
        return table.bid(more, 6) if more else DUDO

    return choose


def by_text(longest: int) -> Callable[[Any], int]:
    """Return the agent that reads text, through our adapter."""
    chosen, lots = policy(lambda seen: speak(seen, longest)), random.Random(1)
    return lambda observation: chosen(observation, lots)


CONTESTANTS: dict[str, Callable[[int], Iterator[int]]] = {
    "TextArena LiarsDice-v0": lambda longest: theirs("LiarsDice-v0", longest),
    "TextArena LiarsDice-v0-raw": lambda longest: theirs("LiarsDice-v0-raw", longest),
    "arena.lab.env": lambda longest: ours(by_array(longest)),
    "arena.lab.env, through arena.lab.textarena": lambda longest: ours(by_text(longest)),
}


def speeds(seconds: float, rounds: int, longest: int) -> None:
    """Print the median speed of each, and the range."""
    print(f"rounds of {longest + 1} actions:")
    plays = {name: make(longest) for name, make in CONTESTANTS.items()}
    found: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(rounds):
        for name, games in plays.items():
            began, count = time.process_time(), 0
            while (passed := time.process_time() - began) < seconds:
                count += next(games)
            found[name].append(count / passed)
    for name, rates in found.items():
        span = f"{min(rates):,.0f} to {max(rates):,.0f}"
        print(f"  {name:<40} {median(rates):>8,.0f} actions per CPU second ({span})")


def illegal() -> None:
    """Print what happens to a player who gives illegal answers."""
    env = textarena.make("LiarsDice-v0")
    env.reset(num_players=3, seed=1)
    first, asked = env.get_observation()[0], 0
    while env.get_observation()[0] == first:
        env.step("I pass.")
        asked += 1
    dice = env.state.game_state["remaining_dice"][first]
    print(f"TextArena: asked {asked} times, then out with {dice} dice; the others roll anew")
    ours_env = perudo_v0.raw_env("bga", players=3, seed=1)
    ours_env.reset()
    try:
        ours_env.step(10**6)
    except InvalidAction as error:
        print(f"arena.lab.env: InvalidAction, nothing changes: {error}")
    one = perudo_v0.single_agent([lambda seen, _: int(seen["action_mask"].argmax())] * 2)
    one.reset(seed=1)
    _, reward, out, _, info = one.step(10**6)
    print(
        f"arena.lab.env.single_agent, as in a league: out={out}, reward {reward}: {info['fault']}"
    )


def rules() -> None:
    """Print which rules can be switched."""
    options = [name for name in signature(LiarsDiceEnv).parameters if name != "self"]
    print(f"TextArena: one rule book, options: {', '.join(options)}")
    print(f"arena: {len(VARIANTS)} rule books, {len(SWITCHES)} switches, {len(OPTIONS)} options")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1, help="for each, by turns")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for longest in (1, LONG):
        speeds(options.seconds, options.rounds, longest)
    illegal()
    rules()


if __name__ == "__main__":
    main()
