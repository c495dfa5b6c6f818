"""Thousands of games against sample bots at a time, by Gymnasium's vector API.

    import gymnasium
    import arena.lab.env.perudo_v0  # registers the id

    envs = gymnasium.make_vec("perudo/Perudo-v0", num_envs=1024, rivals=["sample:odds"])

The rivals answer as arrays (`arena.lab.training.rivals`), so no bot is started. Needs the extra
`rl`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import gymnasium.vector
import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from arena.game.rules.books import MAX_PLAYERS, Rules
from arena.lab.env.game import setting
from arena.lab.env.perudo_policy import PASS, Observation
from arena.lab.env.perudo_v0 import AGENT, Discrete, observation_space
from arena.lab.training.games import Games, some
from arena.lab.training.league import shipped_champion
from arena.lab.training.rivals import Rival, Witness, play, sample_bots
from arena.lab.training.view import Flags, Floats, Numbers, Positions

BatchPolicy = Callable[[Observation, np.random.Generator], Numbers]
"""A policy for many games: gets arrays with a row per game, and returns an action for each."""
Infos = dict[str, Any]


class RivalsVectorEnv(gymnasium.vector.VectorEnv[Observation, Numbers, Any]):
    """Games of one agent each, with the episodes, rewards and faults of `SingleAgentEnv`.

    The agent sits in seat 0, its rivals to its left in their order. Dice come from numpy's
    generator, not from the hash of leagues. `reset` begins new games in all rows. At the end of an
    episode the observation is all zeros, and `pass` is the one legal action: with the autoreset
    mode NEXT_STEP the action that follows is ignored.
    """

    def __init__(
        self,
        num_envs: int,
        rivals: Sequence[str | BatchPolicy] = ("sample:honest",),
        variant: str | Rules = "bga",
        starting_dice: int | None = None,
        *,
        calza: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        """Set up the table; raises ValueError for rules, sizes or rivals that there are not.

        A rival is `sample:NAME`, or a function of arrays.
        """
        if render_mode is not None:
            raise ValueError("many games are not drawn: gymnasium.make() makes one that is")
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            raise ValueError("autoreset_mode is 'NextStep' or 'SameStep'")
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.setting = setting(variant, 1 + len(rivals), starting_dice, calza=calza)
        self.table = self.setting.table
        self.single_observation_space = observation_space(self.table)
        self.single_action_space = Discrete(self.table.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._wanted = tuple(rivals)
        mask = np.zeros(self.table.actions, np.int8)
        mask[PASS] = 1
        seen = np.zeros(self.table.size, np.int8)
        self._at_end: Observation = {"observation": seen, "action_mask": mask}
        self._same_step = mode is AutoresetMode.SAME_STEP
        places = range(1, self.table.players + 1)
        self._rewards = np.array([0, *map(self.setting.reward, places)], np.float32)
        self._ended: Flags = np.zeros(num_envs, np.bool_)
        self._seat(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Infos]:
        """Begin new games everywhere; without a seed, other ones than ever before."""
        super().reset(seed=seed)
        if options:
            raise ValueError(f"there are no options: {', '.join(options)}")
        self._seat(int(self.np_random.integers(1 << 62)))
        self._begin(self._games.rows)
        self._began = True
        return self._observations(np.zeros(self.num_envs, np.bool_)), {}

    def step(self, actions: Numbers) -> tuple[Observation, Floats, Flags, Flags, Infos]:
        """Take the agent's actions, and let rivals act until it acts again or is out."""
        if not self._began:
            raise ResetNeeded("no games are under way: call reset()")
        env, ended = self._games.env, self._ended
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise InvalidAction(f"{self.num_envs} whole numbers are {self.num_envs} actions")
        places = np.zeros(self.num_envs, np.int64)
        rows = np.flatnonzero(~ended)
        legal = env.legal(chosen[rows], rows)
        faults = rows[~legal]
        # As in a league, a fault costs the last place of those that are still in.
        places[faults] = (env.dice[faults] > 0).sum(1)
        rows = rows[legal]
        self._act(rows, self._games.positions(rows), chosen[rows], places)
        self._let_rivals_act(rows, places)
        over = places > 0
        again = over if self._same_step else ended
        self._begin(np.flatnonzero(again))
        self._ended = over & ~again
        infos = self._infos(over, places, faults, chosen) if over.any() else {}
        rewards = self._rewards[places]
        return self._observations(self._ended), rewards, over, np.zeros_like(over), infos

    def _seat(self, seed: int) -> None:
        """Make new games, and rivals that know nothing of earlier ones."""
        rules, seats = self.setting.rules, self.setting.players
        self._games = Games(self.num_envs, rules, seats, seed=seed)
        names = {who for who in self._wanted if isinstance(who, str)}
        by_name = {name: _named(name) for name in names}
        self._rivals = [by_name[who] if isinstance(who, str) else who for who in self._wanted]
        players: Iterable[object] = (who.play for who in by_name.values())
        self._witnesses = [player for player in players if isinstance(player, Witness)]
        self._games.players[:] = np.arange(seats)
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._began = False

    def _begin(self, rows: Numbers) -> None:
        """Begin games, until the agent acts in each."""
        while len(rows):
            for witness in self._witnesses:
                witness.forget(self._games, rows)
            self._games.begin(rows)
            places = np.zeros(self.num_envs, np.int64)
            self._let_rivals_act(rows, places)
            rows = rows[places[rows] > 0]

    def _let_rivals_act(self, rows: Numbers, places: Numbers) -> None:
        seat = self._games.env.seat
        while True:
            rows = rows[(seat[rows] != AGENT) & (places[rows] == 0)]
            if not len(rows):
                return
            at = self._games.positions(rows)
            self._act(rows, at, self._answers(rows, at), places)

    def _answers(self, rows: Numbers, at: Positions) -> Numbers:
        """Return what the rivals do in some games in which they act."""
        env = self._games.env
        answers = np.zeros(len(rows), np.int64)
        for seat, rival in enumerate(self._rivals, AGENT + 1):
            mine = np.flatnonzero(env.seat[rows] == seat)
            if not len(mine):
                continue
            games = rows[mine]
            if isinstance(rival, _Sample):
                answers[mine] = rival.play(some(at, mine), self._games, games)
                continue
            seen = {"observation": env.observations(games), "action_mask": env.masks(games)}
            said = np.asarray(rival(seen, self._games.random))
            whole = said.shape == games.shape and said.dtype.kind in "iu"
            if not whole or not env.legal(said, games).all():
                raise InvalidAction(f"the rival in seat {seat}: a legal action for each row is due")
            answers[mine] = said
        return answers

    def _act(self, rows: Numbers, at: Positions, actions: Numbers, places: Numbers) -> None:
        """Act in some games, and note the agent's places in those that it is out of."""
        shown, _ = play(self._games, at, actions, self._witnesses, rows)
        places[shown.games] = shown.places[:, AGENT]

    def _observations(self, ended: Flags) -> Observation:
        env = self._games.env
        seen = {"observation": env.observations(), "action_mask": env.masks()}
        for part, end in zip(seen.values(), self._at_end.values(), strict=True):
            part[ended] = end
        return seen

    def _infos(self, over: Flags, places: Numbers, faults: Numbers, actions: Numbers) -> Infos:
        """Return what Gymnasium's vector environments tell of episodes that end."""
        ends: Infos = {"place": places, "_place": over}
        if len(faults):
            said = np.full(self.num_envs, None, object)
            said[faults] = [
                f"action {one} is not legal now: see the mask" for one in actions[faults]
            ]
            faulted = np.zeros(self.num_envs, bool)
            faulted[faults] = True
            ends |= {"fault": said, "_fault": faulted}
        if not self._same_step:
            return ends
        last = np.full(self.num_envs, None, object)
        last[over] = self._at_end
        final = {"final_obs": last, "final_info": ends}
        return final | {f"_{name}": over for name in final}


class _Sample(NamedTuple):
    """A sample bot in arrays."""

    play: Rival


def _named(name: str) -> _Sample:
    """Return a sample bot by its name; raises ValueError if it does not play in arrays."""
    bots = sample_bots(MAX_PLAYERS)
    known = [*(f"sample:{bot}" for bot in bots), _CHAMPION]
    if name not in known:
        where = "with gymnasium.make() any bot plays, live"
        raise ValueError(f"{name!r} does not play in arrays / {where} / here: {', '.join(known)}")
    return _Sample(shipped_champion() if name == _CHAMPION else bots[name.removeprefix("sample:")])


_CHAMPION = "sample:champion"


__all__ = ["BatchPolicy", "RivalsVectorEnv"]
