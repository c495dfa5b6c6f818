"""The front door of the command line: help and completion are answered without its imports.

What they need of the commands is in `arena/cli/written_help.py`, which `make commands` writes.
Nothing but `os` and `sys` is imported here: shells ask at every press of Tab.
"""

import os
import sys

from arena.cli.written_help import ARGUMENTS, HELP, OPTIONS, WORDS

_WIDTH = 80
"""Columns for which the help was written; it is the same for wider terminals."""
_SAMPLE = "sample:"
# `pathlib` takes longer to import than all of this does.
_ARENA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH120, PTH100
_BAD_INPUT = 2


def main() -> None:
    """Answer what is quickly answered; run the command otherwise."""
    shell = os.environ.get("_ARENA_COMPLETE", "")
    if shell.endswith("_complete"):
        _print(completed(shell.removesuffix("_complete")))
    elif (text := help_of(sys.argv[1:])) is not None:
        _print(text)
    else:
        from arena.cli.main import main as run

        run()


def _print(text: str) -> None:
    """Print a text; one error line if it cannot be written, none if nobody reads it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        what = f"the output cannot be written: {error.strerror}"
        sys.stderr.write(f"error: {what} / standard output / free some space\n")
        sys.exit(_BAD_INPUT)


def help_of(words: list[str]) -> str | None:
    """Return the help that words ask for; None if they ask for something else."""
    if not words or words[-1] not in {"-h", "--help"} or _columns() < _WIDTH:
        return None
    return HELP.get(" ".join(words[:-1]))


def _columns() -> int:
    """Return the width of the terminal, as click finds it out."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
    except (OSError, ValueError):
        return _WIDTH


def completed(shell: str) -> str:
    """Return the answer to a shell's question, in the form of click's scripts."""
    words, start = _asked(shell)
    found = [("plain", word) for word in _candidates(words, start)] or [("file", start)]
    if shell == "zsh":
        return "".join(f"{kind}\n{word}\n_\n" for kind, word in found)
    return "".join(f"{kind},{word}\n" for kind, word in found)


def _asked(shell: str) -> tuple[list[str], str]:
    """Return the words before the one to complete, and its beginning."""
    words, at = os.environ.get("COMP_WORDS", "").split(), os.environ.get("COMP_CWORD", "")
    if shell == "fish":
        return words[1:-1] if at and words[-1:] == [at] else words[1:], at
    number = int(at) if at.isdecimal() else len(words)
    before, start = words[1:number], words[number] if number < len(words) else ""
    if start == ":":  # bash takes it for a word of its own
        before, start = [*before, ":"], ""
    return before, start


def _candidates(words: list[str], start: str) -> list[str]:
    """Return what may stand there; nothing for a file or another text."""
    if words[-2:] == ["sample", ":"]:
        return _beginning(_samples(), start)
    command, arguments = _command(words)
    if command not in OPTIONS:
        inside = f"{command} ".lstrip()
        return _beginning(
            dict.fromkeys(
                name.removeprefix(inside).split()[0] for name in OPTIONS if name.startswith(inside)
            ),
            start,
        )
    if start.startswith("-"):
        return _beginning([*OPTIONS[command], "--help"], start)
    kind = OPTIONS[command].get(arguments[-1], "") if arguments else ""
    kind = kind or ARGUMENTS[command]
    if kind == "BOT":
        return _bots(start)
    known = {"WORD": WORDS, "TEXT": []}
    return _beginning(known.get(kind, kind.split()), start)


def _command(words: list[str]) -> tuple[str, list[str]]:
    """Return the longest command at the beginning of words, and the others."""
    for count in range(len(words), 0, -1):
        if (command := " ".join(words[:count])) in OPTIONS:
            return command, words[count:]
    return " ".join(words), []


def _beginning(known: "list[str] | dict[str, None] | tuple[str, ...]", start: str) -> list[str]:
    return [word for word in known if word.startswith(start)]


def _bots(start: str) -> list[str]:
    """Return the arena's own bots and the bots' folders that begin so."""
    folder = start[: start.rfind("/") + 1]
    own = [f"{folder}{name}" for name in _bots_in(folder or ".")]
    return _beginning([*own, *(f"{_SAMPLE}{name}" for name in _samples())], start)


def _samples() -> list[str]:
    """Return the names of the arena's own bots, in a wheel or in a checkout."""
    shipped = f"{_ARENA}/_shipped/sample_bots"
    return _bots_in(shipped) or _bots_in(f"{os.path.dirname(_ARENA)}/sample_bots")  # noqa: PTH120


def _bots_in(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []
    return sorted(name for name in names if os.path.isfile(f"{folder}/{name}/bot.yaml"))  # noqa: PTH113
