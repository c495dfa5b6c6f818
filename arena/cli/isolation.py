"""How bots are isolated here; where they are not, a person says which are their own."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.bots.workshop import OwnFolders, UntrustedError, why_not_own
from arena.cli import options
from arena.cli.output import harmless, say
from arena.io.container import in_container
from arena.io.errors import ArenaError

_IN_CONTAINER = {
    True: "container: bots run under {name}, isolated from each other and from your files; the"
    " container protects the rest of your machine",
    False: "container: bots run as plain processes; the container protects your machine from them,"
    " nothing protects the mounted folder, or one bot from another (arena help install)",
}
_ON_MACHINE = {True: "", False: "the bots run without isolation, as your own user"}
_Result = TypeVar("_Result")
_MOST = 6
"""Bots that are asked about at once, and named: so many at a table. More are hardly one's own."""


def say_isolation(name: str | None) -> bool:
    """Say what isolates bots in a sandbox if that is not what everybody expects.

    Returns whether it does; raises ArenaError if the sandbox does not work here.
    """
    sandbox = make_sandbox(name or AUTO)
    lines = _IN_CONTAINER if in_container() else _ON_MACHINE
    if line := lines[sandbox.isolates]:
        say(line.format(name=sandbox.name))
    return sandbox.isolates


def own_bots_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --trust-bots to a command of authors, and `with_own_bots` to what it does."""

    @wraps(command)
    def asked(*, trust_bots: bool, **values: Any) -> Any:
        def call(trusted: bool) -> Any:
            return command(trust_bots=trusted, **values)

        return with_own_bots(call, trusted=trust_bots)

    return options.trust_option(asked)


def with_own_bots(call: Callable[[bool], _Result], *, trusted: bool) -> _Result:
    """Call what runs bots; the argument is whether they may run without isolation.

    If they are refused for that, but are this user's own, it is called again with True: nothing may
    have been done before. Raises UntrustedError if they are not.
    """
    try:
        return call(trusted)
    except UntrustedError as refusal:
        if not _are_own(refusal):
            raise
    return call(True)


def _are_own(refusal: UntrustedError) -> bool:
    """Tell whether all bots that were refused are known as this user's own, or said to be now."""
    known = OwnFolders()
    new = [source for source in refusal.sources if source not in known]
    if not new:
        names = ", ".join(source.name for source in refusal.sources)
        say(f"without isolation, {_as_whom()}: {names} (remembered in {known.file})")
        return True
    if not refusal.why or len(new) > _MOST or not _says_yes(refusal.why, new):
        return False
    _remember(known, new)
    return True


def _says_yes(why: str, sources: Sequence[Path]) -> bool:
    """Ask the person at the terminal, if there is one."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"no sandbox isolates bots on this machine: {why}")
    own = "is this your own bot" if len(sources) == 1 else "are these your own bots"
    named = ", ".join(map(str, sources))
    question = f"{named}: {own}, to be run {_as_whom()} without isolation? [y/N] "
    click.echo(harmless(question), err=True, nl=False)
    # Standard output may be data, and input() writes its question there.
    return sys.stdin.buffer.readline().strip().lower() in {b"y", b"yes"}


def _remember(known: OwnFolders, sources: Sequence[Path]) -> None:
    """Remember bots, so that nobody is asked again, and say where."""
    reasons = {source: why_not_own(source) for source in sources}
    for source, reason in reasons.items():
        if reason:
            say(f"{source} is not remembered: {reason}")
    folders = [source for source, reason in reasons.items() if not reason]
    try:
        if folders:
            known.add(folders)
            say(f"remembered in {known.file}: {', '.join(map(str, folders))}")
    except ArenaError as error:
        say(f"not remembered: {error}")


def _as_whom() -> str:
    return "as your user" if os.geteuid() else "as root"
