"""A league with bots that cannot play: a one-line error names the bot, and nothing is stored."""

import re
import sys
from pathlib import Path

import pytest

from tests.cli.command import LOWEST, READY, ROOT, bot, error_line, league, records, run

SILENT = "import sys\nfor line in sys.stdin: pass\n"

STARTS: dict[str, tuple[str, list[str]]] = {
    "ends at once": (
        "raise SystemExit(7)",
        ["'new' does not start: the program ended with exit code 7 / ", "/ see why: arena check "],
    ),
    "does not parse": (
        "def",
        ["'new' does not start: ", "ended with exit code 1: SyntaxError: invalid syntax / "],
    ),
    "kills itself": (
        "import os\nos.kill(os.getpid(), 9)",
        ["'new' does not start: ", "killed by SIGKILL"],
    ),
    "prints garbage": (
        "print('hello \\x1b[31m', flush=True)\n" + SILENT,
        ["'new' does not start: ", "hello ", "/ see why: arena check "],
    ),
    "answers before it is ready": (
        """print('{"id":1,"action":"dudo"}', flush=True)\n""" + SILENT,
        ["'new' does not start: "],
    ),
    "floods": (
        "while True: print('x' * 100_000, end='')\n",
        ["'new' does not start: more than "],
    ),
    "never says ready": (SILENT, ["'new' does not start: not ready within 0.3 s / "]),
}

MANIFESTS = {
    "bad YAML": ("name: [x\ncommand: y\n", ["bad YAML: ", "bot.yaml:2:8"]),
    "an unknown key": (
        "name: x\ncomand: python3 bot.py\n",
        ["unknown key 'comand' / ", "bot.yaml:2:1 / did you mean 'command'?"],
    ),
    "no command": ("name: x\n", ["missing key 'command' / ", "bot.yaml:1:1"]),
    "an empty command": ("name: x\ncommand: ''\n", ["command is empty / ", "bot.yaml / for exam"]),
    "an open quote": ('name: x\ncommand: "python3 \'bot"\n', ["command cannot be read: "]),
    "no name": ("name: ''\ncommand: y\n", ["a bot's name has 1 to 40 characters / ", "bot.yaml"]),
    "a long name": ("name: " + "x" * 41 + "\ncommand: y\n", ["1 to 40 characters / "]),
    "a runtime unheard of": ("name: x\ncommand: y\nruntime: cobol\n", ["cobol", "bot.yaml:3:1"]),
    "no such program": (
        "name: x\ncommand: no-such-interpreter bot.py\n",
        [
            "'x' needs 'no-such-interpreter', which was not found / ",
            "correct the command in bot.yaml",
        ],
    ),
    "no such program in the folder": ("name: x\ncommand: ./bot\n", ["'x' needs './bot'"]),
    "a build that fails": (
        "name: x\ncommand: ./bot\nbuild: sh -c 'echo no main >&2; exit 3'\n",
        ["the build of 'x' failed (exit code 3) / sh -c ", " / no main"],
    ),
    "a name that is half a character": (
        'name: "\\ud800"\ncommand: y\n',
        ["bot.yaml"],
    ),
}


@pytest.mark.parametrize(("source", "parts"), STARTS.values(), ids=STARTS)
def test_bot_that_does_not_start_stops_the_league(
    tmp_path: Path, source: str, parts: list[str]
) -> None:
    bot(tmp_path / "new", source)
    limits = {"start": 0.3 if "not ready" in parts[0] else 10}
    league(tmp_path, bots=["sample:odds", "new"], limits=limits)
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.err.count("\n") == 1
    error_line(ran, *parts)
    assert records(tmp_path / "league.sqlite") == []
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(("manifest", "parts"), MANIFESTS.values(), ids=MANIFESTS)
def test_bad_manifest_stops_the_league(tmp_path: Path, manifest: str, parts: list[str]) -> None:
    folder = bot(tmp_path / "new")
    (folder / "bot.yaml").write_text(manifest)
    league(tmp_path, bots=["sample:odds", "new"])
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.err.count("\n") == 1
    error_line(ran, *parts)


def test_folder_without_a_manifest_stops_the_league(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    league(tmp_path, bots=["sample:odds", "new"])
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(ran, "no bot.yaml in the bot's folder / ", "new / arena help protocol")


def test_link_in_a_bot_folder_stops_the_league(tmp_path: Path) -> None:
    (bot(tmp_path / "new") / "secrets").symlink_to("/etc/passwd")
    league(tmp_path, bots=["sample:odds", "new"])
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(ran, "a bot's folder may hold no links / ", "new/secrets / put a copy of the file")


def test_untrusted_bots_need_isolation_or_trust(tmp_path: Path) -> None:
    bot(tmp_path / "new")
    league(tmp_path, bots=["sample:odds", "new"], sandbox="process")
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(
        ran, "'process' does not isolate bots", "new / ", "--sandbox ", " does, or --trust-bots"
    )
    assert not (tmp_path / "league.sqlite").exists()
    assert run("run", "league.yaml", "--trust-bots", cwd=tmp_path).code == 0
    ran = run("check", "new", "--sandbox", "process", cwd=tmp_path)
    error_line(
        ran, "'process' does not isolate bots", "new / ", "--sandbox ", " does, or --trust-bots"
    )


def test_missing_runtime_stops_the_league_or_is_left_out(tmp_path: Path) -> None:
    bot(tmp_path / "new", command="no-such-interpreter x", runtime="node")
    bot(tmp_path / "other", command="./gone")
    bot(tmp_path / "built", command="./bot", build="no-such-compiler x", runtime="c")
    league(tmp_path, bots=["sample:odds", "sample:honest", "new", "other", "built"])
    arguments = ("run", "league.yaml", "--sandbox", "process", "--trust-bots")
    ran = run(*arguments, cwd=tmp_path)
    error_line(ran, "needs 'no-such-compiler', which was not found / ", "built / install it")
    assert records(tmp_path / "league.sqlite") == []
    ran = run(*arguments, "--skip-missing-runtimes", cwd=tmp_path)
    assert ran.code == 0
    said = [line for line in ran.err.splitlines() if "left out" in line]
    expected = (
        "left out: built (needs no-such-compiler), new (needs no-such-interpreter),"
        " other (needs ./gone); to include them: install it, or correct the command in bot.yaml"
    )
    assert said == [expected]
    assert "league: 2 bots," in ran.err
    assert len(records(tmp_path / "league.sqlite")) == 2


def test_make_run_plays_with_a_bot_whose_runtime_was_missing_before(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [options] = re.findall(r"arena run examples/league.yaml (.*)", makefile)
    folder = bot(tmp_path / "late", command="./late x")
    league(tmp_path, bots=["sample:odds", "sample:honest", "late"])
    command = ("run", "league.yaml", "--sandbox", "process", "--trust-bots", *options.split())
    assert "left out: late" in run(*command, cwd=tmp_path).err
    program = folder / "late"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -S bot.py\n")
    program.chmod(0o755)
    ran = run(*command, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "'late' joined" in ran.err


def test_league_without_any_runtime_is_refused(tmp_path: Path) -> None:
    bot(tmp_path / "new", command="no-such-interpreter x")
    league(tmp_path, bots=["new", "sample:odds"])
    command = ("run", "league.yaml", "--skip-missing-runtimes", "--sandbox", "bubblewrap")
    ran = run(*command, cwd=tmp_path)
    error_line(ran, "1 bots are too few for tables of 2 / league.yaml:1:1 / name more bots")


@pytest.mark.slow
def test_bots_that_fault_in_play_are_counted_and_the_league_ends(tmp_path: Path) -> None:
    crashes = READY + "            sys.exit('gave up')\n"
    cheats = LOWEST.replace('first["min"]', "99")
    bot(tmp_path / "crashes", crashes)
    bot(tmp_path / "cheats", cheats)
    league(tmp_path, bots=["sample:honest", "crashes", "cheats"])
    ran = run("run", "league.yaml", cwd=tmp_path)
    assert ran.code == 1, ran.err
    # Whoever meets a bot that faults at its first turn may win without a word.
    faults = (tmp_path / "site/data/faults.csv").read_text().splitlines()[1:]
    assert len(faults) >= 8
    assert f"faults {len(faults)}\n" in ran.err
    assert re.search(r"\nfaults: c[a-z]+s \d+, c[a-z]+s \d+: see .*/faults\.html\n", ran.err)
    assert any("crash" in line and "crashes" in line for line in faults)
    assert any("illegal_action" in line and "cheats" in line for line in faults)
    assert "gave up" in (tmp_path / "site/bots/crashes.html").read_text()
    assert run("verify", "league.yaml", cwd=tmp_path).code == 0
