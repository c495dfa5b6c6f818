"""`arena ladder init`, `run`, `status`, `list`, `log` and `arena demo`: ladders made and run."""

import json
import re
import signal
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.isolation import say_isolation
from arena.cli.ladder.door import address_of, check_no_door, door_options, folder_argument
from arena.cli.options import PathType, json_option, sandbox_option, say_program_folder
from arena.cli.output import harmless, print_columns, print_json, print_result, say
from arena.io.container import own_address
from arena.io.errors import ArenaError
from arena.io.signals import handled
from arena.io.text import size_text, span, stamp
from arena.ladder.book.book import Book
from arena.ladder.book.tables import Event
from arena.ladder.config import load_config
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, existing
from arena.ladder.new import make_demo, make_ladder, operator
from arena.ladder.status import LadderStatus, restart, status

if TYPE_CHECKING:  # it needs the extra `serve`
    from arena.ladder.web.run import Address

_FOLLOW = 0.5
"""Seconds between looks at a log that is followed."""
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LOOK = 1.0
"""Seconds between looks whether a signal came."""


@click.command()
@folder_argument
@sandbox_option
@click.option("--trust-bots", is_flag=True, help="Run bots without isolation, as your own user.")
@json_option
def init(ladder: Path, sandbox: str | None, *, trust_bots: bool, as_json: bool) -> None:
    """Make the folder LADDER, with a ladder.yaml to edit before the first season."""
    file = make_ladder(ladder, sandbox, trusted=trust_bots)
    made = f"made {ladder}: sandbox {file.sandbox}, fixed for its seasons"
    to_do = f"edit {ladder / 'ladder.yaml'}; then: arena ladder run {ladder}"
    print_result(file, made, to_do, as_json=as_json)


@click.command()
@folder_argument
@click.option("--serve", is_flag=True, help="Open its web door, too; whichever ends, ends both.")
@door_options
@json_option
def run(ladder: Path, *, serve: bool, as_json: bool, **options: Any) -> None:
    """Run LADDER until Ctrl-C or SIGTERM: what is being played is finished and stored first."""
    folder = existing(ladder)
    if not serve:
        check_no_door(options)
    say_program_folder()
    in_thread(partial(_run, folder, address_of(options) if serve else None))
    if as_json:
        print_json(status(folder))


def _run(
    folder: Folder,
    address: "Address | None",
    stop: threading.Event,
    *,
    show_link: bool = False,
) -> None:
    # Slow to import: a signal may come meanwhile.
    from arena.ladder.run import run_ladder

    door = _door(folder, address, stop, show_link=show_link) if address else None
    run_ladder(folder, stop, say, door)


@contextmanager
def _door(
    folder: Folder, address: "Address", stop: threading.Event, *, show_link: bool
) -> Iterator[None]:
    from arena.ladder.web.run import door_process

    with door_process(folder, address, stop, say):
        if show_link:
            _show_link(folder, address.base)
        yield


def in_thread(work: Callable[[threading.Event], None]) -> None:
    """Work beside this thread, which takes signals; raises what the work raised.

    The first signal asks it to stop, the second ends everything at once.
    """
    stop, failed = threading.Event(), list[BaseException]()

    def target() -> None:
        try:
            work(stop)
        except BaseException as error:
            failed.append(error)

    def on_signal(_number: int, _frame: object) -> None:
        if stop.is_set():
            signal.raise_signal(signal.SIGKILL)
        stop.set()
        say("stopping after what is being played, which is stored; once more stops at once")

    thread = threading.Thread(target=target)
    with handled(on_signal, signal.SIGINT, signal.SIGTERM):
        thread.start()
        while thread.is_alive():
            # Another thread may be woken by the signal: then this one must look for itself.
            thread.join(_LOOK)
    if failed:
        raise failed[0]


@click.command("status")
@folder_argument
@json_option
def status_(ladder: Path, *, as_json: bool) -> int:
    """Say how LADDER is, in two lines; the exit code is 1 if anything is overdue."""
    state = status(existing(ladder))
    print_result(state, *_lines(state), as_json=as_json)
    return FINDINGS if state.overdue else OK


@click.command()
@folder_argument
@json_option
def check(ladder: Path, *, as_json: bool) -> None:
    """Say whether LADDER would take its ladder.yaml if it were started again now."""
    folder = existing(ladder)
    after = restart(folder)
    goes_on = "begins" if after.begins else "goes on"
    line = f"{folder.config} would be taken; season {after.season} {goes_on}"
    print_result(after, line, as_json=as_json)


def _lines(ladder: LadderStatus) -> list[str]:
    counts = ", ".join(f"{number} {state}" for state, number in ladder.versions.items())
    oldest = f" (oldest {span(ladder.oldest)})" if ladder.oldest is not None else ""
    published = (
        "never published" if ladder.published is None else f"published {span(ladder.published)} ago"
    )
    backed_up = (
        "never backed up" if ladder.backed_up is None else f"backed up {span(ladder.backed_up)} ago"
    )
    logs = "unknown to this user" if ladder.logs is None else size_text(ladder.logs)
    head = f"overdue: {'; '.join(ladder.overdue)}" if ladder.overdue else "ok"
    return [
        f"{head}: {counts or 'no version'}; queue {ladder.queue}{oldest}; {_played(ladder)}",
        f"logs {logs} of {size_text(ladder.logs_cap)}; {published}, {backed_up}",
    ]


def _played(ladder: LadderStatus) -> str:
    """Return the season and how far its divisions are: `season 1: bga 2p block 212, 4p asleep`."""
    if not ladder.season:
        return "no season yet"
    parts, before = list[str](), ""
    for division in ladder.divisions:
        label = "" if division.variant == before else f"{division.variant} "
        state = "asleep" if division.asleep else f"block {division.block}"
        parts.append(f"{label}{division.players}p {state}")
        before = division.variant
    return f"season {ladder.season}: {', '.join(parts) or 'no game yet'}"


@click.command("list")
@folder_argument
@json_option
def list_(ladder: Path, *, as_json: bool) -> None:
    """List the versions of LADDER with their states, since when and why."""
    folder = existing(ladder)
    with Book(folder) as book, Door(folder) as door:
        versions = door.versions(book)
    if as_json:
        print_json([version._asdict() for version in versions])
    else:
        rows = [
            [version.name, version.author, version.state, stamp(version.since), version.why]
            for version in versions
        ]
        print_columns(["version", "author", "state", "since", "why"], rows)


def _moment(_context: click.Context, _option: click.Parameter, text: str) -> float:
    """Return a time in seconds since 1970; raises ArenaError if the text is not a time."""
    if match := re.fullmatch(r"(\d{1,6})([smhd])", text):
        return time.time() - int(match[1]) * _SECONDS[match[2]]
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        hint = "90m, 2h, 3d, or 2026-11-23T09:14:02Z"
        raise ArenaError(f"{text[:40]!a} is not a time", "--since", hint) from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


@click.command()
@folder_argument
@click.argument("version", default="")
@click.option(
    "--since",
    default="1970-01-01",
    callback=_moment,
    help="Only later lines: 90m, 2h, 3d ago, or a time of UTC as 2026-11-23T09:14:02Z.",
)
@click.option("--author", default="", help="Only what an author did, or what was done to them.")
@click.option("--follow", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@json_option
def log(
    ladder: Path, version: str, since: float, author: str, *, follow: bool, as_json: bool
) -> None:
    """Print the log of LADDER, or of one VERSION of it (name@3), line by line.

    The exit code is 1 if a line is not as it was written. With --follow, --json
    prints each line by itself.
    """
    folder = existing(ladder)
    with Book(folder) as book, Door(folder) as door:
        version = book.version(version).name if version else ""
        author = door.author(author).name if author else ""
    lines = _logged(folder, version, author, since, follow=follow)
    if as_json and not follow:
        print_json([line._asdict() for line in lines])
    else:
        for line in lines:
            click.echo(json.dumps(line._asdict()) if as_json else harmless(_log_line(line)))
    with Book(folder) as book:
        book.check_log()


def _logged(
    folder: Folder, version: str, author: str, since: float, *, follow: bool
) -> Iterator[Event]:
    """Yield the lines of a log, and then what comes, if it is followed."""
    last = 0
    while True:
        with Book(folder) as book:
            lines = book.events(version, last, author, since)
        yield from lines
        if not follow:
            return
        last = lines[-1].n if lines else last
        time.sleep(_FOLLOW)


def _log_line(event: Event) -> str:
    about = f"{event.about}: " if event.about else ""
    by = f" (by {event.by})" if event.by else ""
    return f"{stamp(event.at)} {about}{event.text}{by}"


@click.command()
@click.argument("ladder", type=PathType(), default=Path("perudo-demo"))
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8500,
    show_default=True,
    help="Port of the web door.",
)
@json_option
def demo(ladder: Path, port: int, *, as_json: bool) -> None:
    """Run a ladder with sample bots and its web door until Ctrl-C, and print your link to it.

    LADDER is a new folder, or that of an earlier demo, which goes on [default: perudo-demo].
    """
    own = {"host": own_address(), "port": port, "url": f"http://127.0.0.1:{port}"}
    address = address_of(own)
    folder = existing(ladder) if ladder.exists() else make_demo(ladder)
    say_program_folder()
    say_isolation(load_config(folder.config).file.sandbox)
    in_thread(partial(_run, folder, address, show_link=True))
    if as_json:
        print_json(status(folder))


def _show_link(folder: Folder, url: str) -> None:
    """Invite whoever runs this as an administrator: each start makes a new link."""
    from arena.ladder.door import access

    secret, _ = access.invite(folder, "you", access.Scope.ADMINISTRATOR, by=operator())
    link = f"{url}/link/{secret}"
    say(f"your link: {link}")
    say(f"play against the bots: {url}/play")
    say("enter your own: arena new my-bot --lang python")
    say(f"then: arena submit my-bot --to {folder.root}")
    say("Ctrl-C ends it; the same command goes on with it")
    # A browser in the terminal returns only when it is left.
    threading.Thread(target=webbrowser.open, args=[link], daemon=True).start()
