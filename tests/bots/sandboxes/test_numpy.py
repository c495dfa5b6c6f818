"""Python bots import the arena's numpy, and nothing else of the arena's Python."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.bots.builds.staging import stage
from arena.bots.sandboxes import numpy_folder
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import make_sandbox
from tests.support.live import mode, run_inside, write_bot

OF_THE_HOST = ["process", "bubblewrap"]
"""The sandboxes whose Python is this machine's."""
INSTALLED = Path(np.__file__).parents[1]
USES = """
import json
import numpy.linalg as linear
import numpy
print(json.dumps([numpy.__version__, linear.inv([[2]])[0, 0], numpy.__file__]))
"""
LOOKS = """
import json, os, pkgutil, sys
from pathlib import Path
place = Path(os.environ["PYTHONPATH"])
folders = [place, *(path for path in place.iterdir() if path.is_dir())]
imported = []
for name in ("arena", "msgspec", "trueskill", "pytest"):
    try:
        __import__(name)
        imported.append(name)
    except ImportError:
        pass
try:
    (place / "written").write_text("")
    (place / "written").unlink()
    imported.append("written")
except OSError:
    pass
print(json.dumps({
    "modules": sorted({module.name for module in pkgutil.iter_modules(map(str, folders))}),
    "imported": imported,
    "mounts": Path("/proc/self/mountinfo").read_text() + str(os.environ) + str(sys.path),
}))
"""
TRIES = """
import json, sys
sys.path += sys.argv[1:]
try:
    import numpy
    print(json.dumps([numpy.__file__, numpy.__spec__.origin]))
except ModuleNotFoundError as error:
    print(json.dumps([error.name, str(error)]))
"""


def told(runs: Path, sandbox: Sandbox, program: str, command: str = "python3 bot.py") -> Any:
    bot = write_bot(runs / "written" / "bot", program, command, "runtime: python\n")
    return run_inside(sandbox, stage(bot, runs, sandbox)).told


@pytest.mark.parametrize("name", OF_THE_HOST)
def test_bots_import_the_numpy_of_the_arena(runs: Path, name: str) -> None:
    found, half, file = told(runs, make_sandbox(name), USES)
    assert (found, half) == (version("numpy"), 0.5)
    assert not Path(file).is_relative_to("/usr")


@pytest.mark.slow
def test_bots_in_an_image_import_the_numpy_of_the_image(runs: Path) -> None:
    assert Path(told(runs, make_sandbox("docker"), USES)[2]).is_relative_to("/usr")


@pytest.mark.parametrize("name", OF_THE_HOST)
def test_the_arena_and_its_packages_cannot_be_imported(runs: Path, name: str) -> None:
    found = told(runs, make_sandbox(name), LOOKS)
    assert found["modules"] == ["numpy"]
    assert [name for name in found["imported"] if name != "written"] == []


def test_the_folder_of_numpy_is_read_only_and_does_not_tell_its_place(
    runs: Path, bubblewrap: Sandbox
) -> None:
    """The path of what is installed mostly names the operator."""
    found = told(runs, bubblewrap, LOOKS)
    assert found["imported"] == []
    assert str(INSTALLED) not in found["mounts"]


@pytest.fixture
def other_python(tmp_path: Path) -> Sandbox:
    """A sandbox whose arena has a numpy that no Python here can load."""
    folder = tmp_path / "modules"
    folder.mkdir()
    numpy_folder.fill(folder, "cpython-399-x86_64-linux-gnu")
    sandbox = make_sandbox("process")
    sandbox.__dict__["_modules"] = folder
    return sandbox


def test_other_python_is_told_why_it_has_no_numpy(runs: Path, other_python: Sandbox) -> None:
    # Without its site, Python does not see what this machine has.
    name, said = told(runs, other_python, TRIES, "python3 -S bot.py")
    assert name == "numpy"
    assert said.startswith("the arena's numpy is for Python 3.99, the bot runs Python 3.")


def test_other_python_imports_its_own_numpy(
    runs: Path, tmp_path: Path, other_python: Sandbox
) -> None:
    own = tmp_path / "own" / "numpy.py"
    own.parent.mkdir()
    own.touch()
    command = f"python3 -S bot.py {own.parent}"
    assert told(runs, other_python, TRIES, command) == [str(own), str(own)]


def test_numpy_in_the_folder_of_a_bot_comes_first(runs: Path, bubblewrap: Sandbox) -> None:
    (runs / "written" / "bot").mkdir(parents=True)
    (runs / "written" / "bot" / "numpy.py").touch()
    assert told(runs, bubblewrap, TRIES) == ["/bot/numpy.py", "/bot/numpy.py"]


def test_files_that_others_may_not_read_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As below the home of a root with a strict umask: bots are other users there."""
    package = tmp_path / "home" / "numpy"
    (package / "tests").mkdir(parents=True)
    for name in ("__init__.py", "open.py"):
        (package / name).touch()
    (package / "__init__.py").chmod(0o600)
    monkeypatch.setattr(numpy_folder, "installed", lambda: package.parent)
    (tmp_path / "modules").mkdir(mode=0o755)
    numpy_folder.fill(tmp_path / "modules", "cpython-311-x86_64-linux-gnu")
    made = tmp_path / "modules" / "cpython-311-x86_64-linux-gnu" / "numpy"
    assert sorted(path.name for path in made.iterdir()) == ["__init__.py", "open.py"]
    assert (mode(made), mode(made / "__init__.py")) == (0o755, 0o644)
    assert mode(package / "__init__.py") == 0o600
    assert (made / "open.py").samefile(package / "open.py")
