"""Perudo as a Gymnasium environment for one agent, against policies or live bots."""

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random
from typing import Any

import gymnasium
from gymnasium.error import InvalidAction, ResetNeeded

from arena.game.records import Cause, Fault
from arena.game.wire.messages import Answer
from arena.lab.env.aec import Discrete, Space, observation_space
from arena.lab.env.game import Game
from arena.lab.env.live_rivals import LiveBots, live_bots
from arena.lab.env.perudo_policy import Array, Observation, Policy, checked
from arena.lab.env.setting import Setting

AGENT = 0
"""The seat of the agent that learns; its rivals sit to its left, in their order."""


class SingleAgentEnv(gymnasium.Env[Any, Any]):
    """Games of one agent; an episode ends when the agent is out or has won.

    The reward comes at the end: 1 for the first place, -1 for the last. As in a league an action
    that is not legal is a fault: the agent is out, in last place among those still in, and
    `info["fault"]` says why. `close` ends the bots.
    """

    def __init__(
        self,
        setting: Setting,
        rivals: Sequence[Policy | str],
        sandbox: str,
        *,
        trust_bots: bool,
    ) -> None:
        """`rivals` are policies, and folders or archives of bots, in the order of their seats."""
        seats = dict(enumerate(rivals, 1))
        self._policies = {seat: who for seat, who in seats.items() if not isinstance(who, str)}
        bots = {seat: who for seat, who in seats.items() if isinstance(who, str)}
        self.setting, self.table = setting, setting.table
        self.observation_space: Space = observation_space(self.table)
        self.action_space = Discrete(self.table.actions)
        self._key, self._number = "0", -1
        self._random = Random(self._key)
        self._ends = ExitStack()
        self._bots: LiveBots | None = None
        if bots:
            live = live_bots(setting, bots, sandbox, trust_bots=trust_bots)
            self._bots = self._ends.enter_context(live)
        self.game: Game | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next game, or game 0 of a seed; `options={"game": n}` names one."""
        super().reset(seed=seed)
        if seed is not None:
            self._key, self._number = str(seed), -1
        self._number = (options or {}).get("game", self._number + 1)
        self._random = Random(f"{self._key} {self._number}")
        if self._bots:
            self._bots.begin(self._key)
        self.game = game = Game(self.setting, self.table, self._key, self._number)
        self._let_rivals_act(game)
        if self._place(game):  # rivals that fault can end it at once
            return self.reset()
        return game.observation(AGENT), self._info(game)

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
        if not self._place(game):
            self._let_rivals_act(game)
        place = self._place(game)
        info = self._info(game) | ({"fault": fault.detail} if fault else {})
        reward = self.setting.reward(place) if place else 0.0
        return game.observation(AGENT), reward, place > 0, False, info

    def action_masks(self) -> Array:
        """Return the legal actions, as sb3-contrib's MaskablePPO asks for them."""
        if self.game is None:
            raise ResetNeeded("no game is under way: call reset()")
        return self.game.mask.copy()

    def close(self) -> None:
        """End the live bots."""
        self._ends.close()

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
        self._tell(game)

    def _tell(self, game: Game) -> None:
        if self._bots:
            for notice in game.referee.notices:
                self._bots.tell(notice)
        game.referee.notices.clear()

    def _of_policy(self, game: Game, seat: int, policy: Policy) -> Answer:
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
