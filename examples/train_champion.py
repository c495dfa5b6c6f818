"""Trains a bot by self-play, for all rule books and two to six players.

    nice python examples/train_champion.py build/champion

Needs torch: `pip install 'perudo-arena[train]'`. Goes on from the checkpoint in the folder, so it
may be stopped at any time; `bot/` there is a bot as good as the last line says. How it learns:

1. It imitates `memory`, the best sample bot at large tables.
2. Then it plays against itself, earlier versions of itself and the sample bots. After a round each
   seat gets what its standing is now worth: the share of rivals that it will finish ahead of. The
   network `worth` estimates that and learns it from the same rounds, so no decision waits for the
   end of a game to be judged.
3. A decision was good if the round was worth more than a critic expected, who sees all dice: most
   of the luck of the dice is no luck to it.
4. Good decisions become likelier, in small steps (PPO), while the policy is held near a magnet,
   its own slowly moving average, lest self-play runs in circles (magnetic mirror descent).
"""

import argparse
import time
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise, product
from pathlib import Path
from shutil import copytree, ignore_patterns

import numpy as np
import torch
from torch import nn

from arena.game.rules.books import VARIANTS
from arena.io import shipped
from arena.lab.training.games import WIDTH, Games
from arena.lab.training.league import duel
from arena.lab.training.policy import Policy
from arena.lab.training.rivals import Memory, sample_bots
from arena.lab.training.selfplay import (
    HIDDEN,
    LEARNER,
    Decisions,
    Rounds,
    Seats,
    SelfPlay,
    answers_to,
    ask,
    join,
)
from arena.lab.training.view import ACTIONS, NUMBERS, SEATS, View

GAMES, TABLES = 384, 8
"""Games at a time at each kind of table; the kinds that a step is learned from, at most."""
DECISIONS, BATCH, EPOCHS = 16_384, 2048, 2
"""Of a step; of each descent in it; how often each is learned from."""
PAST, EVERY = 4, 25
"""Earlier versions that are kept as rivals, and the steps between two of them."""
CLIP, ENTROPY, MAGNET = 0.2, 0.003, 0.03
"""The most that a step changes a chance; the pull of chance and of the magnet."""
DRIFT = 0.01
"""How far the magnet moves towards the policy in a step."""


def main() -> None:
    """Train in a folder, from where it was stopped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="holds checkpoint, bot and curve")
    parser.add_argument("--minutes", type=float, default=480, help="of CPU time, in this run")
    parser.add_argument("--imitate", type=int, default=160, help="steps of imitation")
    parser.add_argument("--look", type=float, default=5, help="minutes between two lines")
    parser.add_argument("--book", nargs="*", default=[*VARIANTS], choices=[*VARIANTS])
    parser.add_argument("--players", nargs="*", type=int, default=[2, 3, 4, 5, 6])
    chosen = parser.parse_args()
    torch.set_num_threads(1)  # small matrices take longer on two
    torch.manual_seed(0)
    learner = Learner("cuda" if torch.cuda.is_available() else "cpu")
    goes_on = begin(learner, chosen.folder)
    torch.manual_seed(learner.steps)
    kinds = product(chosen.book, chosen.players, (False, True))
    tables = [Games(GAMES, book, players, calza=calza, seed=learner.steps + n)
              for n, (book, players, calza) in enumerate(kinds)]  # fmt: skip
    if not goes_on:
        imitation(learner, tables, chosen.imitate)
        look(learner, chosen.folder)
    train(learner, tables, chosen.folder, chosen.minutes, chosen.look)


class Learner:
    """The networks, what trains them, and how far it came."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.policy = layers(NUMBERS, 192, 128, ACTIONS).to(device)
        self.critic = layers(NUMBERS + HIDDEN, 128, 64, 1).to(device)
        self.worth = layers(WIDTH, 64, 64, 1).to(device)
        self.magnet = deepcopy(self.policy)
        self.past = [deepcopy(self.policy) for _ in range(PAST)]
        taught = [self.policy, self.critic, self.worth]
        self.networks = nn.ModuleList([*taught, self.magnet, *self.past])
        self.trained = [*nn.ModuleList(taught).parameters()]
        self.adam = torch.optim.Adam(self.trained, lr=1e-3, eps=1e-5)
        self.steps, self.decisions = 0, 0

    def act(self, seen: View) -> tuple[np.ndarray, np.ndarray]:
        """Draw answers by the policy."""
        return drawn(self.policy, seen, self.device)

    def worths(self, standings: np.ndarray) -> np.ndarray:
        """Return the share of living rivals that seats will finish ahead of."""
        with torch.no_grad():
            return chance(self.worth, self.tensor(standings)).cpu().numpy()

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
        worth = chance(self.worth, self.tensor(standings))
        off = worth - self.tensor(against / (others > 0).sum(1))
        self._descend(off.square().mean() - logs.gather(1, said[:, None]).mean())

    def learn(self, made: Decisions, rounds: Rounds) -> float:
        """Make a step from decisions and what came of them; returns how random the policy is."""
        numbers, legal, hidden, answers, old, results = map(self.tensor, made)
        standings, shares = map(self.tensor, rounds)
        seen = torch.cat([numbers, hidden], 1)
        with torch.no_grad():
            magnet = logs_of(self.magnet, numbers, legal)
            better = results - chance(self.critic, seen)
            better = (better - better.mean()) / (better.std() + 1e-6)
        entropies = []
        for rows, some in batches(len(answers), len(shares)):
            logs = logs_of(self.policy, numbers[rows], legal[rows])
            ratio = (logs.gather(1, answers[rows, None]).squeeze(1) - old[rows]).exp()
            near = ratio.clamp(1 - CLIP, 1 + CLIP)
            gain = torch.minimum(ratio * better[rows], near * better[rows]).mean()
            entropy = -(logs.exp() * logs).sum(1).mean()
            distance = (logs.exp() * (logs - magnet[rows])).sum(1).mean()
            critic = (chance(self.critic, seen[rows]) - results[rows]).square().mean()
            worth = (chance(self.worth, standings[some]) - shares[some]).square().mean()
            self._descend(MAGNET * distance - gain - ENTROPY * entropy + 4 * critic + 4 * worth)
            entropies.append(float(entropy.detach()))
        self._finish_step(len(answers))
        return float(np.mean(entropies))

    def _descend(self, loss: torch.Tensor) -> None:
        self.adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.adam.step()

    def _finish_step(self, decisions: int) -> None:
        self.steps += 1
        self.decisions += decisions
        for group in self.adam.param_groups:
            group["lr"] = max(1e-4, 5e-4 * 0.999**self.steps)
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.policy.parameters(), strict=True):
                slow.lerp_(fast, DRIFT)
        if self.steps % EVERY == 0:
            oldest = self.past[self.steps // EVERY % PAST]
            oldest.load_state_dict(self.policy.state_dict())


def layers(*widths: int) -> nn.Sequential:
    """Return a network of layers of these widths."""
    found: list[nn.Module] = []
    for before, after in pairwise(widths):
        found += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*found[:-1])


def chance(network: nn.Module, numbers: torch.Tensor) -> torch.Tensor:
    """Return a network's number for each row, from 0 to 1."""
    return torch.sigmoid(network(numbers)).squeeze(1)


def logs_of(policy: nn.Module, numbers: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the chances of answers; very low for illegal ones."""
    return torch.log_softmax(policy(numbers).masked_fill(~legal, -1e9), 1).clamp(min=-30)


def drawn(policy: nn.Module, seen: View, device: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw answers by a policy; returns the logarithms of their chances, too."""
    with torch.no_grad():
        numbers, legal = (torch.from_numpy(part).to(device) for part in seen[:2])
        logs = logs_of(policy, numbers, legal)
        # With noise of Gumbel's distribution each answer is the largest by its chance.
        noise = -torch.log(-torch.log(torch.rand_like(logs).clamp(1e-9, 1 - 1e-7)))
        answers = (logs + noise).masked_fill(~legal, -1e9).argmax(1)
        return answers.cpu().numpy(), logs.gather(1, answers[:, None]).squeeze(1).cpu().numpy()


def batches(rows: int, rounds: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield rows of decisions and of rounds, in a new order in each epoch."""
    many = max(1, rows // BATCH)
    for _ in range(EPOCHS):
        yield from zip(torch.randperm(rows).tensor_split(many),
                       torch.randperm(rounds).tensor_split(many), strict=True)  # fmt: skip


def seats_of(learner: Learner) -> Seats:
    """Return who sits at the tables: only the learner, or it among earlier versions or bots."""
    random = np.random.default_rng(learner.steps)
    names = [*sample_bots(1)]
    bots, past = sample_bots(1 + len(names) + PAST), range(1 + len(names), 1 + len(names) + PAST)
    networks = {number: (lambda seen, of=network: drawn(of, seen, learner.device))
                for number, network in zip(past, learner.past, strict=True)}  # fmt: skip

    def draw(games: int, players: int) -> np.ndarray:
        seats = random.integers(1, past.start, (games, players))
        kind = random.random(games)
        earlier = random.integers(past.start, past.stop, (games, 1))
        seats = np.where((kind < 0.45)[:, None], earlier, seats)
        seats[random.random((games, players)) < 0.15] = LEARNER
        seats[kind < 0.35] = LEARNER
        seats[np.arange(games), random.integers(players, size=games)] = LEARNER
        return seats

    return Seats(dict(enumerate(bots.values(), 1)), networks, draw)


def imitation(learner: Learner, tables: list[Games], steps: int) -> None:
    """Answer as `memory` does, in games of four of them."""
    random, memory = np.random.default_rng(1), Memory(1)
    for _ in range(steps):
        views, answers, standings = [], [], []
        for number in random.permutation(len(tables))[:TABLES]:
            games = tables[number]
            at, rows, seen = ask(games, LEARNER)
            actions = memory(at, games, rows)
            views.append(seen)
            answers.append(answers_to(seen, actions))
            standings.append(games.standings(rows)[:, 0])
            shown, _ = games.step(actions)
            memory.learn(games.players[shown.games], shown)
        seen, said, stood = join(views), np.concatenate(answers), np.concatenate(standings)
        for part in np.array_split(random.permutation(len(said)), len(said) // 1024 + 1):
            learner.imitate(View(*(of[part] for of in seen)), said[part], stood[part])
    for network in (learner.magnet, *learner.past):
        network.load_state_dict(learner.policy.state_dict())


def begin(learner: Learner, folder: Path) -> bool:
    """Lay out the bot's folder; go on from the checkpoint, or return that there is none."""
    here = shipped.folder("sample_bots") / "champion"
    copytree(here, folder / "bot", ignore=ignore_patterns("*.npz", "__*"), dirs_exist_ok=True)
    found = (folder / "checkpoint.pt").exists()
    if found:
        state = torch.load(folder / "checkpoint.pt", learner.device, weights_only=True)
        learner.networks.load_state_dict(state["networks"])
        learner.adam.load_state_dict(state["adam"])
        learner.steps, learner.decisions = state["steps"], state["decisions"]
    return found


def look(learner: Learner, folder: Path, entropy: float = 0.0) -> None:
    """Write checkpoint and weights, whole or not at all, and a line on how it plays."""
    state = {"networks": learner.networks.state_dict(), "adam": learner.adam.state_dict(),
             "steps": learner.steps, "decisions": learner.decisions}  # fmt: skip
    torch.save(state, folder / "checkpoint.new")
    (folder / "checkpoint.new").replace(folder / "checkpoint.pt")
    weights = {}
    for n, layer in enumerate(part for part in learner.policy if isinstance(part, nn.Linear)):
        weights[f"w{n}"] = layer.weight.detach().cpu().numpy().T.astype(np.float16)
        weights[f"b{n}"] = layer.bias.detach().cpu().numpy().astype(np.float16)
    for made in (folder / f"weights-{learner.steps:06}.npz", folder / "bot" / "weights.npz"):
        np.savez_compressed(folder / "new.npz", **weights)
        (folder / "new.npz").replace(made)
    policy = Policy(weights)
    scores = [duel(policy, rival, 1024, learner.steps) for rival in ("honest", "odds")]
    shares = [f"{score.share:.3f} ± {score.error:.3f}" for score in scores]
    line = [learner.steps, learner.decisions, f"{time.process_time():.0f}", *shares]
    with (folder / "curve.tsv").open("a") as curve:
        for file in (curve, None):
            print(*line, f"{entropy:.2f}", sep="\t", file=file, flush=True)


def train(learner: Learner, tables: list[Games], folder: Path, minutes: float, pause: float):
    """Learn for so long, and look at times; minutes are of CPU time."""
    # Rounds that go on at the other tables hold a few decisions of each game.
    room = 2 * DECISIONS + 16 * GAMES * len(tables)
    play, random = SelfPlay(tables, seats_of(learner), room), np.random.default_rng(learner.steps)
    began = seen = time.process_time()
    entropy = 0.0
    while time.process_time() < began + 60 * minutes:
        which = random.permutation(len(tables))[:TABLES].tolist()
        entropy = learner.learn(*play.gather(which, DECISIONS, learner.act, learner.worths))
        if time.process_time() > seen + 60 * pause:
            look(learner, folder, entropy)
            seen = time.process_time()
    look(learner, folder, entropy)


if __name__ == "__main__":
    main()
