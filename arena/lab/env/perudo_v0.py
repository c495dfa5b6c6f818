"""Perudo for PettingZoo and Gymnasium: `perudo_v0.env()` and `perudo_v0.single_agent()`.

Importing this registers `perudo/Perudo-v0` for `gymnasium.make` and `gymnasium.make_vec`. Needs the
extra `rl`: pip install 'perudo-arena[rl]'.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from random import Random, SystemRandom
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded
from msgspec import to_builtins
from msgspec.structs import replace
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from arena.game.records import Cause, Event, Fault, Fixture, GameRecord
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer
from arena.lab.env.game import Game, Setting, setting
from arena.lab.env.live_rivals import LiveBots, hello, live_bots
from arena.lab.env.perudo_policy import PASS, Array, Observation, Policy, Table, checked
from arena.league.table.recorded_game import ReplayError, callers, faults_of, moments, replies

Space = spaces.Dict
Discrete = spaces.Discrete
RENDER_MODES = ["ansi", "human"]
ID = "perudo/Perudo-v0"


def _render_mode(mode: str | None) -> str | None:
    if mode not in (None, *RENDER_MODES):
        raise ValueError(f"render_mode is None, 'ansi' or 'human', not {mode!r}")
    return mode


def _entropy() -> int:
    """Return a seed that nobody had before."""
    return SystemRandom().getrandbits(64)


def observation_space(table: Table) -> Space:
    """Return the space of observations at a table: the view and the legal actions."""
    seen = spaces.Box(0, table.highest, dtype=np.int8)
    mask = spaces.Box(0, 1, (table.actions,), np.int8)
    return Space({"observation": seen, "action_mask": mask})


class PerudoEnv(AECEnv[str, Observation, int | None]):
    """Whole games of Perudo; agent `player_n` sits in seat n.

    Without a seed, these are other games in each environment.

    An agent that is out terminates with the reward of its place. `reset(seed=...)` begins game 0 of
    that seed, `reset()` the next game; `options={"game": n}` names one. `infos` has the request of
    the agent that acts, as a bot would get it. An action that is not legal raises InvalidAction.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "perudo_v0",
        "is_parallelizable": False,
        "render_modes": RENDER_MODES,
    }

    def __init__(
        self, setting: Setting, seed: int | str | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.render_mode = _render_mode(render_mode)
        self.setting = setting
        self.table = setting.table
        self.possible_agents = [f"player_{seat}" for seat in range(setting.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.key, self._number = str(_entropy() if seed is None else seed), -1
        self._observations = {agent: observation_space(self.table) for agent in self._seats}
        self._actions = {agent: Discrete(self.table.actions) for agent in self._seats}

    def observation_space(self, agent: str) -> Space:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next game, or the one that is asked for."""
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
        """Return the public state in a line; None without `render_mode="ansi"`.

        With "human" it is printed at each step.
        """
        return self.game.drawn() if self.render_mode == "ansi" else None

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
        if self.render_mode == "human":
            sys.stdout.write(f"{self.game.drawn()}\n")


AGENT = 0
"""The seat of the agent that learns; its rivals sit to its left, in their order."""


class SingleAgentEnv(gymnasium.Env[Any, Any]):
    """Games of one agent; an episode ends when the agent is out or has won.

    The reward comes at the end: 1 for the first place, -1 for the last. As in a league an action
    that is not legal is a fault: the agent is out, in last place among those still in, and
    `info["fault"]` says why. At the end `pass` is legal, so that there is something to draw for
    those who begin the next game by an action. `close` ends the bots, `reset` starts them again.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in Gymnasium
        "render_modes": RENDER_MODES,
        "render_fps": 1,
    }

    def __init__(
        self,
        setting: Setting,
        rivals: Sequence[Policy | str],
        sandbox: str,
        *,
        trust_bots: bool,
        render_mode: str | None = None,
    ) -> None:
        """`rivals` are policies, and folders or archives of bots, in the order of their seats."""
        seats = dict(enumerate(rivals, 1))
        self._policies = {seat: who for seat, who in seats.items() if not isinstance(who, str)}
        self._hear = {
            seat: policy.hear for seat, policy in self._policies.items() if hasattr(policy, "hear")
        }
        bots = {seat: who for seat, who in seats.items() if isinstance(who, str)}
        self.render_mode = _render_mode(render_mode)
        self.setting, self.table = setting, setting.table
        self.observation_space: Space = observation_space(self.table)
        self.action_space = Discrete(self.table.actions)
        self._number = -1
        self._random = Random(0)
        self._ends = ExitStack()
        self._live = partial(live_bots, setting, bots, sandbox, trust_bots=trust_bots)
        self._bots: LiveBots | None = None
        self._has_bots = bool(bots)
        self._start()
        self.game: Game | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next game, or game 0 of a seed; `options={"game": n}` names one.

        Without any seed so far, one is drawn.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._number = -1
        key = str(self.np_random_seed)
        self._number = (options or {}).get("game", self._number + 1)
        self._random = Random(f"{key} {self._number}")
        self._start()
        if self._bots:
            self._bots.begin(key)
        for seat, hear in self._hear.items():
            hear(to_builtins(hello(self.setting, seat, key)))
        self.game = game = Game(self.setting, self.table, key, self._number)
        self._draw(game)
        self._let_rivals_act(game)
        if self._place(game):  # rivals that fault can end it at once
            return self.reset()
        return self._seen(game), self._info(game)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the agent's action, and let its rivals act until it acts again or is out."""
        game = self.game
        if game is None or self._place(game):
            raise ResetNeeded("no game is under way: call reset()")
        fault: Fault | None = None
        try:
            game.act(action)
        except ValueError as error:
            fault = Fault(Cause.ILLEGAL_ACTION, str(error))
            game.take(fault)
        self._draw(game)
        if not self._place(game):
            self._let_rivals_act(game)
        place = self._place(game)
        info = self._info(game) | ({"fault": fault.detail} if fault else {})
        reward = self.setting.reward(place) if place else 0.0
        return self._seen(game), reward, place > 0, False, info

    def action_masks(self) -> Array:
        """Return the legal actions, as sb3-contrib's MaskablePPO asks for them."""
        if self.game is None:
            raise ResetNeeded("no game is under way: call reset()")
        return self._seen(self.game)["action_mask"]

    def render(self) -> str | None:
        """Return the public state and the agent's dice in a line; None without "ansi".

        With "human" it is printed after each action, of rivals, too.
        """
        return self.game.drawn(AGENT) if self.render_mode == "ansi" and self.game else None

    def close(self) -> None:
        """End the live bots."""
        self._ends.close()
        self._bots = None

    def _start(self) -> None:
        if self._has_bots and self._bots is None:
            self._bots = self._ends.enter_context(self._live())

    def _let_rivals_act(self, game: Game) -> None:
        while game.seat not in (None, AGENT) and not self._place(game):
            self._tell(game)
            seat = game.seat
            policy = self._policies.get(seat)
            fault = game.take(
                self._of_policy(game, seat, policy) if policy else self._of_bot(game, seat)
            )
            if fault and self._bots and not policy:
                self._bots.stop(seat)
            self._draw(game)
        self._tell(game)

    def _draw(self, game: Game) -> None:
        if self.render_mode == "human":
            sys.stdout.write(f"{game.drawn(AGENT)}\n")

    def _seen(self, game: Game) -> Observation:
        seen = game.observation(AGENT)
        if self._place(game):
            seen["action_mask"] = self.table.mask((), dudo=False).copy()
            seen["action_mask"][PASS] = 1
        return seen

    def _tell(self, game: Game) -> None:
        if self._bots:
            for notice in game.referee.notices:
                self._bots.tell(notice)
        for notice in game.referee.notices:
            for hear in self._hear.values():
                hear(to_builtins(notice))
        game.referee.notices.clear()

    def _of_policy(self, game: Game, seat: int, policy: Policy) -> Answer:
        if seat in self._hear:
            self._hear[seat](to_builtins(game.request))
        try:
            action = checked(policy(game.observation(seat), self._random), game.mask)
        except ValueError as error:
            raise InvalidAction(f"the rival in seat {seat}: {error}") from None
        return Answer(id=0, **self.table.answer(action))

    def _of_bot(self, game: Game, seat: int) -> Answer | Fault:
        assert self._bots is not None  # noqa: S101 - narrows the type: seats without a policy have bots
        return self._bots.reply(seat, game.request)

    def _place(self, game: Game) -> int:
        return game.referee.places[AGENT]

    def _info(self, game: Game) -> dict[str, Any]:
        place = self._place(game)
        return {"place": place} if place else {"request": game.request}


def recorded(fixture: Fixture, rules: Rules, record: GameRecord) -> Iterator[tuple[PerudoEnv, int]]:
    """Yield an environment before each action of a recorded game, and that action.

    The environment takes the action when the iterator goes on. Where calza is played the record
    does not say which seats were offered it: all that did not call it pass. Raises ReplayError if
    the record is no game by these rules on the fixture's dice.
    """
    setting = Setting(rules, len(fixture.seats), fixture.max_rounds)
    env = PerudoEnv(setting, fixture.dice_key)
    env.reset(options={"game": record.game})
    for moment in moments(record.events):
        yield from _moment(env, moment)
    if env.game.seat is not None:
        raise ReplayError(f"game {record.game} has no end")
    _bury(env)
    if env.game.referee.record != replace(record, events=list(record.events)):
        raise ReplayError(f"game {record.game} is another one on these dice")


def _moment(env: PerudoEnv, moment: list[Event]) -> Iterator[tuple[PerudoEnv, int]]:
    referee = env.game.referee
    if faults := faults_of(moment):
        if gone := faults.keys() - referee.alive:
            raise ReplayError(f"game {referee.game}: seat {min(gone)} is not there to fault")
        env.forfeit({env.possible_agents[seat]: fault for seat, fault in faults.items()})
        return
    if referee.offering:
        yield from _answers(env, replies(referee, moment[0]))
    if not callers(moment[0]):
        yield from _answers(env, replies(referee, moment[0]))


def _answers(env: PerudoEnv, answers: dict[int, Answer]) -> Iterator[tuple[PerudoEnv, int]]:
    for seat, answer in answers.items():
        _bury(env)
        if env.game.seat != seat or env.game.referee.illegal(seat, answer):
            raise ReplayError(f"game {env.game.referee.game}: the rules forbid {answer!r}")
        action = env.table.action(answer.action, answer.quantity, answer.face)
        yield env, action
        env.step(action)


def _bury(env: PerudoEnv) -> None:
    """Step the agents that are out."""
    while env.agents and env.terminations[env.agent_selection]:
        env.step(None)


__all__ = ["PerudoEnv", "env", "raw_env", "recorded", "single_agent"]


def env(
    variant: str | Rules = "bga",
    players: int = 2,
    starting_dice: int | None = None,
    *,
    calza: bool = False,
    seed: int | str | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper[str, Observation, int | None]:
    """Return games of a rule book (`docs/reference/rules.md`) as a PettingZoo AEC environment.

    `starting_dice` is 5 unless given. `seed` keys the dice: an int, or the key of a league's
    fixture; without one it is drawn. `render_mode` is "ansi" or "human". Raises ValueError for a
    rule book, a size or a mode that there is not.
    """
    raw = raw_env(variant, players, starting_dice, calza=calza, seed=seed, render_mode=render_mode)
    return OrderEnforcingWrapper(raw)


def raw_env(
    variant: str | Rules = "bga",
    players: int = 2,
    starting_dice: int | None = None,
    *,
    calza: bool = False,
    seed: int | str | None = None,
    render_mode: str | None = None,
) -> PerudoEnv:
    """Return the same without the wrapper that enforces the order of calls: it is faster."""
    games = setting(variant, players, starting_dice, calza=calza)
    return PerudoEnv(games, seed, render_mode)


def single_agent(
    rivals: Sequence[Policy | str],
    variant: str | Rules = "bga",
    starting_dice: int | None = None,
    *,
    calza: bool = False,
    sandbox: str = "auto",
    trust_bots: bool = False,
    render_mode: str | None = None,
) -> SingleAgentEnv:
    """Return games of one agent in seat 0 against rivals as a Gymnasium environment.

    A rival is a policy, or the folder or archive of a bot (`sample:NAME` for those that come with
    the arena), which then plays live in a sandbox: `close()` ends it. Raises ValueError for a rule
    book, a size or a `render_mode` that there is not, ArenaError for a bot that cannot play.
    """
    games = setting(variant, 1 + len(rivals), starting_dice, calza=calza)
    return SingleAgentEnv(games, rivals, sandbox, trust_bots=trust_bots, render_mode=render_mode)


gymnasium.register(
    ID,
    entry_point="arena.lab.env.perudo_v0:single_agent",
    vector_entry_point="arena.lab.rivals_env:RivalsVectorEnv",
    kwargs={"rivals": ("sample:honest",)},
)
