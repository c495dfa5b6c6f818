"""`arena watch`: a bot that is tried whenever it is saved, with and without a terminal."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest

from tests.cli.command import HANG, TRUSTED, arena, bot, environment, error_line, run
from tests.cli.live_terminal import at_terminal
from tests.support.bot_programs import program, turn

SHORT = ("--games", 20)
STEPS = r"steps 1 to 6 ok \(process\)"
OK = rf"\d\d:\d\d:\d\d  {STEPS}"
WON = rf"\d\d:\d\d:\d\d  won \d+ of 20 against \S+ \(95 %: \d+ to \d+ %\); {STEPS}"


class Watching:
    """`arena watch` without a terminal."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._text = b""

    def line(self) -> str:
        """Return the next line, which must come."""
        out = self.process.stdout
        assert out
        while b"\n" not in self._text:
            assert select([out], [], [], HANG)[0], "nothing came"
            chunk = os.read(out.fileno(), 65_536)
            assert chunk, f"it ended: {self._text!r}"
            self._text += chunk
        line, _, self._text = self._text.partition(b"\n")
        return line.decode()

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(HANG)


@contextmanager
def watching(folder: Path, *arguments: object, under: Sequence[str] = ()) -> Iterator[Watching]:
    temporary = folder.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    with subprocess.Popen(
        [*under, *arena("watch", folder, *SHORT, *TRUSTED, *arguments)],
        cwd=folder.parent,
        env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            yield Watching(process)
        finally:
            process.kill()


def test_it_ends_when_nobody_reads_it(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    with watching(folder, "--against", "sample:random") as watched:
        assert re.fullmatch(OK, watched.line())
        assert watched.process.stdout
        watched.process.stdout.close()
        assert watched.process.wait(HANG) == 141


def test_it_goes_on_after_the_end_of_its_terminal_as_nohup_promises(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    with watching(folder, "--against", "sample:random", under=["nohup"]) as watched:
        while not re.fullmatch(OK, watched.line()):  # nohup says what it does with the streams
            pass
        watched.process.send_signal(signal.SIGHUP)
        assert re.fullmatch(WON, watched.line())
        save(folder, "x = (\n")
        assert "SyntaxError" in watched.line()
        assert watched.interrupt() == 130


def save(folder: Path, source: str) -> None:
    (folder / "bot.py").write_text(source)


def test_bot_is_tried_after_every_save(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    with watching(folder, "--against", "sample:random") as watched:
        assert re.fullmatch(OK, watched.line())
        assert re.fullmatch(WON, watched.line())
        save(folder, "x = (\n")
        assert re.fullmatch(
            r"\S+  step 4, start: bot\.py:1: SyntaxError: .* \(arena check \S+/mine\)",
            watched.line(),
        )
        (folder / "bot.yaml").write_text("nonsense: 1\n")
        assert "step 1, manifest: unknown key 'nonsense'" in watched.line()
        (folder / "bot.yaml").write_text("{name: mine, command: python3 bot.py}\n")
        assert "step 4, start: bot.py:1: SyntaxError" in watched.line()
        save(folder, program(""))
        assert re.fullmatch(OK, watched.line())
        assert re.fullmatch(WON, watched.line())
        assert watched.interrupt() == 130
    assert list((tmp_path / "temporary").iterdir()) == []


def test_save_ends_what_is_out_of_date(tmp_path: Path) -> None:
    """The first version is asked, and never answers."""
    os.mkfifo(tmp_path / "began")
    wait = f"open({str(tmp_path / 'began')!r}, 'w').close() or hang()"
    folder = bot(tmp_path / "mine", program(turn(wait)))
    with watching(folder, "--json") as watched:
        (tmp_path / "began").read_bytes()
        save(folder, program(""))
        first, then = json.loads(watched.line()), json.loads(watched.line())
        assert (first["games"], then["games"], then["refused"], then["faults"]) == (0, 20, "", 0)
        assert watched.interrupt() == 130


@pytest.mark.slow
def test_faults_in_games_are_counted(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine", program("games = 0\n"))
    late = "def told(m):\n    global games\n    games += m['type'] == 'game_end'\n"
    late += "def act(m):\n    say('hm') if games else answer(m)\n"
    save(folder, program(late))
    with watching(folder, "--against", "sample:random") as watched:
        watched.line()
        assert re.search(r"; faults in \d+ \(arena check \S+/mine\); steps", watched.line())


@pytest.mark.slow
def test_build_comes_from_the_cache(tmp_path: Path) -> None:
    built = tmp_path / "built"
    build = f"sh -c 'echo built >> {built}'"
    folder = bot(tmp_path / "mine", build=build)
    with watching(folder) as watched:
        assert re.fullmatch(OK, watched.line())
        watched.line()
        assert built.read_text().count("built") == 1
        save(folder, program(""))
        assert re.fullmatch(OK, watched.line())
        watched.line()
        assert built.read_text().count("built") == 2


def test_one_line_changes_at_a_terminal(tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    command = ("watch", folder, *SHORT, *TRUSTED)
    with at_terminal(tmp_path, tmp_path, *command) as terminal:
        said = terminal.read_until("won ")
        assert re.match(rf"\r\S+  checking\x1b\[K\r{OK}\x1b\[K\r", said)
        terminal.read_until(" of 20 against ")
        assert "\n" not in said
        save(folder, program(""))
        assert terminal.read_until("  checking").count("\n") == 1
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.end() == 130


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("nix",), ("no such folder", "nix", "arena new")),
        (("mine/bot.py",), ("not a folder", "mine/bot.py")),
        (("empty",), ("no bot.yaml", "empty")),
        (("mine",), ("--trust-bots",)),
        (("mine", "--against", "nix", "--trust-bots"), ("no such bot folder", "--against")),
        (("mine", "--variant", "bgg", "--trust-bots"), ("unknown variant 'bgg'", "'bga'")),
        (("mine", "--games", "0"), ("--games",)),
    ],
)
def test_bad_input_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    bot(tmp_path / "mine")
    (tmp_path / "empty").mkdir()
    ran = run("watch", *arguments, "--sandbox", "process", cwd=tmp_path)
    error_line(ran, *parts)
