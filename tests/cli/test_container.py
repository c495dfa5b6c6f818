"""What is different in the arena's own image; `tests/image/` has what needs a container."""

import os
from pathlib import Path

import pytest

from arena.bots.folder import digest
from arena.io import container
from tests.cli.command import LOWEST, bot, run
from tests.cli.every_command import every_command

INSIDE = {"ARENA_CONTAINER": "1"}
PLAIN = "container: bots run as plain processes; the container protects your machine"
GAME = ("play", "mine", "sample:honest", "--games", "1", "--sandbox", "process")


def test_no_bot_needs_trust_where_the_container_protects_the_machine(tmp_path: Path) -> None:
    bot(tmp_path / "mine", LOWEST)
    assert run(*GAME, cwd=tmp_path).code == 2
    ran = run(*GAME, cwd=tmp_path, env=INSIDE)
    assert (ran.code, ran.err.startswith(PLAIN)) == (0, True), ran
    # The files of a container end with it.
    assert f"stored: arena report {tmp_path}/.perudo-arena/play/" in ran.err
    ran = run(*GAME, "--trust-bots", cwd=tmp_path)
    assert (ran.code, "container" in ran.err) == (0, False), ran


def test_files_of_a_failed_check_outlive_the_container(tmp_path: Path) -> None:
    bot(tmp_path / "mine", "input(); print('{}')")
    ran = run("check", "mine", "--sandbox", "process", cwd=tmp_path, env=INSIDE)
    assert ran.code == 1, ran
    assert f"{tmp_path}/.perudo-arena/check/mine.fault.jsonl" in ran.out
    assert (tmp_path / ".perudo-arena/check/mine.fault.jsonl").is_file()


def test_every_command_that_asks_for_trust_names_its_sandbox() -> None:
    """The first line in a container is about that sandbox."""
    for name, command in every_command().items():
        options = {option.name for option in command.params}
        assert "trust_bots" not in options or "sandbox" in options, name


def test_files_that_commands_leave_are_no_part_of_a_bot(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine", LOWEST)
    before = digest(folder)
    (folder / container.LEFT / "check").mkdir(parents=True)
    (folder / container.LEFT / "check/mine.fault.jsonl").touch()
    assert digest(folder) == before


@pytest.mark.parametrize(
    ("inside", "mounted", "owner", "warns"),
    [
        (True, True, 1_000_003, True),
        (True, True, os.geteuid(), False),  # it is mounted read-only
        (True, False, 1_000_003, False),
        (False, True, 1_000_003, False),
    ],
)
def test_mounted_folder_of_another_user(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    inside: bool,
    mounted: bool,
    owner: int,
    warns: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_CONTAINER", "1" if inside else "")
    monkeypatch.setattr(Path, "is_mount", lambda _: mounted)
    monkeypatch.setattr(os, "access", lambda *_: False)
    status = os.stat_result((0o40755, 1, 1, 1, owner, owner, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda _: status)
    warning = container.closed_folder()
    assert bool(warning) == warns
    assert f"--user {owner}:{owner}" in warning or not warns
