"""Python packages that are not installed: not allowed, not found, damaged, too large."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.builds.packages import PACKAGES, wanted_by
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.registry import make_sandbox
from tests.bots.wheels import TELL, asking, wheel
from tests.support.live import write_bot
from tests.support.refusals import refused
from tests.support.sampling import sample


def test_packages_that_are_not_allowed_are_named(runs: Path, tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "dice_odds==1.0")
    asked = tmp_path / "bot" / "requirements.txt"
    with refused("'bot' asks for Python packages", asked, "packages: true"):
        stage(bot, runs, make_sandbox("process"))
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
    with refused(f"no package with its version: '{line.split(maxsplit=1)[0]}"):
        stage(bot, runs, make_sandbox("process"), packages=True)


MISSING = "No matching distribution found for "
LISTS = {
    "all wrong lines, in one go": (
        "numpy\ndice_odds==1.0\n-e .\nscipy>=1\n",
        "no package with its version: 'numpy', '-e .', 'scipy>=1'",
    ),
    "so many wrong lines that they are cut": (
        "\n".join(f"numpy{n}" for n in range(20)),
        "'numpy7', and 12 more",
    ),
    "all that are not found, in one go": (
        "no_such==1.0\ndice_odds==1.0\nNor.this==2.0\n",
        f"{MISSING}no_such==1.0; {MISSING}Nor.this==2.0",
    ),
    "another hash": (
        f"dice_odds==1.0 \\\n    --hash=sha256:{'0' * 64}\n",
        "DO NOT MATCH THE HASHES",
    ),
    "a version that is missing": ("dice_odds==9.9", "dice_odds==9.9"),
    # Its setup.py would run as the operator.
    "a source package": ("other==1.0", f"{MISSING}other==1.0"),
}
"""Texts of requirements.txt, and the end of the error."""
WRONG = [case for case in LISTS if "wrong lines" in case]
"""Those that are refused before pip is asked."""


@pytest.mark.parametrize("case", [*WRONG, *sample([*LISTS][len(WRONG) :], 1, "packages not had")])
def test_packages_that_cannot_be_had_are_named(
    index: Path, runs: Path, tmp_path: Path, case: str
) -> None:
    text, reason = LISTS[case]
    (index / "other-1.0.tar.gz").write_bytes(b"")
    bot = asking(tmp_path / "bot", text)
    with refused(reason):
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert not list(runs.iterdir())


def test_sandbox_without_python_is_named(
    index: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.builds.packages._ASK", "raise SystemExit(127)")
    bot = asking(tmp_path / "bot", "dice_odds==1.0")
    with refused("its sandbox has no python3", hint="sudo apt-get install python3"):
        stage(bot, runs, make_sandbox("process"), packages=True)


WHEELS: dict[str, tuple[Callable[[Path], object], str]] = {
    "for another machine": (
        lambda vendor: wheel(vendor, "1.0", {"dice_odds.py": ""}, "cp27-cp27m-manylinux1_s390x"),
        "is not a supported wheel",
    ),
    "that would fill the disk": (
        lambda vendor: wheel(vendor, "1.0", {"dice_odds.py": "#" * 2**21}),
        "at most 1 MiB",
    ),
    "damaged": (lambda vendor: wheel(vendor, "1.0", {}).write_bytes(b"PK"), "cannot be read"),
}


@pytest.mark.parametrize("case", WHEELS)
def test_wheel_that_cannot_be_installed_is_refused(
    index: Path, runs: Path, tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.builds.packages.MAX_SIZE", 2**20)
    put, reason = WHEELS[case]
    put(tmp_path / "bot" / "vendor")
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with refused(reason):
        stage(bot, runs, make_sandbox("process"), packages=True)


def test_list_that_is_too_long_is_refused_by_its_name(tmp_path: Path) -> None:
    bot = asking(tmp_path / "bot", "# " + "x" * 70_000)
    with refused("larger than 64 KiB", tmp_path / "bot" / "requirements.txt"):
        wanted_by(bot, bot.folder, allowed=True)


def test_folder_named_like_a_wheel_is_none(tmp_path: Path) -> None:
    (tmp_path / "bot" / "vendor" / "a.whl").mkdir(parents=True)
    bot = write_bot(tmp_path / "bot", TELL)
    assert wanted_by(bot, bot.folder, allowed=False) is None


def test_place_of_the_packages_cannot_be_taken(index: Path, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "bot" / PACKAGES).mkdir(parents=True)
    (tmp_path / "bot" / PACKAGES / "dice_odds.py").write_text("")
    (tmp_path / "bot" / "requirements.txt").write_text("dice_odds==1.0")
    bot = write_bot(tmp_path / "bot", TELL, "python3 bot.py", "runtime: python\n")
    with refused(f"'{PACKAGES}' of its own"):
        stage(bot, runs, make_sandbox("process"), packages=True)
