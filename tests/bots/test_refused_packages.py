"""Python packages that are not installed: not allowed, not found, damaged, too large."""

from pathlib import Path

import pytest

from arena.bots.builds.packages import PACKAGES, wanted_by
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.registry import make_sandbox
from arena.io.errors import ArenaError
from tests.bots.wheels import TELL, asking, wheel
from tests.support.live import write_bot


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
    monkeypatch.setattr("arena.bots.builds.packages._ASK", "raise SystemExit(127)")
    bot = asking(tmp_path / "bot", "dice_odds==1.0")
    with pytest.raises(ArenaError, match="its sandbox has no python3") as refusal:
        stage(bot, runs, make_sandbox("process"), packages=True)
    assert refusal.value.hint == "sudo apt-get install python3"


def test_wheel_that_would_fill_the_disk_is_refused(
    index: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.builds.packages.MAX_SIZE", 2**20)
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
