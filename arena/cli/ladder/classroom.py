"""`arena class`: a ladder and its door for an hour in a room."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.author.check.steps import FIRST_GAME
from arena.cli.ladder.door import address_of, folder_argument
from arena.cli.ladder.running import in_thread
from arena.cli.options import PathType, json_option, sandbox_option, say_program_folder
from arena.cli.output import print_json, say
from arena.course.roster import read_roster
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.ladder.book.names import Names, check_name
from arena.ladder.book.quota import Quotas
from arena.ladder.config import CheckTerms, Intervals
from arena.ladder.door.address import noted_address
from arena.ladder.door.classroom import Classroom, keep_class, new_class
from arena.ladder.folder import Folder, existing
from arena.ladder.new import make_ladder, operator
from arena.ladder.status import status

if TYPE_CHECKING:  # it needs the extra `serve`
    from arena.ladder.web.run import Address

_KEYS: dict[str, Any] = {
    "names": Names.BY_AUTHOR,
    "quotas": Quotas(uploads=100, refused=100),
    "intervals": Intervals(publish=10.0),
    # All steps take several times as long (benchmarks/results/class.md), and a class waits.
    "checks": CheckTerms(steps=FIRST_GAME),
    # Checks wait for a processor while games take all of them.
    "workers": max(1, core_count() // 2),
}
"""What the ladder.yaml of a class says beside the usual."""
_RISK = "on plain HTTP everybody on this network can read and change what is sent, and be anybody"
_ELSEWHERE = ("192.0.2.1", 9)
"""An address for examples (RFC 5737): nothing is sent there."""


@click.command()
@folder_argument
@click.option(
    "--roster",
    type=PathType(dir_okay=False),
    required=True,
    help="CSV file with the names of the class in the column id.",
)
@click.option("--minutes", type=click.IntRange(1, 10_000), help="How long the class goes on.")
@click.option("--host", help="Address of this machine in the room [default: found out].")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8500, show_default=True, help="Port."
)
@click.option(
    "--plain-http",
    is_flag=True,
    help="Without HTTPS, on a private network whose users you trust: they can read all of it.",
)
@click.option("--certificate", type=PathType(), help="File of a certificate, to speak HTTPS.")
@click.option("--key", type=PathType(), help="File of its key.")
@sandbox_option
@click.option("--trust-bots", is_flag=True, help="Run bots without isolation, as your own user.")
@json_option
def command(
    ladder: Path,
    *,
    roster: Path,
    minutes: int | None,
    sandbox: str | None,
    trust_bots: bool,
    as_json: bool,
    **door: Any,
) -> None:
    """Open LADDER to a class in this room until Ctrl-C, and print the way in, big, for the wall.

    LADDER is a new folder, or that of an earlier hour, which goes on. Who is on the roster joins
    once, by that name and the code; bots are called ANN/BOT.
    """
    if not (door["plain_http"] or door["certificate"]):
        hint = "--plain-http if you trust everybody there, or --certificate FILE --key FILE"
        raise ArenaError(_RISK, "arena class", hint)
    door["host"] = door["host"] or _own_address()
    address = address_of(door)
    names = [student.id for student in read_roster(roster)]
    for name in names:
        check_name(name, "in a class the name of a student")
    if not ladder.exists():
        make_ladder(ladder, sandbox, trusted=trust_bots, **_KEYS)
    folder = existing(ladder)
    classroom = new_class(names, time.time() + 60 * minutes if minutes else None)
    keep_class(folder, classroom)
    if address.plain_http:
        say(f"warning: {_RISK}")
    say_program_folder()

    def show_way_in(line: str) -> None:
        click.echo(line, err=as_json)

    in_thread(partial(_teach, folder, address, classroom, show_way_in))
    if as_json:
        print_json(status(folder))


def _teach(
    folder: Folder,
    address: "Address",
    classroom: Classroom,
    show: Callable[[str], None],
    stop: threading.Event,
) -> None:
    # Slow to import: a signal may come meanwhile.
    from arena.ladder.run import run_ladder
    from arena.ladder.web.run import door_process

    @contextmanager
    def door() -> Iterator[None]:
        with door_process(folder, address, stop, say):
            _show_way_in(folder, classroom, show)
            yield

    run_ladder(folder, stop, say, door())


def _show_way_in(folder: Folder, classroom: Classroom, show: Callable[[str], None]) -> None:
    """Show where the class joins, and a new link for the teacher."""
    from arena.ladder.door import access
    from arena.ladder.web.wall import join_link, on_terminal

    base = noted_address(folder)
    secret, _ = access.invite(folder, operator(), access.Scope.ADMINISTRATOR, by=operator())
    show(on_terminal(join_link(base, classroom)))
    show(f"  JOIN   {base}/welcome")
    show(f"  CODE   {classroom.code}")
    show(f"  yours  {base}/link/{secret}")
    show(f"  wall   {base}/wall, for the projector: open your link there first")


def _own_address() -> str:
    """Return the address of this machine on the network that it uses; raises ArenaError."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(_ELSEWHERE)
        if not (host := str(asked.getsockname()[0])).startswith("127."):
            return host
    raise ArenaError("this machine is on no network", "--host", "name its address in the room")
