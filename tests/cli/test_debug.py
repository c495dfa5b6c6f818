"""`arena debug`: a stored game put to a bot step by step, at a terminal and without one."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from tests.cli.asked import DOUBTER, FIXTURE, at_turns, build, play
from tests.cli.command import TRUSTED, bot, error_line, run
from tests.cli.live_terminal import at_terminal
from tests.e2e.live import wait_for_death
from tests.support.bot_programs import program, turn

PROMPT = "quit > "
SAYS = turn("(print('thinking about', m['dice'], file=sys.stderr), answer(m))")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league whose bots get little time."""
    limits = {"answer": 0.5, "wall": 1}
    return play(tmp_path_factory.mktemp("played"), limits=limits)


def words(folder: object, *arguments: object) -> tuple[object, ...]:
    return ("debug", "league.yaml", FIXTURE, 0, "--as", folder, *TRUSTED, *arguments)


def test_without_a_terminal_nothing_stops_it(played: Path, tmp_path: Path) -> None:
    ran = run(*words(build(tmp_path / "new", SAYS)), cwd=played)
    assert ran.code == 0, ran
    asked = ran.out.count("game 0, round ")
    assert asked == ran.out.count("  step ") == ran.err.count("thinking about [") > 0
    assert re.search(r"; bids: \d+ \w+ by \w+", ran.out)
    assert f"asked: {asked}, decided differently: 0, faults: 0" in ran.err
    assert re.search(r"started, process \d+; to attach: gdb -p \d+", ran.err)


@pytest.mark.slow
def test_no_time_limit_holds(played: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "new", at_turns(1, do="time.sleep(1.2)"))
    again = ("rerun", *words(folder)[1:])
    assert "timeout" in run(*again, cwd=played).out
    ran = run(*words(folder), cwd=played)
    assert (ran.code, "timeout" in ran.out) == (0, False)


def test_differences_and_faults_are_shown_at_their_steps(played: Path, tmp_path: Path) -> None:
    ran = run(*words(build(tmp_path / "new", DOUBTER)), cwd=played)
    assert ran.code == 1
    assert re.search(r"  step \d+: stored 1 \w+, now dudo  <\n", ran.out)
    ran = run(*words(build(tmp_path / "odd", at_turns(2, do="say('what')"))), cwd=played)
    assert ran.code == 1
    assert "  malformed_line: not valid JSON" in ran.out
    assert ran.err.count("started, process ") > 1


def test_person_steps_goes_on_and_quits(played: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "new", SAYS)
    with at_terminal(played, tmp_path, *words(folder)) as terminal:
        assert "thinking" not in terminal.read_until(PROMPT)
        terminal.type("next\n")
        said = terminal.read_until(PROMPT)
        assert "there is no 'next' here; Enter: ask, c: go on without stopping, q: " in said
        assert "thinking" not in said
        terminal.type("\n")
        assert terminal.read_until(PROMPT).count("thinking about [") == 1
        terminal.type("c\n")
        assert terminal.end() == 0
        assert PROMPT not in terminal.text
    with at_terminal(played, tmp_path, *words(folder)) as terminal:
        terminal.read_until(PROMPT)
        terminal.type("q\n")
        assert terminal.end() == 0
        assert "not all was asked: stopped" in terminal.text


def test_breakpoint_opens_a_debugger_in_the_terminal(played: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "new", at_turns(1, do="breakpoint()"))
    with at_terminal(played, tmp_path, *words(folder)) as terminal:
        terminal.read_until(PROMPT)
        terminal.type("c\n")
        terminal.read_until("(Pdb) ")
        terminal.type("p 6 * 7\n")
        assert "42" in terminal.read_until("(Pdb) ")
        terminal.type("c\n")
        assert terminal.end() == 0
        assert "decided differently: 0, faults: 0" in terminal.text


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGHUP])
def test_interruption_leaves_nothing_behind(
    played: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    folder = build(tmp_path / "new", turn("(print('stuck', file=sys.stderr, flush=True), hang())"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with at_terminal(played, temporary, *words(folder)) as terminal:
        [pid] = re.findall(r"started, process (\d+)", terminal.read_until(PROMPT))
        terminal.type("\n")
        terminal.read_until("stuck")
        os.killpg(terminal.process.pid, sent)
        assert terminal.end() == 130
    assert list(temporary.iterdir()) == []
    wait_for_death(int(pid))


@pytest.fixture
def fault(tmp_path: Path) -> tuple[Path, Path]:
    """A bot that faults at its second turn, and the file that a check left of that."""
    folder = build(tmp_path / "new", at_turns(2, do="breakpoint(); say('what')"))
    env = {"TMPDIR": str(tmp_path)}
    assert run("check", folder, *TRUSTED, cwd=tmp_path, env=env).code == 1
    [file] = tmp_path.glob("perudo-arena-check-*/mine.fault.jsonl")
    return folder, file


def test_fault_of_a_check_is_asked_again(fault: tuple[Path, Path]) -> None:
    folder, file = fault
    lines = file.read_text().splitlines()
    asked = sum('"id":' in line for line in lines)
    again = ("debug", file, "--as", folder, *TRUSTED)
    (folder / "bot.py").write_text(program(at_turns(2, do="say('what')")))
    ran = run(*again, cwd=folder.parent)
    assert ran.code == 1
    heading, shown, decided, why, *_ = ran.out.splitlines()
    last = json.loads(lines[-1])["id"]
    assert heading == f"{file}: {asked} requests, the last with id {last}, to 'mine' (process)"
    assert (shown[:8], decided) == ("game 0, ", f"  line {len(lines)}: now malformed_line")
    assert why.startswith("  malformed_line: not valid JSON: ")
    assert f"asked: {asked}, decided differently: 0, faults: 1" in ran.err

    (folder / "bot.py").write_text(program(""))
    ran = run(*again, "--json", cwd=folder.parent)
    assert ran.code == 0
    assert len(json.loads(ran.out)["decisions"]) == asked
    (folder / "bot.py").write_text(program(turn("answer(m, quantity=99, action='bid', face=7)")))
    ran = run(*again, cwd=folder.parent)
    assert ran.out.count("a bid of 99 of face 7 is not among `raises`") == asked


def test_fault_of_a_check_is_debugged_at_its_last_request(fault: tuple[Path, Path]) -> None:
    folder, file = fault
    parent = folder.parent
    with at_terminal(parent, parent, "debug", file, "--as", folder, *TRUSTED) as terminal:
        assert "(Pdb)" not in terminal.read_until(PROMPT)
        terminal.type("\n")
        terminal.read_until("(Pdb) ")
        terminal.type("p m['id']\n")
        last = json.loads(file.read_text().splitlines()[-1])["id"]
        assert str(last) in terminal.read_until("(Pdb) ")
        terminal.type("c\n")
        assert terminal.end() == 1
        assert PROMPT not in terminal.text


def test_start_that_fails_is_debugged(tmp_path: Path) -> None:
    folder = bot(tmp_path / "new", "raise SystemExit('no dice')")
    file = tmp_path / "new.jsonl"
    file.write_text('{"type":"hello"}\n')
    ran = run("debug", file, "--as", folder, *TRUSTED, cwd=tmp_path)
    assert (ran.code, "not all was asked: it does not start: " in ran.err) == (1, True)
    assert "no dice" in ran.err


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        ("", (), ("it does not begin with `hello`", "arena check")),
        ('{"type":"turn"}\n', (), ("it does not begin with `hello`",)),
        ('{"type":"hello"}\n{"type":"turn"}\n', (), ("not a conversation: ", "missing")),
        ('{"type":"hello"}\nhm\n', (), ("not a conversation: ",)),
        ('{"type":"hello"}\n\xff\n', (), ("not a conversation: ",)),
        ('{"type":"hello"}\n' * 2, (), ("it begins another conversation", "line 2")),
        (None, (), ("no such file",)),
        ('{"type":"hello"}\n', ("--seat", 1), ("'seat' is for a stored game", "leave it out")),
        ('{"type":"hello"}\n', ("--record", "x"), ("'record' is for a stored game",)),
    ],
)
def test_file_that_is_no_conversation(
    tmp_path: Path, text: str | None, options: tuple[object, ...], parts: tuple[str, ...]
) -> None:
    file = tmp_path / "new.jsonl"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    error_line(run("debug", file, "--as", "sample:honest", *options, cwd=tmp_path), *parts)


def test_league_needs_a_fixture(played: Path) -> None:
    ran = run("debug", "league.yaml", "--as", "mine", cwd=played)
    error_line(ran, "missing argument 'FIXTURE'")


def test_bot_is_needed(played: Path) -> None:
    error_line(run("debug", "league.yaml", 0, cwd=played), "missing option '--as'")
