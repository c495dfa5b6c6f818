"""A bot that fails in a sandbox is tried outside: the sandbox may hide a file that it needs."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.author.check.bench import Bench
from arena.author.check.hints.fault import of_build
from arena.author.check.hints.missing import named, refused
from arena.author.check.positions import FOR_TWO
from arena.bots.builds.build import BuildFailedError
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sandboxes.registry import open_sandbox
from arena.bots.sandboxes.run_once import last_line, run_once
from arena.bots.workshop import Workshop
from arena.io.errors import ArenaError
from arena.league.table.preparation import try_start

_LOOK = 'for path; do [ -e "$path" ] || echo "$path"; done'
_LOOK_SECONDS = 20.0
_OF_THE_SYSTEM = ("/etc", "/opt", "/srv", "/usr", "/var")
_SHOWN = 3
"""Files that a hint names."""


class _Outside(NamedTuple):
    fault: str
    """How it failed there, "" if it did not."""
    words: str = ""
    """The end of what it wrote there."""


def why_no_start(bench: Bench, fault: str, words: str) -> str:
    """Return which file a bot lacks in its sandbox, and how to mend that; "" if none is known.

    `fault` is how it failed, `words` its standard error.
    """
    if bench.ready:
        return ""

    def start(sandbox: Sandbox) -> _Outside:
        found = try_start(bench.staged, FOR_TWO.rules, sandbox, bench.request.limits)
        return _Outside(found.detail if found else "")

    line = last_line(words.encode())
    return _why(bench, f"{fault}: {line}" if line else fault, words, start)


def why_no_build(bench: Bench, fault: str) -> str:
    """Return which file a build lacks in its sandbox, and how to mend that; "" if none is known."""
    output = ""

    def on_build(text: str, _: float) -> None:
        nonlocal output
        output = text

    def build(sandbox: Sandbox) -> _Outside:
        folder = bench.folder / "outside"
        folder.mkdir()
        folder.chmod(0o755)  # whatever the umask is
        try:
            Workshop(sandbox, folder, bench.request.packages).stage(bench.bot, on_build)
        except BuildFailedError:
            return _Outside(of_build(bench.bot.build or (), output))
        return _Outside("", output)

    return _why(bench, fault, bench.build, build)


def _why(bench: Bench, fault: str, words: str, attempt: Callable[[Sandbox], _Outside]) -> str:
    if not (bench.request.looks_outside and bench.sandbox.isolates):
        return ""
    hidden = _hidden(bench, refused(words))
    tried = _tried(bench, attempt)
    if tried and not tried.fault:
        return f"it works outside: {_cause(bench, hidden or _hidden(bench, named(tried.words)))}"
    # What an image lacks it lacks on purpose.
    if not hidden or not bench.sandbox.uses_host_programs:
        return ""
    if tried is None:
        return _reads(hidden)
    if fault.startswith(tried.fault):  # so the file is not why
        return ""
    return f"{_reads(hidden)}; it fails outside, too: {tried.fault}"


def _tried(bench: Bench, attempt: Callable[[Sandbox], _Outside]) -> _Outside | None:
    """Return how it went outside; None if the bot may not run there, or cannot."""
    bot = bench.bot
    if not (bench.request.trusted or bot.shipped) or bot.missing_program:
        return None
    with suppress(ArenaError):
        if sandbox := open_sandbox():
            bench.tell("it failed, and is tried without isolation")
            return attempt(sandbox)
    return None


def _cause(bench: Bench, hidden: Sequence[str]) -> str:
    if not bench.sandbox.uses_host_programs:
        lacks = f" lacks {', '.join(hidden[:_SHOWN])}" if hidden else " differs from this machine"
        return f"its image{lacks}; name another: arena help languages"
    if hidden:
        return _reads(hidden)
    return (
        "the sandbox hides something that it needs, which it does not name;"
        " strace -f -e trace=%file shows what it opens"
    )


def _reads(hidden: Sequence[str]) -> str:
    """Say which files the sandbox hides, and how a bot gets them."""
    what = f"it reads {', '.join(hidden[:_SHOWN])}, which the sandbox does not show"
    if any(Path(path).is_relative_to(root) for path in hidden for root in _OF_THE_SYSTEM):
        return f"{what}: `sandbox_paths` in league.yaml or ladder.yaml does, here --sandbox-path"
    return f"{what}: put the file into the bot's folder, where it starts"


def _hidden(bench: Bench, paths: Sequence[str]) -> list[str]:
    """Return which files of this machine cannot be found in the sandbox; links are followed."""
    there = [path for path in paths if _exists(path)]
    if not there:
        return []
    look = Program(bench.folder, ["sh", "-c", _LOOK, "sh", *there], bench.bot.info.runtime)
    with suppress(OSError, ArenaError):
        missing = run_once(bench.sandbox, look, _LOOK_SECONDS).stdout.decode().splitlines()
        real = (str(Path(path).resolve()) for path in there if path in missing)
        own = str(bench.folder)
        return [path for path in dict.fromkeys(real) if not path.startswith(own)]
    return []


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return False
