"""Python packages that bots ask for: fetched by the operator's pip where that is allowed."""

import json
import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.sandboxes.base import Sandbox
from arena.sandboxes.registry import make_sandbox
from arena.submissions import bundle
from arena.submissions.bot import Bot, StagedBot
from arena.submissions.manifest import load_bot
from arena.submissions.packages import PACKAGES, Interpreter, wanted_by
from arena.submissions.staging import stage
from tests.cli.command import LOWEST, bot, error_line, league, opened, run
from tests.support.live import in_place, run_inside, write_bot

TELL = "import json, sys, dice_odds; print(json.dumps([dice_odds.VERSION, dice_odds.__file__]))"


def wheel(folder: Path, version: str, files: Mapping[str, str], tag: str = "py3-none-any") -> Path:
    """Write a wheel of the package dice_odds."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"dice_odds-{version}-{tag}.whl"
    info = f"dice_odds-{version}.dist-info"
    meta = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: dice_odds\nVersion: {version}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {**files, **meta}.items():
            packed.writestr(name, text)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip finds version 1.0 of dice_odds, and nothing else; an empty cache."""
    folder = tmp_path / "index"
    wheel(folder, "1.0", {"dice_odds.py": "VERSION = '1.0'\n"})
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def asking(folder: Path, requirements: str, program: str = TELL) -> Bot:
    folder.mkdir(parents=True)
    (folder / "requirements.txt").write_text(requirements)
    return write_bot(folder, program, "python3 bot.py", "runtime: python\n")


def told(sandbox: Sandbox, bot: StagedBot) -> list[str]:
    """Return what a staged bot printed, started as a league does."""
    answer: list[str] = run_inside(sandbox, bot).told
    return answer


# ---------------------------------------------------------------- installed


def test_pinned_package_is_found_in_every_sandbox(
    sandbox: Sandbox, index: Path, runs: Path, tmp_path: Path
) -> None:
    bot = asking(tmp_path / "bot", "# what it needs\ndice_odds==1.0  # odds\n")
    staged = stage(bot, runs, sandbox, packages=True)
    version, file = told(sandbox, staged)
    assert version == "1.0"
    assert f"/{PACKAGES}/dice_odds.py" in file


def test_modules_are_compiled_beforehand(index: Path, runs: Path, tmp_path: Path) -> None:
    """A bot cannot store the result, so each of its starts would compile them."""
    sandbox = make_sandbox("bubblewrap")
    program = "import json, dice_odds; print(json.dumps([dice_odds.__spec__.cached]))"
    staged = stage(
        asking(tmp_path / "bot", "dice_odds==1.0", program), runs, sandbox, packages=True
    )
    [compiled] = told(sandbox, staged)
    assert (staged.folder / PACKAGES / "__pycache__" / Path(compiled).name).is_file()


def test_wheels_in_vendor_are_installed_without_an_index(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    sandbox = make_sandbox("bubblewrap")
    wheel(tmp_path / "bot" / "vendor", "2.0", {"dice_odds.py": "VERSION = '2.0'\n"})
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    assert told(sandbox, stage(bot, runs, sandbox, packages=True))[0] == "2.0"


def test_packages_are_there_after_a_build_and_on_other_machines(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    sandbox = make_sandbox("bubblewrap")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "requirements.txt").write_text("dice_odds==1.0")
    more = "runtime: python\nbuild: sh -c 'echo built > made'\n"
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", more)
    staged = stage(bot, runs, sandbox, packages=True)
    assert (staged.folder / "made").is_file()
    bundle.unpack(bundle.pack(staged.folder), runs / "elsewhere")
    there = StagedBot(staged.info, runs / "elsewhere", staged.command)
    assert told(sandbox, there)[0] == "1.0"


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


# ---------------------------------------------------------------- refused


def test_packages_that_are_not_allowed_are_named(runs: Path, tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "dice_odds==1.0")
    with pytest.raises(ArenaError, match="'bot' asks for Python packages") as refusal:
        stage(bot, runs, make_sandbox("process"))
    assert refusal.value.where == str(tmp_path / "bot" / "requirements.txt")
    assert "packages: true" in refusal.value.hint
    assert not list(runs.iterdir())


@pytest.mark.parametrize(
    "line",
    [
        "numpy",
        "numpy>=1",
        "numpy==1.*",
        "-r other.txt",
        "--index-url http://example.org",
        "-e .",
        "x @ file:///etc/passwd",
        "git+https://example.org/x",
        "./x.whl",
        "numpy==1 --global-option=x",
    ],
)
def test_lines_that_are_no_package_and_version_are_refused(
    line: str, runs: Path, tmp_path: Path
) -> None:
    """Options, paths and addresses would have the operator's pip read or run what they name."""
    bot = asking(tmp_path / "bot", f"dice_odds==1.0\n{line}\n")
    with pytest.raises(ArenaError, match="no package with its version") as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert line.split(maxsplit=1)[0] in refusal.value.what


def test_all_wrong_lines_are_named_in_one_go(runs: Path, tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "numpy\ndice_odds==1.0\n-e .\nscipy>=1\n")
    with pytest.raises(ArenaError) as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert refusal.value.what == "no package with its version: 'numpy', '-e .', 'scipy>=1'"


def test_long_lists_of_wrong_lines_are_cut(runs: Path, tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "\n".join(f"numpy{n}" for n in range(20)))
    with pytest.raises(ArenaError, match="'numpy7', and 12 more /"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_all_packages_that_are_not_found_are_named_in_one_go(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    bot = asking(tmp_path / "bot", "no_such==1.0\ndice_odds==1.0\nNor.this==2.0\n")
    with pytest.raises(ArenaError) as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert refusal.value.what.endswith(
        "No matching distribution found for no_such==1.0;"
        " No matching distribution found for Nor.this==2.0"
    )


def test_hashes_are_checked(index: Path, runs: Path, tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", f"dice_odds==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    with pytest.raises(ArenaError, match="DO NOT MATCH THE HASHES"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_missing_version_is_pip_s_message_in_one_line(
    index: Path, runs: Path, tmp_path: Path
) -> None:
    bot = asking(tmp_path / "bot", "dice_odds==9.9")
    with pytest.raises(ArenaError, match=r"packages of 'bot'.*dice_odds==9\.9") as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert "\n" not in str(refusal.value)
    assert not list(runs.iterdir())


def test_wheel_for_another_machine_is_refused(index: Path, runs: Path, tmp_path: Path) -> None:
    tag = "cp27-cp27m-manylinux1_s390x"
    wheel(tmp_path / "bot" / "vendor", "1.0", {"dice_odds.py": ""}, tag)
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with pytest.raises(ArenaError, match="is not a supported wheel"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_source_packages_are_not_built(index: Path, runs: Path, tmp_path: Path) -> None:
    """Their setup.py would run as the operator."""
    (index / "other-1.0.tar.gz").write_bytes(b"")
    bot = asking(tmp_path / "bot", "other==1.0")
    with pytest.raises(ArenaError, match="No matching distribution"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_sandbox_without_python_is_named(
    index: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.submissions.packages._ASK", "raise SystemExit(127)")
    bot = asking(tmp_path / "bot", "dice_odds==1.0")
    with pytest.raises(ArenaError, match="its sandbox has no python3") as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert refusal.value.hint == "sudo apt-get install python3"


def test_wheel_that_would_fill_the_disk_is_refused(
    index: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.submissions.packages.MAX_SIZE", 2**20)
    wheel(tmp_path / "bot" / "vendor", "1.0", {"dice_odds.py": "#" * 2**21})
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with pytest.raises(ArenaError, match="at most 1 MiB"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_damaged_wheel_is_refused(index: Path, runs: Path, tmp_path: Path) -> None:
    wheel(tmp_path / "bot" / "vendor", "1.0", {}).write_bytes(b"PK")
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with pytest.raises(ArenaError, match="cannot be read"):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_list_that_is_too_long_is_refused_by_its_name(tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "# " + "x" * 70_000)
    with pytest.raises(ArenaError, match="larger than 64 KiB") as refusal:
        wanted_by(bot, bot.folder, allowed=True)
    assert refusal.value.where == str(tmp_path / "bot" / "requirements.txt")


def test_folder_named_like_a_wheel_is_none(tmp_path: Path) -> None:
    (tmp_path / "bot" / "vendor" / "a.whl").mkdir(parents=True)
    bot = write_bot(tmp_path / "bot", TELL)
    assert wanted_by(bot, bot.folder, allowed=False) is None


def test_place_of_the_packages_cannot_be_taken(index: Path, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "bot" / PACKAGES).mkdir(parents=True)
    (tmp_path / "bot" / PACKAGES / "dice_odds.py").write_text("")
    (tmp_path / "bot" / "requirements.txt").write_text("dice_odds==1.0")
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with pytest.raises(ArenaError, match=f"'{PACKAGES}' of its own"):
        stage(bot, runs, make_sandbox("process"), packages=True)


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


@pytest.mark.parametrize(
    "command",
    [
        ("check", "ada", "--step", "5"),
        ("check", "ada", "--transcript", "bga"),
        ("play", "ada", "sample:random", "--games", "1"),
        ("compare", "ada", "ada", "--field", "sample:random", "--rounds", "2", "--games", "1"),
    ],
)
def test_authors_have_packages_installed_by_an_option(
    index: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    asking(tmp_path / "ada", "dice_odds==1.0", USES)
    ran = run(*command, "--packages", "--sandbox", "bubblewrap", cwd=tmp_path)
    assert ran.code == 0, ran.out + ran.err
