"""A door that is open in a thread, and those who come to it."""

import json
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from arena.ladder.book.tables import Upload
from arena.ladder.door import access
from arena.ladder.door.access import Scope, SecretKind, Secrets
from arena.ladder.door.api import MIME
from arena.ladder.door.door import Door as LadderDoor
from arena.ladder.folder import Folder
from arena.ladder.web.run import Address, opened
from arena.ladder.web.served import DoorLimits, ListenerLimits
from tests.cli.command import HANG
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs

PATIENT = DoorLimits(
    body_seconds=HANG,
    form_seconds=HANG,
    head_seconds=HANG,
    drain_seconds=HANG,
    tries=1_000,
    burst=100_000,
    listeners=ListenerLimits(of_address=1_000, kept=0),
)
"""Nothing is cut off because the machine is slow."""
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


class Answer(NamedTuple):
    """What the door said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def problem(self) -> dict[str, Any]:
        """Return problem details, after a look whether they are whole."""
        assert self.headers["content-type"] == MIME
        found: dict[str, Any] = self.json()
        assert found["status"] == self.status
        assert found.keys() == {"type", "title", "status", "detail", "what", "where", "hint"}
        return found


class Door:
    """An open door, as those who come to it see it."""

    def __init__(self, folder: Folder, base: str) -> None:
        self.folder, self.base = folder, base
        self.host = base.partition("://")[2]

    def connect(self) -> HTTPConnection:
        return HTTPConnection(self.host, timeout=HANG)

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        """Ask as somebody whose headers these are; `_` stands for `-` in their names."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(self.connect()) as connection:
            connection.request(method, path, body, named)
            return answered(connection.getresponse())

    def session(self, author: str, scope: Scope = Scope.AUTHOR, **headers: str) -> dict[str, str]:
        """Return the headers of the browser of an author who opened their link."""
        word, _ = access.invite(self.folder, author, scope)
        found = self.ask(f"/link/{word}", "POST", **SAME_SITE, **headers)
        assert found.status == 303, found
        cookie = found.headers["set-cookie"].partition(";")[0]
        return {"Cookie": cookie, **SAME_SITE}

    def token(self, author: str, scope: Scope = Scope.SUBMIT) -> dict[str, str]:
        """Return the headers of an author's terminal."""
        access.invite(self.folder, author, Scope.AUTHOR)
        with Secrets(self.folder, writes=True) as kept:
            # Not by `make_token`, which makes a few at most.
            word = kept.make(author, SecretKind.TOKEN, scope, "terminal")
            return {"Authorization": f"Bearer {word}"}

    def put(self, bot: str, content: Any, headers: Mapping[str, str]) -> Answer:
        return self.ask(f"/api/v1/bots/{bot}/versions", "PUT", content, **headers)


def answered(response: HTTPResponse) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, response.read())


@contextmanager
def door_of(folder: Folder, limits: DoorLimits = PATIENT, **address: Any) -> Iterator[Door]:
    """Open the door of a ladder as long as the block lasts."""
    with opened(folder, Address(port=0, **address), limits) as door:
        thread = threading.Thread(target=door.run)
        thread.start()
        try:
            yield Door(folder, f"http://127.0.0.1:{door.port}")
        finally:
            door.stop()
            thread.join(HANG)
            assert not thread.is_alive()


def ladder(tmp_path: Path, **keys: object) -> Folder:
    """Make a ladder that does not run, with room for many submissions."""
    let_others_in(tmp_path)
    club = tmp_path / "club"
    for path, content, mode in _made():
        place = club / path
        if content is None:
            place.mkdir()
        else:
            place.write_bytes(content)
        place.chmod(mode)
    clubs.change(club, quotas={"uploads": 1000, "refused": 1000}, **keys)
    return Folder(club)


@cache
def _made() -> list[tuple[Path, bytes | None, int]]:
    """Return the folders and files of a ladder as it is made: to make one takes longer."""
    with TemporaryDirectory() as folder:
        club = clubs.make(Path(folder))
        paths = [club, *sorted(club.rglob("*"))]
        return [
            (
                path.relative_to(club),
                None if path.is_dir() else path.read_bytes(),
                stat.S_IMODE(path.stat().st_mode),
            )
            for path in paths
        ]


def uploads(door: Door) -> list[Upload]:
    """Return what was received."""
    with LadderDoor(door.folder) as opened:
        return opened.uploads()


def inbox(folder: Folder) -> list[str]:
    """Return what is in the inbox."""
    return sorted(path.name for path in folder.inbox.iterdir())
