"""The table of mistakes: each is found in its step, with what mends it, on one screen, soon."""

import os
import tempfile
from pathlib import Path

import pytest

from arena.author.check.findings import CheckReport
from arena.author.check.hints.fault import Evidence, hint_for
from arena.author.check.steps import STEPS
from arena.cli.author.check import lines_of, repeated
from arena.game.records import Cause
from tests.author.check.bots import check_screen, checked, write
from tests.author.check.mistakes.in_c import IN_C
from tests.author.check.mistakes.in_files import IN_FILES
from tests.author.check.mistakes.in_javascript import IN_JAVASCRIPT
from tests.author.check.mistakes.in_python import IN_PYTHON
from tests.author.check.mistakes.in_rust import IN_RUST
from tests.author.check.mistakes.mistake import Mistake
from tests.support.bot_programs import turn
from tests.support.sampling import sample

NUMBERS = {step.name: number for number, step in enumerate(STEPS, 1)}
TABLES = {
    "Python": IN_PYTHON,
    "JavaScript": IN_JAVASCRIPT,
    "C": IN_C,
    "Rust": IN_RUST,
    "files": IN_FILES,
}
MISTAKES = {
    f"{language}, {name}": mistake
    for language, table in TABLES.items()
    for name, mistake in table.items()
}
ROWS = [
    pytest.param(mistake, id=name, marks=() if name.startswith("files") else pytest.mark.slow)
    for name, mistake in sample(MISTAKES.items(), 12, "mistakes")
]
MOST_CPU = 30.0
"""Seconds of CPU time that an answer may take, those of the bot included."""


def test_the_table_has_over_100_mistakes_in_four_languages() -> None:
    assert len(MISTAKES) > 100
    assert all(len(table) > 10 for table in TABLES.values())


@pytest.mark.parametrize("mistake", ROWS)
def test_mistake_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: Mistake
) -> None:
    mistake.make(tmp_path / "new")
    before = cpu_time()
    report = checked(tmp_path / "new", mistake.limits, step=NUMBERS[mistake.step])
    assert cpu_time() - before < MOST_CPU
    *passed, last = report.steps
    assert [result.name for result in passed if not result.ok] == []
    (found,) = last.findings
    assert (last.name, report.ok) == (mistake.step, False), found
    assert mistake.what in found.what
    assert mistake.mend in found.hint
    assert "apt-get" not in found.hint
    # Paths as short as those that an author types, or finds in /tmp.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", "tmp")
    check_screen(screen_of(report, Path("new")))


def cpu_time() -> float:
    return sum(os.times()[:4])


def screen_of(report: CheckReport, source: Path) -> list[str]:
    if refused := report.refused:
        return [f"error: {refused.what} / {refused.where} / {refused.hint}"]
    return [*lines_of(report), *repeated(report, source)]


NUMPY = "ModuleNotFoundError: No module named 'numpy'\n"
MISSING = {
    "numpy in an image": (True, NUMPY, "arena images build python"),
    "numpy without PYTHONPATH": (False, NUMPY, "start it without -I and -E"),
    "numpy for another Python": (
        False,
        "ModuleNotFoundError: the arena's numpy is for Python 3.99, the bot runs Python 3.11\n",
        "pin it in requirements.txt, or bring it in the bot's folder",
    ),
    "another package": (
        True,
        "ModuleNotFoundError: No module named 'scipy.stats'\n",
        "no package 'scipy': pin it in requirements.txt",
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
    "a package of Node.js": ("Error: Cannot find module 'lodash'", "put node_modules into"),
}


FILES = "a bot may have 256 files open at a time"
PROCESSES = "a bot may have 64 processes and threads"
FILE_SIZE = "a file may have 16 MiB at most"
MEMORY = "a bot may use 512 MiB of memory"
LIMITS = {
    "OSError: [Errno 24] Too many open files: '/dev/null'": FILES,
    "Error: EMFILE: too many open files, open 'x'": FILES,
    "Fatal error: the limit on the number of open files is too low": FILES,
    "bot.rb:1:in `initialize': Too many open files @ rb_sysopen": FILES,
    "RuntimeError: can't start new thread": PROCESSES,
    "can't create Thread: Resource temporarily unavailable (ThreadError)": PROCESSES,
    "OutOfMemoryError: unable to create native thread: possibly out of memory": PROCESSES,
    "sh: 1: Cannot fork": PROCESSES,
    "OSError: [Errno 27] File too large": FILE_SIZE,
    "Error: EFBIG: file too large, write": FILE_SIZE,
    "OSError: [Errno 28] No space left on device": FILE_SIZE,
    "Error: cannot allocate vector of size 7.5 Gb": MEMORY,
    "Heap exhausted, game over.": MEMORY,
}


@pytest.mark.parametrize("stderr", LIMITS)
def test_limit_that_was_hit_is_named(stderr: str) -> None:
    evidence = Evidence(Cause.CRASH, "the program ended with exit code 1", "", stderr)
    assert LIMITS[stderr] in hint_for(evidence)


@pytest.mark.parametrize(
    ("stderr", "hint"),
    [
        (
            "Fatal process out of memory: Failed to reserve virtual memory for CodeRange",
            "it reserves more memory than it may: name its `runtime` in bot.yaml",
        ),
        (
            "Could not reserve enough space for 2097152KB object heap",
            "it reserves more memory than it may",
        ),
        ("RangeError: Failed to allocate memory", "a bot may use 512 MiB of memory"),
    ],
)
def test_memory_that_is_reserved_is_told_from_what_is_used(stderr: str, hint: str) -> None:
    assert hint in hint_for(Evidence(Cause.CRASH, "", "", f"{stderr}\n"))


@pytest.mark.parametrize(("in_image", "stderr", "hint"), MISSING.values(), ids=MISSING)
def test_cure_for_a_missing_package_is_that_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, in_image: bool, stderr: str, hint: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: "/usr/bin/python3")
    assert hint in hint_for(Evidence(Cause.CRASH, "", "", stderr, in_image=in_image))


@pytest.mark.parametrize(("stderr", "hint"), IMPORTS.values(), ids=IMPORTS)
def test_missing_files_are_looked_for_in_the_folder_first(stderr: str, hint: str) -> None:
    files = ("src/bot.py", "lib/helper.py", "helper.js", "bot.yaml")
    evidence = Evidence(Cause.CRASH, "", "", f"{stderr}\n", files=files)
    assert hint in hint_for(evidence)
    assert "pip install" not in hint_for(evidence)


@pytest.mark.parametrize(
    "piece",
    ["x", "sh", "choose() returned ", "FileNotFoundError: ", "SyntaxError: Unexpected token {"],
)
def test_hints_for_output_that_is_hard_to_search_take_little_time(piece: str) -> None:
    flood = piece * (65_536 // len(piece))
    before = cpu_time()
    assert hint_for(Evidence(Cause.CRASH, "", flood, flood))
    assert cpu_time() - before < MOST_CPU


def test_traceback_is_shown_once_with_the_message_that_caused_it(tmp_path: Path) -> None:
    report = checked(write(tmp_path / "new", turn("m['dices']")))
    (found,) = report.steps[-1].findings
    assert found.sent[-1].startswith('{"type":"turn"')
    assert found.came == ""
    assert found.stderr.count("Traceback") == 1
    assert found.stderr.rstrip().endswith("KeyError: 'dices'")
    assert "\n".join(lines_of(report)).count("KeyError: 'dices'") == 1


def test_a_failed_build_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    report = checked(write(tmp_path / "new", more="build: sh -c 'echo an error; exit 3'\n"))
    assert report.refused
    assert report.build == report.refused.hint == "an error"
    assert not [*temporary.iterdir()]
