"""The door as another user than the ladder, as the unit of systemd runs it."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.ladder.backup import backup, restore
from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door.door import Door
from arena.ladder.door.guest_spool import GuestPage, GuestSpool
from arena.ladder.folder import Folder, make_shared
from tests.cli.command import HANG, ROOT, environment
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs
from tests.ladder.desk import Desk
from tests.ladder.test_private import season, write
from tests.test_deploy import command_of

DOOR, LADDER = 61_001, 61_002
"""Users that nobody is; the second is the group of both, too."""
PROGRAM = """
import json, os, sys
from pathlib import Path
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.book.quota import Quotas
from arena.ladder.door.guest_spool import Asked, GuestSpool
from arena.ladder.door.access import SecretKind, Secrets
from arena.ladder.web.snapshot import look

# The user of the door may not read where Python is; the modules are loaded already.
os.setgroups([])
os.setgid(int(sys.argv[4]))
os.setuid(int(sys.argv[3]))
folder = Folder(Path(sys.argv[1]))
def may_read(path):
    return os.access(path, os.R_OK)
with Secrets(folder, writes=True) as secrets:
    secrets.make("ann", SecretKind.SESSION)
with Door(folder, writes=True) as door:
    upload, _ = door.submit("ann", "mine", sys.argv[2].encode(), ".tar", Quotas(100, 100))
spool = GuestSpool(folder)
spool.ask("table", Asked(("mine@1",), 1.0))
spool.click("table", 1, "dudo")
spool.visit("table")
print(json.dumps({
    "table": (page := spool.page("table")) and page.why,
    "versions": [one.name for one in look(folder, None).versions.values()],
    "received": upload.version,
    "pages": sorted(filter(may_read, sys.argv[5:])),
    "seed": may_read(folder.seasons / "1/seed"),
}))
"""


def as_user(program: str, *words: object) -> str:
    """Return what a program prints that becomes another user."""
    command = [sys.executable, "-c", program, *map(str, words)]
    done = subprocess.run(
        command,
        env=environment(),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_door(folder: Folder, content: str) -> dict[str, object]:
    """Submit and look around as the user of the door."""
    said = as_user(PROGRAM, folder.root, content, DOOR, LADDER, *pages(folder))
    found: dict[str, object] = json.loads(said)
    return found


STATUS = """
import os, sys
import getpass
from tests.cli.command import run
import arena.cli.ladder.orders, arena.cli.ladder.running, arena.course.roster

"".encode("utf-8-sig")  # Python's own files may not be read later
for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
    os.environ.pop(name, None)
os.setgroups([])
os.setgid(int(sys.argv[3]))
os.setuid(int(sys.argv[2]))
for command in (("status", sys.argv[1]), ("quota", sys.argv[1], "ann", "7")):
    ran = run("ladder", *command, cwd="/")
    print(ran.code, ran.out, ran.err)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run it as other users")
def test_the_user_of_the_door_may_ask_for_the_status_and_order(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path))
    with Door(folder, writes=True) as door:
        door.invite("ann")
    give_to_ladder(folder.root)
    prepare(folder)
    said = as_user(STATUS, folder.root, DOOR, LADDER)
    assert "error" not in said
    assert "logs unknown to this user of 5.0 GiB" in said
    with Door(folder) as door:
        [order] = door.orders()
    assert (order.who, order.uploads) == ("operator", 7)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run it as other users")
def test_the_door_of_a_restored_ladder_is_open(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    lost = Folder(clubs.make(tmp_path))
    with Door(lost, writes=True) as door:
        door.invite("ann")
    folder = restore(backup(lost, tmp_path / "saved").root, tmp_path / "again")
    give_to_ladder(folder.root)
    prepare(folder)
    assert as_door(folder, "1")["received"] == "mine@1"


def pages(folder: Folder) -> list[str]:
    """Return the files that the ladder wrote for authors."""
    return sorted(str(path) for path in folder.private.rglob("*") if path.is_file())


def give_to_ladder(path: Path) -> None:
    subprocess.run(["chown", "-R", f"{LADDER}:{LADDER}", path], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run it as other users")
def test_the_door_reads_and_writes_what_is_its_own(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path))
    with Door(folder, writes=True) as door:
        door.invite("ann")
    make_shared(folder.private / "ann")
    (folder.private / "ann/index.html").write_text("hers")
    (folder.seasons / "1").mkdir()
    (folder.seasons / "1/seed").write_text("secret")
    GuestSpool(folder).begin()
    GuestSpool(folder).show("table", GuestPage(why="closed"))
    give_to_ladder(folder.root)
    prepare(folder)
    expected = {
        "received": "mine@1",
        "pages": pages(folder),
        "seed": False,
        "table": "closed",
    }
    # No ladder runs.
    found = as_door(folder, "1")
    assert found.pop("versions") == ["mine@1"]
    assert found == expected
    for path in (folder.door.parent / "guests/table").iterdir():
        status = path.stat()
        assert (status.st_gid, status.st_mode & 0o777) == (LADDER, 0o640), path
    # One does, and has its database open.
    with Book(folder, writes=True) as book, Door(folder) as door:
        [upload] = door.uploads()
        book.add(upload, State.QUEUED, "it came")
        os.chown(f"{folder.ladder}-wal", LADDER, LADDER)
        os.chown(f"{folder.ladder}-shm", LADDER, LADDER)
        found = as_door(folder, "2")
        assert found["versions"] == ["mine@1", "mine@2"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may run it as other users")
def test_the_door_reads_what_is_published_after_it_was_opened(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path))
    with ExitStack() as stack:
        book = stack.enter_context(Book(folder, writes=True))
        door = stack.enter_context(Door(folder, writes=True))
        store = stack.enter_context(season(tmp_path))
        desk = Desk(folder, book, door)
        desk.book.set_state(desk.book.version(desk.submit("ann", "one")), State.RATED, "it played")
        write(desk, store, range(1))
        GuestSpool(folder).begin()
        GuestSpool(folder).show("table", GuestPage(why="closed"))
        give_to_ladder(folder.root)
        prepare(folder)
        before = pages(folder)
        # The ladder goes on: pages of another author, new ones in a folder, others in place.
        desk.book.set_state(desk.book.version(desk.submit("bob", "two")), State.RATED, "it played")
        write(desk, store)
        give_to_ladder(folder.private)
        assert len(pages(folder)) > 2 * len(before)
        assert as_door(folder, "1")["pages"] == pages(folder)


def prepare(folder: Folder) -> None:
    """Do what the unit of the door does as root."""
    command = command_of("arena-door@.service", folder.root.name, "ExecStartPre=\\+")
    places = {"/var/lib/arena": str(folder.root.parent), "arena-door:arena": f"{DOOR}:{LADDER}"}
    for before, after in places.items():
        command = [word.replace(before, after) for word in command]
    subprocess.run(command, check=True, timeout=HANG, cwd=ROOT)
