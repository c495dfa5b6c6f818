"""Trains a bot by self-play, for all rule books and two to six players.

    nice python examples/train_champion.py build/champion

Needs torch: `pip install 'perudo-arena[train]'`. Goes on from the checkpoint in the folder, so it
may be stopped at any time; `bot/` there is a bot as good as the last line says. Processes play
while this one learns from what they played with the networks of a step before. How it learns:

1. It imitates `memory`, the best sample bot at large tables.
2. Then it plays against itself, earlier versions of itself and the sample bots. After a round each
   seat gets what its standing is now worth: the share of rivals that it will finish ahead of. The
   network `standing` learns that from the same rounds, so no decision waits for the end of a game.
3. A decision was good if the round was worth more than a critic expected, who sees all dice: most
   of the luck of the dice is no luck to it.
4. The network `tells` learns what kind of player does what in which situation. So the policy is
   told which kinds its rivals are likely to be, by what they did in earlier rounds of the game.
5. Good decisions become likelier, in small steps (PPO), while the policy is held near a magnet,
   its own slowly moving average, lest self-play runs in circles (magnetic mirror descent).
"""

import argparse
import os
import time
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import torch
from champion_networks import PolicyNetwork, chance, drawn, layers, logs_of, parameters
from torch import nn

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import WIDTH, Games
from arena.lab.training.rivals import Memory, play
from arena.lab.training.run import Actors, lay_out, write_line, write_weights
from arena.lab.training.selfplay import (
    HIDDEN,
    LEARNER,
    Decisions,
    Rounds,
    SelfPlay,
    Tells,
    answers_to,
    ask,
    join,
    seating,
)
from arena.lab.training.view import ACTED, KINDS, NUMBERS, SEATS, TELLS, View

TABLES, BATCHES, EPOCHS = 8, 16, 2
"""In a step: the tables at which a process plays; descents; how often each decision is used."""
PAST, EVERY = 5, 25
"""Earlier versions that are kept as rivals; every so many steps one of them is replaced."""
RATE, CLIP, ENTROPY, MAGNET, DRIFT = 1e-3, 0.2, 0.005, 0.05, 0.01
"""The first learning rate; the most that a step changes a chance; pulls of chance and magnet; how
far the magnet moves towards the policy in a step."""
PLAYING = "0", "2", "3"
"""The places among `Learner.networks` of those that are learned and played by."""
News = tuple[int, dict[str, np.ndarray]]
"""Steps so far, and weights of networks."""


def main() -> None:
    """Train in a folder, from where it was stopped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="holds checkpoint, bot and curve")
    parser.add_argument("--steps", type=int, default=1000, help="of learning, in all")
    parser.add_argument("--decisions", type=int, default=65_536, help="of each step")
    parser.add_argument("--games", type=int, default=384, help="at a time at each kind of table")
    parser.add_argument("--imitate", type=int, default=160, help="steps of imitation")
    parser.add_argument("--look", type=int, default=50, help="steps between two lines")
    parser.add_argument("--measured", type=int, default=1024, help="games against each rival")
    parser.add_argument("--book", nargs="*", default=[*VARIANTS], choices=[*VARIANTS])
    parser.add_argument("--players", nargs="*", type=int, default=[2, 3, 4, 5, 6])
    spare = len(os.sched_getaffinity(0)) - 1
    parser.add_argument("--processes", type=int, default=max(1, spare), help="that play")
    chosen = parser.parse_args()
    kinds = 2 * len(chosen.book) * (len(chosen.players) + (2 in chosen.players))
    chosen.processes = min(chosen.processes, kinds)
    torch.set_num_threads(1)  # small matrices take longer on two
    torch.manual_seed(0)
    learner = Learner("cuda" if torch.cuda.is_available() else "cpu")
    if not begin(learner, chosen.folder):
        imitation(learner, tables_of(chosen, 0), chosen.imitate)
        look(learner, chosen.folder, chosen.measured)
    torch.manual_seed(learner.steps)
    train(learner, chosen)


class Learner:
    """The networks, what trains them, and how far it came."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.policy = PolicyNetwork(NUMBERS, 192, 128).to(device)
        self.critic = layers(NUMBERS + HIDDEN, 256, 128, 1).to(device)
        self.standing = layers(WIDTH, 64, 64, 1).to(device)
        self.tells = layers(TELLS, 128, 128, KINDS).to(device)
        self.magnet = deepcopy(self.policy)
        self.past = [deepcopy(self.policy) for _ in range(PAST)]
        taught = [self.policy, self.critic, self.standing, self.tells]
        self.networks = nn.ModuleList([*taught, self.magnet, *self.past])
        self.trained = [*nn.ModuleList(taught).parameters()]
        self.adam = torch.optim.Adam(self.trained)
        self.steps, self.decisions, self.entropy = 0, 0, 0.0

    def act(self, seen: View) -> tuple[np.ndarray, np.ndarray]:
        """Draw answers by the policy."""
        return drawn(self.policy, seen, self.device)

    def worth(self, standings: np.ndarray) -> np.ndarray:
        """Return the share of living rivals that seats will finish ahead of."""
        with torch.no_grad():
            return chance(self.standing, self.tensor(standings)).cpu().numpy()

    def kinds(self, tells: np.ndarray) -> np.ndarray:
        """Return from what players did how likely each kind is."""
        with torch.no_grad():
            return torch.softmax(self.tells(self.tensor(tells)), 1).cpu().numpy()

    def tensor(self, array: np.ndarray) -> torch.Tensor:
        """Return an array on the device."""
        return torch.from_numpy(array).to(self.device)

    def imitate(self, seen: View, answers: np.ndarray, standings: np.ndarray) -> None:
        """Make answers likelier (-1 is none), and a seat worth its share of the dice."""
        given = answers >= 0
        numbers, legal, said = (self.tensor(part[given]) for part in (*seen[:2], answers))
        logs = logs_of(self.policy, numbers, legal)
        dice, others = standings[:, :1], standings[:, 1:SEATS]
        against = (dice / np.maximum(dice + others, 0.1) * (others > 0)).sum(1)
        worth = chance(self.standing, self.tensor(standings))
        off = worth - self.tensor(against / (others > 0).sum(1))
        self._descend(off.square().mean() - logs.gather(1, said[:, None]).mean())

    def learn(self, made: Decisions, rounds: Rounds, told: Tells, rate: float) -> None:
        """Make a step, at a learning rate, from decisions, what came of them, and tells."""
        numbers, legal, hidden, answers, old, results = map(self.tensor, made)
        standings, shares, tells, kinds = map(self.tensor, (*rounds, *told))
        seen = torch.cat([numbers, hidden], 1).float()
        numbers = seen[:, :NUMBERS]
        with torch.no_grad():
            magnet = logs_of(self.magnet, numbers, legal)
            better = results - chance(self.critic, seen)
            better = (better - better.mean()) / (better.std() + 1e-6)
        # No kind is likelier than another before it does anything.
        rarity = 1 / torch.bincount(kinds, minlength=KINDS).clamp(min=1)
        self.adam.param_groups[0]["lr"] = rate
        entropies = []
        for rows, some, tried in self._batches(len(answers), len(shares), len(kinds)):
            logs = logs_of(self.policy, numbers[rows], legal[rows])
            ratio = (logs.gather(1, answers[rows, None]).squeeze(1) - old[rows]).exp()
            near = ratio.clamp(1 - CLIP, 1 + CLIP)
            gain = torch.minimum(ratio * better[rows], near * better[rows]).mean()
            entropy = -(logs.exp() * logs).sum(1).mean()
            distance = (logs.exp() * (logs - magnet[rows])).sum(1).mean()
            critic = (chance(self.critic, seen[rows]) - results[rows]).square().mean()
            worth = (chance(self.standing, standings[some]) - shares[some]).square().mean()
            acts = tells[tried]
            # `likelier` compares with what is known before a seat acts.
            acts[torch.rand(len(acts), device=self.device) < 0.5, :ACTED] = 0
            known = nn.functional.cross_entropy(self.tells(acts), kinds[tried], rarity)
            aside = 4 * critic + 4 * worth + known
            self._descend(MAGNET * distance - gain - ENTROPY * entropy + aside)
            entropies.append(entropy.detach())
        self.entropy = float(torch.stack(entropies).mean())
        self._finish_step(len(answers))

    def remember(self) -> None:
        """Keep this version as a rival at times: each place half as often as the one before."""
        if self.steps % EVERY == 0:
            turn = self.steps // EVERY
            slot = min(PAST, (turn & -turn).bit_length()) - 1
            self.past[slot].load_state_dict(self.policy.state_dict())

    def news(self, *places: str) -> News:
        """Return the steps so far, and weights of all networks, or of those in some places."""
        weights = self.networks.state_dict().items()
        return self.steps, {name: part.cpu().numpy() for name, part in weights
                            if not places or name.split(".")[0] in places}  # fmt: skip

    def take(self, news: News) -> None:
        """Take over the networks of a step."""
        self.steps, weights = news
        tensors = {name: torch.from_numpy(part) for name, part in weights.items()}
        self.networks.load_state_dict(tensors, strict=False)
        self.remember()

    def _batches(self, *parts: int) -> Iterator[tuple[torch.Tensor, ...]]:
        """Yield some of the rows of each part, in a new order in each epoch."""
        for _ in range(EPOCHS):
            orders = (torch.randperm(of, device=self.device) for of in parts)
            yield from zip(*(order.tensor_split(BATCHES) for order in orders), strict=True)

    def _descend(self, loss: torch.Tensor) -> None:
        self.adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.adam.step()

    def _finish_step(self, decisions: int) -> None:
        self.steps += 1
        self.decisions += decisions
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.policy.parameters(), strict=True):
                slow.lerp_(fast, DRIFT)
        self.remember()


class Actor:
    """Plays in a process of its own by the networks that it is sent."""

    def __init__(self, chosen: argparse.Namespace, steps: int, number: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(1000 * steps + number)
        self.learner = Learner("cpu")
        self.random = np.random.default_rng([steps, number])
        self.wanted = chosen.decisions // chosen.processes
        self.play = self.seated(chosen, number)

    def __call__(self, news: News) -> tuple[Decisions, Rounds, Tells, float]:
        """Return what was decided at some of the tables, and the seconds of CPU time so far."""
        self.learner.take(news)
        which = self.random.permutation(len(self.play.tables))[:TABLES].tolist()
        return *self.play.gather(which, self.wanted, self.learner), time.process_time()

    def seated(self, chosen: argparse.Namespace, number: int) -> SelfPlay:
        """Return the tables of the process with a number."""
        tables = tables_of(chosen, int(self.random.integers(1 << 40)))[number :: chosen.processes]
        past = [partial(drawn, network, device="cpu") for network in self.learner.past]
        return SelfPlay(tables, seating(past, self.random), self.wanted)


def tables_of(chosen: argparse.Namespace, seed: int) -> list[Games]:
    """Return the tables that are learned at: one of each kind, two of those for two."""
    kinds = [*product(chosen.book, chosen.players, (False, True))]
    kinds += [kind for kind in kinds if kind[1] == 2]
    return [Games(chosen.games, book, players, calza=calza, seed=seed + n)
            for n, (book, players, calza) in enumerate(kinds)]  # fmt: skip


def imitation(learner: Learner, tables: list[Games], steps: int) -> None:
    """Answer as `memory` does, in games of four of them."""
    random, memory = np.random.default_rng(1), Memory(1)
    for _ in range(steps):
        played = []
        for number in random.permutation(len(tables))[:TABLES]:
            games = tables[number]
            at, rows, seen = ask(games, LEARNER)
            actions = memory(at, games, rows)
            played.append((seen, answers_to(seen, actions), games.standings(rows)[:, 0]))
            play(games, at, actions, [memory])
        views, answers, standings = zip(*played, strict=True)
        seen, said, stood = join(views), np.concatenate(answers), np.concatenate(standings)
        for part in np.array_split(random.permutation(len(said)), len(said) // 1024 + 1):
            learner.imitate(View(*(of[part] for of in seen)), said[part], stood[part])
    for network in (learner.magnet, *learner.past):
        network.load_state_dict(learner.policy.state_dict())


def begin(learner: Learner, folder: Path) -> bool:
    """Lay out the bot's folder; go on from the checkpoint, or return that there is none."""
    lay_out(folder)
    found = (folder / "checkpoint.pt").exists()
    if found:
        state = torch.load(folder / "checkpoint.pt", learner.device, weights_only=True)
        learner.networks.load_state_dict(state["networks"])
        learner.adam.load_state_dict(state["adam"])
        learner.steps, learner.decisions = state["steps"], state["decisions"]
    return found


def look(learner: Learner, folder: Path, games: int, seconds: float = 0.0) -> None:
    """Write checkpoint and weights, whole or not at all, and a line on how it plays.

    `games` are played against each rival.
    """
    state = {"networks": learner.networks.state_dict(), "adam": learner.adam.state_dict(),
             "steps": learner.steps, "decisions": learner.decisions}  # fmt: skip
    torch.save(state, folder / "checkpoint.new")
    (folder / "checkpoint.new").replace(folder / "checkpoint.pt")
    weights = {name: part.detach().cpu().numpy().T
               for name, part in parameters(learner.policy, learner.tells)}  # fmt: skip
    policy = write_weights(folder, learner.steps, weights)
    told = learner.decisions, round(seconds + time.process_time()), round(learner.entropy, 2)
    write_line(folder, policy, games, learner.steps, *told)


def train(learner: Learner, chosen: argparse.Namespace) -> None:
    """Learn to the last step, and look at times."""
    actors = Actors(chosen.processes, partial(Actor, chosen, learner.steps), learner.news())
    while learner.steps < chosen.steps:
        *made, seconds = zip(*actors.exchange(learner.news(*PLAYING)), strict=True)
        learner.learn(*map(join, made), RATE * max(1 - learner.steps / chosen.steps, 0.05))
        if learner.steps % chosen.look == 0 or learner.steps == chosen.steps:
            look(learner, chosen.folder, chosen.measured, sum(seconds))


if __name__ == "__main__":
    main()
