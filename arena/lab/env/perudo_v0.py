"""Perudo for PettingZoo and Gymnasium: `perudo_v0.env()` and `perudo_v0.single_agent()`.

Needs the extra `rl`: pip install 'perudo-arena[rl]'.
"""

from collections.abc import Sequence

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from arena.game.rules.books import Rules
from arena.lab.env.aec import PerudoEnv
from arena.lab.env.perudo_policy import Observation, Policy
from arena.lab.env.recorded import recorded
from arena.lab.env.setting import setting
from arena.lab.env.single_agent import SingleAgentEnv

__all__ = ["PerudoEnv", "env", "raw_env", "recorded", "single_agent"]


def env(
    variant: str | Rules = "bga",
    players: int = 2,
    starting_dice: int | None = None,
    *,
    calza: bool = False,
    seed: int | str = 0,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper[str, Observation, int | None]:
    """Return games of a rule book (`docs/reference/rules.md`) as a PettingZoo AEC environment.

    `starting_dice` is 5 unless given. `seed` keys the dice: an int, or the key of a league's
    fixture. Raises ValueError for a rule book or a size that there is not.
    """
    raw = raw_env(variant, players, starting_dice, calza=calza, seed=seed, render_mode=render_mode)
    return OrderEnforcingWrapper(raw)


def raw_env(
    variant: str | Rules = "bga",
    players: int = 2,
    starting_dice: int | None = None,
    *,
    calza: bool = False,
    seed: int | str = 0,
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
) -> SingleAgentEnv:
    """Return games of one agent in seat 0 against rivals as a Gymnasium environment.

    A rival is a policy, or the folder or archive of a bot (`sample:NAME` for those that come with
    the arena), which then plays live in a sandbox: `close()` ends it. Raises ValueError for a rule
    book or a size that there is not, ArenaError for a bot that cannot play.
    """
    games = setting(variant, 1 + len(rivals), starting_dice, calza=calza)
    return SingleAgentEnv(games, rivals, sandbox, trust_bots=trust_bots)
