"""Names that were changed work on with a word, until the version in which they end."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from arena import __version__
from arena.io import renamed
from arena.io.renamed import RENAMED, Renamed
from arena.league.terms.config import load_league
from tests.cli.command import error_line, league, run

ENDS = "9.0"
INVENTED = (
    Renamed("LeagueFile", "matches", "games", ENDS),
    Renamed("LeagueFile", "limits.reply", "limits.answer", ENDS),
    Renamed("arena rules", "--versus", "--diff", ENDS),
    Renamed("arena", "laws", "rules", ENDS),
    Renamed("arena ladder", "show", "list", ENDS),
    Renamed("invented", "old", "new", ENDS),
)


@pytest.fixture(autouse=True)
def invented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renamed, "RENAMED", INVENTED)
    monkeypatch.setattr(renamed, "_said", set())


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_old_names_are_gone_in_the_version_that_was_named() -> None:
    assert [entry for entry in RENAMED if version(entry.ends) <= version(__version__)] == []


def test_old_keys_are_read(tmp_path: Path) -> None:
    keys = {"matches": 3, "limits": {"reply": 1.5}}
    path = tmp_path / "league.yaml"
    path.write_text(json.dumps({"bots": ["sample:odds", "sample:honest"], **keys}, indent=1))
    config = load_league(path)
    assert (config.games, config.limits.answer) == (3, 1.5)


def test_line_names_the_place_the_new_key_and_the_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "league.yaml"
    path.write_text("bots: ['sample:*']\nlimits:\n  reply: 1.5\n")
    for _ in range(2):
        load_league(path)
    assert capsys.readouterr().err == (
        f"warning: {path}:3:3: 'limits.reply' is called 'limits.answer' now,"
        f" and ends with version {ENDS}\n"
    )


def test_error_in_the_value_of_an_old_key_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "league.yaml").write_text("bots: ['sample:*']\nmatches: 0\n")
    error_line(run("run", "league.yaml", cwd=tmp_path), "games must be", "league.yaml:2:1")


def test_both_names_are_refused(tmp_path: Path) -> None:
    league(tmp_path, matches=3)
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(ran, "'matches' is the old name of 'games'", "league.yaml:", "leave it out")


@pytest.mark.parametrize(
    ("words", "now", "said"),
    [
        ("rules --versus bga classic", "rules --diff bga classic", "'--diff'"),
        ("rules --versus=bga", "rules --diff=bga", "'--diff'"),
        ("rules -- --versus", "rules -- --versus", ""),
        ("judge --versus", "judge --versus", ""),
        ("laws bga", "rules bga", "'rules'"),
        ("rules laws", "rules laws", ""),
        ("ladder show club", "ladder list club", "'list'"),
        ("ladder", "ladder", ""),
    ],
)
def test_old_options_and_commands_are_taken(
    words: str, now: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert renamed.with_new_options(words.split()) == now.split()
    lines = capsys.readouterr().err.splitlines()
    assert [said in line for line in lines] == [True] * bool(said)


def test_command_runs_by_its_old_name(tmp_path: Path) -> None:
    old, new = (run(name, "bga", cwd=tmp_path) for name in ("laws", "rules"))
    assert old.out == new.out
    said = f"warning: arena: 'laws' is called 'rules' now, and ends with version {ENDS}"
    assert old.err.splitlines() == [said]


def test_old_name_in_python_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("invented")
    vars(module).update(new=7, __getattr__=renamed.getter("invented"))
    monkeypatch.setitem(sys.modules, "invented", module)
    with pytest.warns(DeprecationWarning, match=r"'old' is called 'new' now.*9\.0"):
        assert module.old == 7
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        _ = module.other
