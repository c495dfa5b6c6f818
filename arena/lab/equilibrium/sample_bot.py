"""The sample bot `equilibrium` as a module: what it would play, without a process."""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from arena.game.rules.books import Rules
from arena.io import shipped


@cache
def equilibrium_bot() -> Any:
    """Load the bot's program."""
    path = shipped.folder("sample_bots") / "equilibrium" / "bot.py"
    spec = spec_from_file_location("_sample_equilibrium", path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    bot = module_from_spec(spec)
    sys.modules[spec.name] = bot
    spec.loader.exec_module(bot)
    return bot


def equilibrium_tables(rules: Rules) -> Any:
    """Return the bot's tables for a rule book."""
    return _tables(*(getattr(rules, switch) for switch in equilibrium_bot().SWITCHES))


@cache
def _tables(*values: bool) -> Any:
    bot = equilibrium_bot()
    return bot.Tables(dict(zip(bot.SWITCHES, values, strict=True)))
