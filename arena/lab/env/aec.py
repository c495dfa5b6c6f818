"""Perudo as a PettingZoo AEC environment."""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded
from pettingzoo import AECEnv

from arena.game.records import Fault
from arena.lab.env.game import Game
from arena.lab.env.perudo_policy import Observation, Table
from arena.lab.env.setting import Setting

Space = spaces.Dict
Discrete = spaces.Discrete


def observation_space(table: Table) -> Space:
    """Return the space of observations at a table: the view and the legal actions."""
    seen = spaces.Box(0, table.highest, dtype=np.int8)
    mask = spaces.Box(0, 1, (table.actions,), np.int8)
    return Space({"observation": seen, "action_mask": mask})


class PerudoEnv(AECEnv[str, Observation, int | None]):
    """Whole games of Perudo; agent `player_n` sits in seat n.

    An agent that is out terminates with the reward of its place. `reset(seed=...)` begins game 0 of
    that seed, `reset()` the next game; `options={"game": n}` names one. `infos` has the request of
    the agent that acts, as a bot would get it. An action that is not legal raises InvalidAction.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "perudo_v0",
        "is_parallelizable": False,
        "render_modes": ["ansi"],
    }

    def __init__(self, setting: Setting, seed: int | str, render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.setting = setting
        self.table = setting.table
        self.possible_agents = [f"player_{seat}" for seat in range(setting.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.key, self._number = str(seed), -1
        self._observations = {agent: observation_space(self.table) for agent in self._seats}
        self._actions = {agent: Discrete(self.table.actions) for agent in self._seats}

    def observation_space(self, agent: str) -> Space:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        if seed is not None:
            self.key, self._number = str(seed), -1
        self._number = (options or {}).get("game", self._number + 1)
        self.game = Game(self.setting, self.table, self.key, self._number)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._out: set[str] = set()
        self._rewarded = False
        self._standing = self.game.referee.standing
        self._skip_agent_selection = None
        self._select()

    def step(self, action: int | None) -> None:
        """Take the action of the agent that is selected; None for one that is out."""
        if not self.agents:
            raise ResetNeeded("the game is over: call reset()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            self.game.act(action)
        except ValueError as error:
            raise InvalidAction(f"{agent}: {error}") from None
        self.infos[agent] = {}
        self._cumulative_rewards[agent] = 0.0
        self._go_on()

    def forfeit(self, faults: dict[str, Fault]) -> None:
        """Take agents out of the game, as the arena does with bots that fault."""
        self.game.forfeit({self._seats[agent]: fault for agent, fault in faults.items()})
        self._go_on()

    def observe(self, agent: str) -> Observation:
        """Return an agent's view and its legal actions: none unless it acts next."""
        return self.game.observation(self._seats[agent])

    def render(self) -> str | None:
        """Return the public state in a line; None without `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        standing, bid = self.game.referee.standing, self.observe(self.possible_agents[0])
        quantity, face, _ = bid["observation"][self.table.last_bid]
        on_table = f"{quantity} of face {face}" if quantity else "no bid"
        return f"{self.agent_selection} to act, dice left {standing.dice}, {on_table}"

    def close(self) -> None:
        """Do nothing: an environment holds nothing but memory."""

    def _go_on(self) -> None:
        """Reward agents that are out, and select the one that acts next."""
        self._select()
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        standing = self.game.referee.standing
        if standing is not self._standing:  # a round ended: most steps end none
            self._standing = standing
            places = self.game.referee.places
            for agent in self.agents:
                place = places[self._seats[agent]]
                if place and agent not in self._out:
                    self._out.add(agent)
                    self.terminations[agent] = self._rewarded = True
                    self.rewards[agent] = self.setting.reward(place)
                    self.infos[agent] = {"place": place}
            self._accumulate_rewards()
            self._deads_step_first()

    def _select(self) -> None:
        if self.game.seat is not None:
            self.agent_selection = self.possible_agents[self.game.seat]
            self.infos[self.agent_selection] = {"request": self.game.request}
