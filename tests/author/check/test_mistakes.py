"""Every usual mistake of a program is found in its step, with what mends it, on one screen."""

from pathlib import Path

import pytest

from arena.author.check.findings import CheckReport
from arena.author.check.hints import Evidence, hint_for
from arena.author.check.steps.all_steps import STEPS
from arena.cli.author.check_report import lines_of
from arena.game.records import Cause, LimitsInfo
from tests.author.check.bots import HASTY, PATIENT, check_screen, checked, write
from tests.support.bot_programs import start, turn

NUMBERS = {step.name: number for number, step in enumerate(STEPS, 1)}

# The body of a bot, the step that finds the mistake, parts of what it says and of how to mend it.
RUNNING: dict[str, tuple[str, str, str, str]] = {
    "a syntax error": ("def (\n", "start", "ended with exit code 1", "line that the traceback"),
    "a missing package": (
        "import no_such_package\n",
        "start",
        "ended with exit code 1",
        "the sandbox has no package 'no_such_package'",
    ),
    "too much memory": (
        start("bytearray(2**30)"),
        "start",
        "ended with exit code 1",
        "a bot may use 512 MiB",
    ),
    "too large a file": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        + start("os.truncate(os.memfd_create('doubly mapped'), 2**41)"),
        "start",
        "killed by SIGXFSZ",
        "a file may have 16 MiB at most; .NET before 10: ",
    ),
    "a breakpoint": (start("breakpoint()"), "start", "not valid JSON", "remove breakpoint()"),
    "a word for ready": (start("say('ready')"), "start", "'ready'", '{"type": "ready"}'),
    "talk on standard output": (start("say('I am here')"), "start", "'I am here'", "nothing but"),
    "an answer in UTF-16": (
        """def ready(m): out.write('{"type":"ready"}\\n'.encode('utf-16')); out.flush()\n""",
        "start",
        "not valid UTF-8, but UTF-16",
        "write UTF-8",
    ),
    "no type": (start("say('{}')"), "start", "missing `type`", '{"type": "ready"}'),
    "an exception in a turn": (turn("m['dices']"), "first turn", "exit code 1", "has no 'dices'"),
    "a wrong id": (
        turn("say(legal({**m, 'id': m['id'] + 70}))"),
        "first turn",
        "id 71 is not open; open: 1 (turn)",
        "with its `id`",
    ),
    "an answer to news": (
        "def told(m): answer({'id': 0, 'raises': 0})\n",
        "first game",
        "id 0 is not open; open: ",
        "answer nothing else",
    ),
    "a bare number": (
        turn("say('3')"),
        "first turn",
        "not a JSON object: '3'",
        'an answer is {"id": 7, "action": "bid", "quantity": 3, "face": 4}',
    ),
    "wrong fields": (
        turn("""say('{"id": %d, "action": "bid", "count": 1, "value": 2}' % m["id"])"""),
        "first turn",
        "the bid has no quantity and no face; it has count, value",
        '"quantity": 3, "face": 4',
    ),
    "raise for bid": (
        turn("""say('{"id": %d, "action": "raise"}' % m["id"])"""),
        "first turn",
        "unknown action 'raise' (did you mean 'bid'?)",
        "",
    ),
    "a bid too high": (
        turn("""say('{"id": %d, "action": "bid", "quantity": 99, "face": 2}' % m["id"])"""),
        "first turn",
        "illegal_action: ",
        "every legal bid in `raises`",
    ),
    "an end after a game": (
        "def told(m): m['type'] != 'game_end' or sys.exit()\n",
        "news",
        "ended with exit code 0",
        "read on after a game, until `bye`",
    ),
    "no move for four": (turn("len(m['alive']) < 4 or 1 / 0; answer(m)"), "tables", "crash", ""),
    "no move in palifico": (
        turn("m['palifico_seat'] is None or 1 / 0; answer(m)"),
        "palifico",
        "crash",
        "",
    ),
    "the same answers only alone": (
        start("""say('{"type": "ready", "concurrent_games": 8}')""")
        + "said = 0\n"
        + "def act(m):\n"
        + "    global said\n"
        + "    said += 1\n"
        + "    if m['dudo'] and said % 3:\n"
        + "        m = {'id': m['id'], 'raises': 0}\n"
        + "    answer(m)\n",
        "concurrency",
        "answers differ from those one at a time",
        "keep memory per game",
    ),
    "unknown fields": (
        turn("'x_later' not in m or 1 / 0; answer(m)"),
        "unknown fields",
        "crash",
        "",
    ),
    "faults of rivals": ("def told(m): m['type'] != 'fault' or 1 / 0\n", "news", "crash", ""),
    "a file in its folder": (
        turn("open('log.txt', 'a').write('x'); answer(m)"),
        "own folder",
        "it wrote to its own folder: log.txt",
        "write to /tmp",
    ),
    "no end": (
        "import atexit; atexit.register(hang)\n",
        "end of input",
        "did not exit after `bye`",
        "when a read says",
    ),
}
LATE: dict[str, tuple[str, str, str, str]] = {
    "no flush of ready": (
        """def ready(m): print('{"type": "ready"}')\n""",
        "start",
        'blocked reading; after its input was closed it wrote \'{"type": "ready"}\'',
        "Flush standard output after every line",
    ),
    "reading to the end of input": (
        """sys.stdin.read(); say('{"type": "ready"}')\n""",
        "start",
        "not ready within 0.5 s; no line came",
        "Read a line at a time: not to the end of the input",
    ),
    "no newline": (
        """def ready(m): say('{"type": "ready"}', b'')\n""",
        "start",
        "with no newline at its end",
        "newline",
    ),
    "no ready": (start("pass"), "start", "not ready within 0.5 s", '{"type": "ready"}'),
    "a slow start": ("time.sleep(2)\n", "start", "not ready within 0.5 s; its line came after", ""),
}
NO_ANSWER: dict[str, tuple[str, str, str, str]] = {
    "no flush of an answer": (
        turn("print(legal(m))"),
        "first turn",
        "open: 1 (turn); no line came and it is blocked reading",
        "Flush standard output",
    ),
    "no answer to calza": (
        start("""say('{"type": "ready", "calza": true}')""") + "def offer(m): pass\n",
        "calza",
        "(calza)",
        "answer calza with calza or pass",
    ),
}


def check_found(report: CheckReport, step: str, what: str, hint: str) -> None:
    """Check that only the last step found something: this."""
    *before, last = report.steps
    assert [result.name for result in before if not result.ok] == []
    (found,) = last.findings
    assert (last.name, report.ok) == (step, False), found
    assert what in found.what
    assert hint in found.hint
    check_screen(lines_of(report))


@pytest.mark.slow
@pytest.mark.parametrize(("body", "step", "what", "hint"), RUNNING.values(), ids=RUNNING)
def test_mistake_of_a_program_is_explained(
    tmp_path: Path, body: str, step: str, what: str, hint: str
) -> None:
    report = checked(write(tmp_path / "new", body), step=NUMBERS[step])
    check_found(report, step, what, hint)


@pytest.mark.parametrize(("body", "step", "what", "hint"), LATE.values(), ids=LATE)
def test_late_start_is_explained(
    tmp_path: Path, body: str, step: str, what: str, hint: str
) -> None:
    check_found(checked(write(tmp_path / "new", body), HASTY), step, what, hint)


@pytest.mark.parametrize(("body", "step", "what", "hint"), NO_ANSWER.values(), ids=NO_ANSWER)
def test_missing_answer_is_explained(
    tmp_path: Path, body: str, step: str, what: str, hint: str
) -> None:
    limits = LimitsInfo(start=PATIENT.start, answer=HASTY.answer, game=600.0, wall=HASTY.wall)
    report = checked(write(tmp_path / "new", body), limits, step=NUMBERS[step])
    check_found(report, step, what, hint)


NUMPY = "ModuleNotFoundError: No module named 'numpy'\n"
MISSING = {
    "numpy in an image": (True, NUMPY, "arena images build python"),
    "numpy for Debian's Python": (False, NUMPY, "apt-get install python3-numpy"),
    "another package": (
        True,
        "ModuleNotFoundError: No module named 'scipy.stats'\n",
        "no package 'scipy'; if its name is right, pin it in requirements.txt",
    ),
}
IMPORTS = {
    "a folder beside the program's": (
        "ModuleNotFoundError: No module named 'lib'",
        "lib/helper.py is there, but Python looks beside the program",
    ),
    "a module that a folder lacks": (
        "ModuleNotFoundError: No module named 'lib.helpers'",
        "'lib' has no module 'helpers'; did you mean 'helper'?",
    ),
    "a name that is nearly one": (
        "ModuleNotFoundError: No module named 'helpers'",
        "has no module 'helpers'; did you mean 'helper'?",
    ),
    "a file of Node.js": (
        "Error: Cannot find module './helpers'",
        "there is no file 'helpers'; did you mean 'helper'?",
    ),
    "a program that is not there": (
        "python3: can't open file '/bot/bott.py': [Errno 2] No such file or directory",
        "there is no file 'bott.py'; did you mean 'bot.py'?",
    ),
    "an interpreter that is not there": (
        "prlimit: failed to execute ./run: No such file or directory",
        "the interpreter that the first line of ./run names is not in the sandbox",
    ),
    "a package of Node.js": ("Error: Cannot find module 'lodash'", "put node_modules into"),
}


@pytest.mark.parametrize(("in_image", "stderr", "hint"), MISSING.values(), ids=MISSING)
def test_cure_for_a_missing_package_is_that_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, in_image: bool, stderr: str, hint: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: "/usr/bin/python3")
    assert hint in hint_for(Evidence(Cause.CRASH, "", "", stderr, in_image=in_image))


@pytest.mark.parametrize(("stderr", "hint"), IMPORTS.values(), ids=IMPORTS)
def test_missing_files_are_looked_for_in_the_folder_first(stderr: str, hint: str) -> None:
    files = ("src/bot.py", "lib/helper.py", "bot.yaml")
    evidence = Evidence(Cause.CRASH, "", "", f"{stderr}\n", files=files)
    assert hint in hint_for(evidence)
    assert "pip install" not in hint_for(evidence)


def test_traceback_is_shown_once_with_the_message_that_caused_it(tmp_path: Path) -> None:
    report = checked(write(tmp_path / "new", turn("m['dices']")))
    (found,) = report.steps[-1].findings
    assert found.sent[-1].startswith('{"type":"turn"')
    assert found.came == ""
    assert found.stderr.count("Traceback") == 1
    assert found.stderr.rstrip().endswith("KeyError: 'dices'")
    assert "\n".join(lines_of(report)).count("KeyError: 'dices'") == 1


# ---------------------------------------------------------------- files
