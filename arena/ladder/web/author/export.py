"""All that a ladder has stored about an author, as one archive."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.ladder.book.book import Book
from arena.ladder.book.check_result import decoded
from arena.ladder.book.tables import Version
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.access.secrets import Secrets
from arena.ladder.web.access.visitors import session_of
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import Served, served_by

_CHUNK = 1024 * 1024
_ELSEWHERE = "Results of games are public, in the records of each season, under the names of bots."


def export(request: Request) -> Response:
    """Send an author all that is stored about them."""
    author, served = session_of(request).author, served_by(request)
    if author in served.exports:
        what = "all that is stored about you is being sent already"
        raise RequestError(429, what, "wait until it has come", {"Retry-After": "10"})
    headers = {"Content-Disposition": f'attachment; filename="{author}.zip"'}
    return StreamingResponse(_sent(served, author), 200, headers, "application/zip")


def _sent(served: Served, author: str) -> Iterator[bytes]:
    """Yield the archive, of which an author is sent one at a time."""
    served.exports.add(author)
    try:
        yield from _zipped(served.folder, author)
    finally:
        served.exports.discard(author)


class _Sink:
    """Takes what a zip is made of, until it is sent."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: `taken` empties it."""

    def close(self) -> None:
        """Do nothing."""

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        data, self._parts = b"".join(self._parts), []
        return data


def _zipped(folder: Folder, author: str) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("account.json", _account(folder, author))
        yield sink.taken()
        for path, name in _files(folder, author):
            try:
                with path.open("rb") as source, archive.open(name, "w") as target:
                    while chunk := source.read(_CHUNK):
                        target.write(chunk)
                        yield sink.taken()
            except FileNotFoundError:  # the ladder replaced it a moment ago
                continue
    yield sink.taken()


def _files(folder: Folder, author: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of an author, and their names in the archive."""
    root = folder.private / author
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path, f"pages/{path.relative_to(root).as_posix()}"
    with Door(folder) as door:
        uploads = [upload for upload in door.uploads() if upload.author == author]
    for upload in uploads:
        path = folder.upload(upload.sha256, upload.ending)
        if path.is_file():
            yield path, f"submitted/{upload.version}{upload.ending}"


def _account(folder: Folder, author: str) -> bytes:
    with Door(folder) as door, Book(folder) as book, Secrets(folder) as secrets:
        orders = [order for order in door.orders() if author in {order.who, order.author}]
        versions = [version for version in book.versions() if version.author == author]
        names = {version.name for version in versions}
        account = {
            "author": door.author(author)._asdict(),
            "sessions, tokens and feeds": [secret._asdict() for secret in secrets.held(author)],
            "submissions": [one._asdict() for one in door.uploads() if one.author == author],
            "versions": [_version(version, book) for version in versions],
            "orders": [order._asdict() for order in orders],
            "log": [
                event._asdict()
                for event in book.events()
                if event.author == author or event.version in names
            ],
            "elsewhere": _ELSEWHERE,
        }
    return msgspec.json.format(msgspec.json.encode(account), indent=1)


def _version(version: Version, book: Book) -> dict[str, Any]:
    results = [decoded(check.result) for check in book.checks(version) if check.result]
    comparison = book.comparisons().get(version.id)
    twins = msgspec.Raw(comparison.result) if comparison else None
    return {**version._asdict(), "checks": results, "compared with the one before": twins}
