"""TextArena's LiarsDice beside our environment, in one run: `python -m benchmarks.textarena`.

Actions per second of CPU time in one process, for two players with five dice each and two trivial
agents: one doubts every bid, the other bids up to `LONG` sixes, die by die, before it doubts. The
contestants play in turns. Then what each does with an illegal answer, and which rules it can play.
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
from arena.lab.env.perudo_policy import DUDO
from arena.lab.textarena import policy


def trivial(observation: str) -> str:
    """Open with one die, and doubt every bid."""
    return "[Call]" if " bids " in observation[observation.rfind("New round") :] else "[Bid: 1, 2]"


def theirs(name: str) -> Iterator[int]:
    """Play games of TextArena; yields actions."""
    while True:
        env, over, count = textarena.make(name), False, 0
        env.reset(num_players=2, seed=random.randrange(10**6))
        while not over:
            _, observation = env.get_observation()
            seen = observation if isinstance(observation, str) else _text(observation)
            over, _ = env.step(trivial(seen))
            count += 1
        env.close()
        yield count


def _text(messages: list[Any]) -> str:
    """Return the last of the messages that a raw environment gives, in which the round stands."""
    return "".join(f"\n[GAME] {text}" for _, text, _ in messages)


def ours(*, by_text: bool) -> Iterator[int]:
    """Play games of `arena.env`, with arrays or with the text that an agent of TextArena gets."""
    env, lots = perudo_v0.raw_env("bga", seed=1), random.Random(1)
    speaks = policy(trivial)
    while True:
        env.reset()
        count = 0
        while env.agents:
            observation, _, out, _, _ = env.last()
            if out:
                env.step(None)
                continue
            legal = observation["action_mask"]
            env.step(speaks(observation, lots) if by_text else _doubts(legal))
            count += 1
        yield count


def _doubts(legal: Any) -> int:
    return DUDO if legal[DUDO] else int(legal.argmax())


CONTESTANTS: dict[str, Callable[[], Iterator[int]]] = {
    "TextArena LiarsDice-v0": lambda: theirs("LiarsDice-v0"),
    "TextArena LiarsDice-v0-raw, without wrappers": lambda: theirs("LiarsDice-v0-raw"),
    "arena.env, arrays": lambda: ours(by_text=False),
    "arena.env, text by arena.lab.textarena": lambda: ours(by_text=True),
}


def speeds(seconds: float, rounds: int) -> None:
    """Print the median speed of each, and the range."""
    plays = {name: make() for name, make in CONTESTANTS.items()}
    found: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(rounds):
        for name, games in plays.items():
            began, count = time.process_time(), 0
            while (passed := time.process_time() - began) < seconds:
                count += next(games)
            found[name].append(count / passed)
    for name, rates in found.items():
        span = f"{min(rates):,.0f} to {max(rates):,.0f}"
        print(f"{name:<45} {median(rates):>8,.0f} actions per CPU second ({span})")


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
        print(f"arena.env: InvalidAction, nothing changes: {error}")
    one = perudo_v0.single_agent([lambda seen, _: _doubts(seen["action_mask"])] * 2)
    one.reset(seed=1)
    _, reward, out, _, info = one.step(10**6)
    print(f"arena.env.single_agent, as in a league: out={out}, reward {reward}: {info['fault']}")


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
    speeds(options.seconds, options.rounds)
    illegal()
    rules()


if __name__ == "__main__":
    main()
