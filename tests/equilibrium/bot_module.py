"""The sample bot `equilibrium` as a module: its functions can be asked without a process."""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

BOT = Path(__file__).parents[2] / "sample_bots" / "equilibrium"


@cache
def bot_module() -> ModuleType:
    spec = spec_from_file_location("equilibrium_bot", BOT / "bot.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
