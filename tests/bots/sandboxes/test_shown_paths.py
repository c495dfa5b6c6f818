"""Paths that an operator has sandboxes show: bots can read them, and nothing around them."""

from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.registry import check_shown, make_sandbox
from arena.bots.sandboxes.run_once import run_once
from arena.io.errors import ArenaError
from tests.cli.command import ROOT
from tests.support.live import HANG

SHOWN = ROOT / "protocol"
SCRIPT = f"""
ls {ROOT}
cat {SHOWN}/README.md >/tmp/copy && test -s /tmp/copy && echo read
(echo x >{SHOWN}/new) 2>/dev/null || echo read-only
"""


@pytest.mark.parametrize("name", ["bubblewrap", "docker"])
def test_bots_can_read_what_is_shown_and_nothing_beside_it(name: str, runs: Path) -> None:
    sandbox = make_sandbox(name, ["any"], paths=[str(SHOWN)])
    ran = run_once(sandbox, Program(runs, ["sh", "-c", SCRIPT]), HANG)
    assert ran.stdout.decode().split() == ["protocol", "read", "read-only"], ran.stderr


def test_link_is_judged_by_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.sandboxes.registry._SECRET", ("/etc/passwd",))
    link = tmp_path / "link"
    link.symlink_to("/etc/passwd")
    with pytest.raises(ArenaError, match="no bot may see /etc/passwd"):
        check_shown(str(link), "here")


def test_files_of_the_league_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds and other bots lie there."""
    monkeypatch.setattr("arena.bots.sandboxes.registry._SECRET", ())
    monkeypatch.setattr("pathlib.Path.home", lambda: Path("/home/ada"))
    for path in (tmp_path, tmp_path.parent, tmp_path / "bots"):
        path.mkdir(exist_ok=True)
        with pytest.raises(ArenaError, match=f"no bot may see {tmp_path}"):
            check_shown(str(path), "here", tmp_path)


def test_path_that_others_may_not_read_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bots.sandboxes.registry._SECRET", ())
    tmp_path.chmod(0o700)
    with pytest.raises(ArenaError, match="other users of this machine may not read it"):
        check_shown(str(tmp_path), "here")
