"""Sample bots as modules: their functions can be asked without a process."""

import io
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

BOTS = Path(__file__).parents[3] / "sample_bots"
BOT = BOTS / "equilibrium"


@cache
def bot_module(name: str = "equilibrium") -> ModuleType:
    spec = spec_from_file_location(f"{name}_bot", BOTS / name / "bot.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    # Some begin to talk at once; there is nobody to talk to.
    with patch.object(sys, "stdin", io.StringIO()):
        spec.loader.exec_module(module)
    return module
