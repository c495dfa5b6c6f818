"""Python packages that bots ask for: fetched by the operator's pip where that is allowed."""

import json
import textwrap
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds import staging
from arena.bots.builds.packages import PACKAGES, Interpreter
from arena.bots.builds.staging import stage
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox
from tests.bots.wheels import TELL, asking, told, wheel
from tests.cli.command import LOWEST, bot, error_line, league, opened, run
from tests.support.depth import depth
from tests.support.live import in_place, write_bot
from tests.support.sampling import sample


# Those below find one in the others.
@pytest.mark.slow
@pytest.mark.parametrize("sandbox", depth(["docker"], [*SANDBOXES]), indirect=True)
def test_pinned_package_is_found_in_every_sandbox(
    sandbox: Sandbox, index: Path, runs: Path, tmp_path: Path
) -> None:
    bot = asking(tmp_path / "bot", "# what it needs\ndice_odds==1.0  # odds\n")
    staged = stage(bot, runs, sandbox, packages=True)
    version, file = told(sandbox, staged)
    assert version == "1.0"
    assert f"/{PACKAGES}/dice_odds.py" in file


def test_wheels_in_vendor_are_installed_without_an_index(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    sandbox = make_sandbox("bubblewrap")
    wheel(tmp_path / "bot" / "vendor", "2.0", {"dice_odds.py": "VERSION = '2.0'\n"})
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    assert told(sandbox, stage(bot, runs, sandbox, packages=True))[0] == "2.0"


COMPILED = "import json, dice_odds as d; print(json.dumps([d.VERSION, d.__spec__.cached]))"


@pytest.mark.slow
def test_packages_are_there_after_a_build_compiled_and_on_other_machines(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    """A bot cannot store what it compiles, so each of its starts would compile them again."""
    sandbox = make_sandbox("bubblewrap")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "requirements.txt").write_text("dice_odds==1.0")
    more = "runtime: python\nbuild: sh -c 'echo built > made'\n"
    bot = write_bot(tmp_path / "bot", COMPILED, "python3 bot.py", more)
    staged = stage(bot, runs, sandbox, packages=True)
    assert (staged.folder / "made").is_file()
    staging.unpack_bundle(staging.pack_bundle(staged.folder), runs / "elsewhere")
    there = StagedBot(staged.info, runs / "elsewhere", staged.command)
    version, compiled = told(sandbox, there)
    assert version == "1.0"
    for folder in (staged.folder, there.folder):
        assert (folder / PACKAGES / "__pycache__" / Path(compiled).name).is_file()


@pytest.mark.slow
def test_packages_are_fetched_once(index: Path, runs: Path, tmp_path: Path) -> None:
    """A second bot of the run shares them, and a later run finds them in the cache."""
    sandbox = make_sandbox("process")
    first = stage(asking(tmp_path / "one", "dice_odds==1.0"), runs, sandbox, packages=True)
    next(index.iterdir()).unlink()
    second = stage(
        asking(tmp_path / "two", "dice_odds==1.0 # as one"), runs, sandbox, packages=True
    )
    shared = {(bot.folder / PACKAGES / "dice_odds.py").stat().st_ino for bot in (first, second)}
    assert len(shared) == 1
    (runs / "later").mkdir()
    later = stage(first_bot := load_bot(tmp_path / "one"), runs / "later", sandbox, packages=True)
    assert first_bot.info == first.info
    assert told(sandbox, later)[0] == "1.0"


def test_other_packages_are_another_version_of_the_bot(index: Path, tmp_path: Path) -> None:
    one = asking(tmp_path / "a" / "bot", "dice_odds==1.0")
    other = asking(tmp_path / "b" / "bot", "dice_odds==2.0")
    assert one.info.digest != other.info.digest


def test_bot_that_asks_for_nothing_is_started_as_before(runs: Path, tmp_path: Path) -> None:
    sandbox = make_sandbox("process")
    bot = asking(tmp_path / "bot", "# nothing\n\n", "print(1)")
    staged = stage(bot, runs, sandbox)
    assert staged.program == in_place(bot).program._replace(folder=staged.folder)


# ---------------------------------------------------------------- which wheels fit


def test_wheels_are_chosen_for_the_python_of_the_sandbox() -> None:
    options = Interpreter((3, 13), "glibc 2.28", "x86_64").options()
    assert "--python-version=3.13" in options
    platforms = [option.split("=")[1] for option in options if option.startswith("--platform")]
    assert platforms[:2] == ["linux_x86_64", "manylinux_2_28_x86_64"]
    assert "manylinux_2_29_x86_64" not in platforms
    assert Interpreter((3, 12), "", "aarch64").options()[-1] == "--platform=linux_aarch64"


# ---------------------------------------------------------------- in a league


USES = "import dice_odds\n" + textwrap.dedent(LOWEST)


def asking_league(folder: Path, **keys: object) -> Path:
    asking(folder / "ada", "dice_odds==1.0", USES)
    return league(folder, bots=["ada", "sample:random"], games=1, **keys)


@pytest.mark.slow
def test_league_installs_packages_if_its_file_says_so(index: Path, tmp_path: Path) -> None:
    asking_league(tmp_path, packages=True, sandbox="bubblewrap")
    ran = run("run", "league.yaml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "Python packages are installed for ada\n" in ran.err
    assert '"fault"' not in json.dumps(opened(tmp_path / "league.sqlite"))


def test_league_without_packages_names_the_bot_and_its_file(index: Path, tmp_path: Path) -> None:
    """Before any bot is built."""
    asking(tmp_path / "ada", "dice_odds==1.0", USES)
    mark = tmp_path / "built"
    bot(tmp_path / "aaa", build=f"touch {mark}")
    league(tmp_path, bots=["aaa", "ada"], games=1)
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    error_line(ran, "'ada' asks for Python packages", "ada/requirements.txt", "packages: true")
    assert not mark.exists()


COMMANDS = [
    ("check", "ada", "--step", "5"),
    ("check", "ada", "--transcript", "bga"),
    ("play", "ada", "sample:random", "--games", "1"),
    ("compare", "ada", "ada", "--against", "sample:random", "--blocks", "2", "--games", "1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("command", sample(COMMANDS, 1, "commands that install packages"))
def test_authors_have_packages_installed_by_an_option(
    index: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    asking(tmp_path / "ada", "dice_odds==1.0", USES)
    ran = run(*command, "--packages", "--sandbox", "bubblewrap", cwd=tmp_path)
    assert ran.code == 0, ran.out + ran.err
