"""Mistakes in a bot's files: its bot.yaml, what lies beside it, its build."""

from collections.abc import Callable
from pathlib import Path

from tests.author.check.bots import write
from tests.author.check.mistakes.mistake import Mistake, Table


def crlf(folder: Path) -> None:
    (folder / "run").write_bytes(b"#!/bin/sh\r\nexec python3 bot.py\r\n")
    (folder / "run").chmod(0o755)


def without_interpreter(folder: Path) -> None:
    script(folder, "import bot\n")


def in_c(folder: Path) -> None:
    (folder / "bot.py").unlink()
    (folder / "bot.c").write_text("int main(void) { return 0; }\n")
    (folder / "perudo.c").touch()


def larger_than_allowed(folder: Path) -> None:
    for name, size in (("weights.bin", 50), ("games.csv", 20)):
        with (folder / name).open("wb") as file:
            file.truncate(size << 20)


def in_utf_16(folder: Path) -> None:
    path = folder / "bot.yaml"
    path.write_text(path.read_text(), encoding="utf-16")


def with_environment(folder: Path) -> None:
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "pyvenv.cfg").touch()
    (folder / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")


def with_linked_modules(folder: Path) -> None:
    (folder / "node_modules" / ".bin").mkdir(parents=True)
    (folder / "node_modules" / ".bin" / "tsc").symlink_to("../tsc.js")


def with_packages(folder: Path) -> None:
    (folder / "requirements.txt").write_text("numpy==2.4.6\n")


def rename(folder: Path) -> None:
    (folder / "bot.yaml").rename(folder / "bot.yml")


def without_command(folder: Path) -> None:
    (folder / "bot.yaml").write_text("name: new\n")


def script(folder: Path, text: str) -> None:
    (folder / "run").write_text(text)
    (folder / "run").chmod(0o755)


def with_mark(folder: Path) -> None:
    script(folder, "\ufeff#!/bin/sh\n")


def unchanged(_: Path) -> None:
    pass


_CARGO = (
    "echo error: failed to parse lock file at: /bot/Cargo.lock; echo; echo Caused by:; "
    "echo lock file version 4 requires another Cargo; exit 101"
)
# The command, more lines of bot.yaml, what is done to the folder, the step, what is said, the cure.
_FILES: dict[str, tuple[str, str, Callable[[Path], None], str, str, str]] = {
    "a shell's word": (
        "cd src && python3 bot.py",
        "",
        unchanged,
        "manifest",
        "'cd' in command needs a shell",
        "command: sh -c 'cd src && python3 bot.py'",
    ),
    "a shell's operator": (
        "python3 bot.py > log",
        "",
        unchanged,
        "manifest",
        "'>' in command needs a shell",
        "sh -c",
    ),
    "a variable": ("X=1 python3 bot.py", "", unchanged, "manifest", "'X=1' in command", "sh -c"),
    "a program with a near name": (
        "pyhton3 bot.py",
        "",
        unchanged,
        "program",
        "needs 'pyhton3', which was not found",
        "did you mean 'python3'?",
    ),
    "a program in the folder": (
        "bot.py",
        "",
        unchanged,
        "program",
        "needs 'bot.py'",
        "it lies in the bot's folder: `command: python3 bot.py`",
    ),
    "a file with a near name": (
        "./bott.py",
        "",
        unchanged,
        "program",
        "needs './bott.py'",
        "did you mean './bot.py'?",
    ),
    "a file that is not executable": (
        "./bot.py",
        "",
        unchanged,
        "program",
        "./bot.py is not executable",
        "chmod +x ./bot.py, or `command: python3 bot.py`",
    ),
    "CRLF in the first line": ("./run", "", crlf, "program", "ends with CRLF", "sed -i"),
    "no interpreter in the first line": (
        "./run",
        "",
        without_interpreter,
        "program",
        "./run is a text whose first line names no interpreter",
        "begin it with `#!/bin/sh` or the like",
    ),
    "sources that nothing compiles": (
        "./bot",
        "",
        in_c,
        "program",
        "needs './bot', which was not found",
        "`build: cc -O2 -o bot bot.c perudo.c -lm` in bot.yaml",
    ),
    "a build that makes nothing": (
        "./made",
        "build: 'true'\n",
        unchanged,
        "build",
        "./made is not there",
        "make it in `build`",
    ),
    "a build that wants the network": (
        "./bot",
        "build: sh -c 'echo npm error code EAI_AGAIN; exit 1'\n",
        unchanged,
        "build",
        "failed (exit code 1)",
        "a build has no network",
    ),
    "a lock file that Cargo is too old for": (
        "./bot",
        f"build: >-\n  sh -c '{_CARGO}'\n",
        unchanged,
        "build",
        "failed (exit code 101)",
        "failed to parse lock file at: /bot/Cargo.lock: lock file version 4 requires",
    ),
    "a build that fails": (
        "./made",
        "build: sh -c 'echo one; echo fatal error two; echo three; exit 3'\n",
        unchanged,
        "build",
        "failed (exit code 3)",
        "fatal error two",
    ),
    "bot.yml": ("x", "", rename, "manifest", "no bot.yaml in", "rename bot.yml to bot.yaml"),
    "UTF-16": ("x", "", in_utf_16, "manifest", "it is in UTF-16", "save it as UTF-8"),
    "a virtual environment": (
        "x",
        "",
        with_environment,
        "manifest",
        "may hold no virtual environment",
        "requirements.txt, or pip install --target",
    ),
    "links in node_modules": (
        "x",
        "",
        with_linked_modules,
        "manifest",
        "may hold no links",
        "npm install --no-bin-links",
    ),
    "packages that are not installed": (
        "python3 bot.py",
        "",
        with_packages,
        "build",
        "'new' asks for Python packages",
        "--packages with check",
    ),
    "a version without quotes": (
        "x",
        "version: 1.0\n",
        unchanged,
        "manifest",
        "version: expected a text",
        'put it in quotes, as in "1.0"',
    ),
    "an unknown runtime": (
        "x",
        "runtime: cobol\n",
        unchanged,
        "manifest",
        "unknown runtime 'cobol'",
        "python",
    ),
    "a folder over its size": (
        "x",
        "",
        larger_than_allowed,
        "manifest",
        "64 MiB at most",
        "its largest files: weights.bin (50.0 MiB), games.csv (20.0 MiB)",
    ),
    "a tab": (
        "x",
        "tags:\n\t- a\n",
        unchanged,
        "manifest",
        "bad YAML",
        "indent with spaces, not tabs",
    ),
    "language for runtime": (
        "x",
        "language: python\n",
        unchanged,
        "manifest",
        "unknown key 'language'",
        "did you mean 'runtime'?",
    ),
    "main for command": (
        "x",
        "main: bot.py\n",
        unchanged,
        "manifest",
        "unknown key 'main'",
        "did you mean 'command'?",
    ),
    "a language for a runtime": (
        "x",
        "runtime: javascript\n",
        unchanged,
        "manifest",
        "unknown runtime 'javascript'",
        "did you mean 'node'?",
    ),
    "a program for a runtime": (
        "x",
        "runtime: python3\n",
        unchanged,
        "manifest",
        "unknown runtime 'python3'",
        "did you mean 'python'?",
    ),
    "no command": ("x", "", without_command, "manifest", "missing key 'command'", "python3 bot.py"),
    "a key that comes twice": (
        "x",
        "command: y\n",
        unchanged,
        "manifest",
        "duplicate key 'command'",
        "",
    ),
    "a byte order mark before #!": (
        "./run",
        "",
        with_mark,
        "program",
        "begins with a byte order mark",
        "save it as UTF-8 without one",
    ),
    "an interpreter that is not there": (
        "./run",
        "",
        lambda folder: script(folder, "#!/usr/bin/pyton3\n"),
        "start",
        "c",
        "its first line names /usr/bin/pyton3, which the sandbox does not have; did you mean",
    ),
    "an interpreter that env does not find": (
        "./run",
        "",
        lambda folder: script(folder, "#!/usr/bin/env pyton3\n"),
        "start",
        "exit code 127",
        "it starts pyton3, which the sandbox does not have; did you mean 'python3'?",
    ),
    "a program that a shell does not find": (
        "sh -c 'exec pyton3 bot.py'",
        "",
        unchanged,
        "start",
        "exit code 127",
        "it starts pyton3, which the sandbox does not have; did you mean 'python3'?",
    ),
    "npm install": (
        "node bot.js",
        "build: sh -c 'false && npm install'\n",
        unchanged,
        "build",
        "failed (exit code",
        "a build has no network",
    ),
    "pip install": (
        "python3 bot.py",
        "build: python3 -m pip install --retries 0 --index-url http://127.0.0.1:1 numpy\n",
        unchanged,
        "build",
        "failed (exit code 1)",
        "for leagues with `packages: true` and for --packages here",
    ),
}


def _made(command: str, more: str, change: Callable[[Path], None]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        write(folder, command=command, more=more)
        change(folder)

    return make


IN_FILES: Table = {
    name: Mistake(_made(command, more, change), step, what, mend)
    for name, (command, more, change, step, what, mend) in _FILES.items()
}
