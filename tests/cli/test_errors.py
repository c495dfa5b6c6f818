"""Errors as a person and a program see them: the place is marked, the parts are data."""

import json
from pathlib import Path

import pytest

from tests.cli.command import run, run_process

MISTAKE = "bots: [sample:odds]\nplayers: 2\n  gamse: 3\n"


def coloured(folder: Path, *arguments: str) -> list[str]:
    ran = run_process(*arguments, cwd=folder, env={"FORCE_COLOR": "1"})
    assert ran.code == 2
    return ran.err.splitlines()


def test_place_is_marked_in_its_line(tmp_path: Path) -> None:
    (tmp_path / "league.yaml").write_text("bots: [sample:odds]\ngamse: 3\n")
    red, green, end = "\x1b[31m\x1b[1m", "\x1b[32m", "\x1b[0m"
    assert coloured(tmp_path, "run", "league.yaml") == [
        f"{red}error:{end} unknown key 'gamse'",
        "  league.yaml:2:1",
        "  2 | gamse: 3",
        f"    | {red}^{end}",
        f"{green}  did you mean 'games'?{end}",
    ]


def test_mark_is_below_the_column(tmp_path: Path) -> None:
    (tmp_path / "league.yaml").write_text(MISTAKE)
    *_, line, mark = coloured(tmp_path, "run", "league.yaml")[:4]
    assert line == "  3 |   gamse: 3"
    assert mark.startswith("    |" + " " * (line.index(":") - len("    |")))


def test_long_errors_break_between_words(tmp_path: Path) -> None:
    lines = coloured(tmp_path, "check", "https://example.org/bot")
    assert max(len(line) for line in lines) <= 80 + len("\x1b[31m\x1b[1m\x1b[0m")


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_without_colour_an_error_is_one_line(tmp_path: Path, variables: dict[str, str]) -> None:
    ran = run_process("check", "nobody", cwd=tmp_path, env={"TERM": "xterm", **variables})
    assert ran.err.startswith("error: no such bot folder / nobody / ")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "what", "where"),
    [
        (["run", "none.yaml"], 2, "no such file", "none.yaml"),
        (["run"], 2, "missing argument 'LEAGUE'", "arena run"),
        (["play", "nobody"], 2, "no such bot folder: ", "BOT"),
        (["upload"], 2, "unknown command 'upload'", ""),
    ],
)
def test_errors_are_data_for_programs(
    tmp_path: Path, arguments: list[str], code: int, what: str, where: str
) -> None:
    ran = run(*arguments, "--json", cwd=tmp_path)
    error = json.loads(ran.out)["error"]
    assert (ran.code, error["code"], error["where"]) == (code, code, where)
    assert error["what"].startswith(what)
    assert error["mend"]
    assert ran.err.startswith(f"error: {what}")
