"""Workshops: bots made ready to start in a sandbox that they may run in."""

from pathlib import Path

import pytest

from arena.bots.manifest import find_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import open_workshop, sandbox_for
from arena.io.errors import ArenaError
from tests.support.live import write_bot


def test_a_bot_is_ready_as_long_as_its_workshop_is_open(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "print(1)")
    with open_workshop(ProcessSandbox()) as workshop:
        folder = workshop.stage(bot).folder
        assert (folder / "bot.py").read_text(encoding="utf-8") == "print(1)"
    assert not folder.exists()


def test_only_the_arenas_own_bots_need_no_trust(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "")
    assert sandbox_for([bot], "process", trusted=True).name == "process"
    assert sandbox_for([], "process", trusted=False, own=[bot]).name == "process"
    with pytest.raises(ArenaError, match="does not isolate"):
        sandbox_for([bot], "process", trusted=False)


def test_a_pattern_must_name_one_bot(tmp_path: Path) -> None:
    write_bot(tmp_path / "one", "")
    assert find_bot("o*", tmp_path, "--as").name == "one"
    write_bot(tmp_path / "other", "")
    with pytest.raises(ArenaError) as caught:
        find_bot("o*", tmp_path, "--as")
    error = caught.value
    assert (error.what, error.where) == ("'o*' names 2 bots", "--as")
    assert error.hint == "name one of them"
