"""Bodies and files on their way to the disk: counted, timed and hashed, never opened.

How large a submission may be: `MAX_UPLOAD` in `arena/ladder/door/door.py`.
"""

import asyncio
import os
import re
from base64 import b64decode
from binascii import Error
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, TypeVar
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from arena.io.files import place_durably
from arena.ladder.door.api import Receipt, receipt_of
from arena.ladder.door.door import Door, Sent, check_note
from arena.ladder.folder import Folder
from arena.ladder.web.problems import RequestError, refusing
from arena.ladder.web.served import Served, client_of, served_by

_FORM = 8_192
"""Bytes of a form without a file, at most."""
_DRAINED = 64 * 1024 * 1024
"""Bytes of a refused body that are read, at most."""
_TEXT_FORM = "application/x-www-form-urlencoded"
_BOUNDARY = re.compile(r"multipart/form-data; ?boundary=([!-~]{1,70})", re.IGNORECASE)
_HEAD = (
    rb"--%b\r\nContent-Disposition: form-data; name=\"bot\"\r\n\r\n"
    rb"([A-Za-z0-9_-]{1,64})\r\n"
    rb"(?:--%b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n([^\r\n]{0,1000})\r\n)?"
    rb"--%b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"[^\"\r\n]*\"\r\n"
    rb"(?:Content-Type: [^\r\n]*\r\n)?\r\n"
)
"""How every browser sends the fields of the page's form: the note may be missing."""
_PARTS = ".door.*.part"
_BEGINNINGS = (
    (b"PK", ".zip"),
    (b"\x1f\x8b", ".tar.gz"),
    (b"BZh", ".tar.bz2"),
    (b"\xfd7zXZ", ".tar.xz"),
)


async def timed(request: Request, seconds: float, most: int) -> AsyncIterator[bytes]:
    """Yield a body as it comes; raises RequestError if it is too long or comes too slowly."""
    check_length(request, most)
    served = served_by(request)
    count = 0
    try:
        async with served.time_for_body(seconds):
            async for chunk in request.stream():
                count += len(chunk)
                if count > most:
                    raise too_long(most)
                yield chunk
    except TimeoutError:
        if served.watch.stopped:
            hint = "send it again in a moment"
            headers = {"Connection": "close", "Retry-After": "10"}
            raise RequestError(503, "the door is being stopped", hint, headers) from None
        hint = "send it over a faster connection"
        what = f"the body did not come within {seconds:g} s"
        raise RequestError(408, what, hint, {"Connection": "close"}) from None
    except ClientDisconnect:
        raise RequestError(400, "the connection was closed before the body had come") from None


def check_length(request: Request, most: int) -> None:
    """Raise RequestError for a body that says itself that it is too long."""
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > most:
        raise too_long(most)


def too_long(most: int) -> RequestError:
    """Return the refusal of a body that is too long."""
    size = f"{most // 1024**2} MiB" if most >= 1024**2 else f"{most:,} bytes"
    hint = "leave out what the bot does not need"
    return RequestError(413, f"a body has at most {size}", hint, {"Connection": "close"})


async def drain(request: Request, error: RequestError) -> None:
    """Read on for a moment, as clients listen to an answer only once they have sent all.

    Nothing is read if the time for the body is over.
    """
    if error.status in {408, 503}:
        return
    served = served_by(request)
    count = 0
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with served.time_for_body(served.limits.drain_seconds):
            async for chunk in request.stream():
                count += len(chunk)
                if count > _DRAINED:
                    return


Form = Mapping[str, str]
"""The fields of a form."""
_Who = TypeVar("_Who")


async def form_of(request: Request) -> Form:
    """Return the fields of a form without a file."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != _TEXT_FORM:
        raise RequestError(415, "the body is not a form", f"send it as {_TEXT_FORM}")
    chunks = timed(request, served_by(request).limits.form_seconds, _FORM)
    body = b"".join([chunk async for chunk in chunks])
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=9))
    except ValueError:
        raise RequestError(400, "the form cannot be read") from None


def posted(
    who: Callable[[Request], _Who],
) -> Callable[
    [Callable[[Request, _Who, Form], Response]], Callable[[Request], Awaitable[Response]]
]:
    """Let a function answer a form, in a thread of its own, if `who` lets its sender pass."""

    def decorated(
        work: Callable[[Request, _Who, Form], Response],
    ) -> Callable[[Request], Awaitable[Response]]:
        @wraps(work)
        async def handler(request: Request) -> Response:
            visitor = await run_in_threadpool(who, request)
            form = await form_of(request)
            return await run_in_threadpool(work, request, visitor, form)

        return handler

    return decorated


class FileForm:
    """The form of the upload page: the name of a bot, a note, then one file, which is the rest."""

    def __init__(self, request: Request, chunks: AsyncIterator[bytes]) -> None:
        match = _BOUNDARY.fullmatch(request.headers.get("content-type", ""))
        if not match:
            raise RequestError(
                415, "the body is not a form with a file", "use the form of the page"
            )
        boundary = match[1].encode()
        self._chunks = chunks
        self._head = re.compile(_HEAD % ((re.escape(boundary),) * 3))
        self._tail = b"\r\n--%b--\r\n" % boundary
        self._held = b""

    async def fields(self) -> tuple[str, str]:
        """Return the name of the bot and the note; RequestError if the form is another one."""
        async for chunk in self._chunks:
            self._held += chunk
            if match := self._head.match(self._held):
                self._held = self._held[match.end() :]
                return match[1].decode(), (match[2] or b"").decode("utf-8", "replace")
            if len(self._held) > _FORM:
                break
        hint = "name the bot with 1 to 32 letters, digits, - and _, and choose a file"
        raise RequestError(400, "the form is not that of the page", hint)

    async def content(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file."""
        size = len(self._tail)
        if len(self._held) > size:
            yield self._held[:-size]
            self._held = self._held[-size:]
        async for chunk in self._chunks:
            self._held += chunk
            if len(self._held) > size:
                yield self._held[:-size]
                self._held = self._held[-size:]
        if self._held != self._tail:
            raise RequestError(400, "the form is cut off", "send it again")


def forget_parts(folder: Folder) -> None:
    """Remove what came in part before the door was stopped."""
    for path in folder.inbox.glob(_PARTS):
        path.unlink(missing_ok=True)


async def receive(
    request: Request,
    author: str,
    bot: str,
    chunks: AsyncIterator[bytes],
    *,
    digest: bytes | None = None,
    note: str = "",
) -> Receipt:
    """Take a submission in; returns when it is on the disk to stay.

    Raises RequestError if it is not taken; nothing is left of it then.
    """
    served, address = served_by(request), client_of(request)
    with refusing(400):
        bot = served.terms.names.of(author, bot)
    with served.upload_of(author):
        await asyncio.to_thread(_check_early, served, author, address, bot, note, digest)
        with _part(served.folder) as (path, file):
            sent = await _written(file, chunks, note)
            if digest not in {None, bytes.fromhex(sent.sha256)}:
                hint = "it was changed on its way: send it again"
                raise RequestError(400, "the body has another SHA-256 than Content-Digest", hint)
            return await asyncio.to_thread(_entered, served, author, address, bot, sent, path)


def _check_early(
    served: Served, author: str, address: str, bot: str, note: str, digest: bytes | None
) -> None:
    """Raise RequestError for what is sure to be refused before the bytes have come."""
    with refusing(400):
        check_note(note)
    with Door(served.folder) as door:
        # Bytes that came before are free; without a digest only the bytes tell.
        if digest and door.known(author, bot, digest.hex()):
            return
        with refusing():
            if digest:
                door.check(author, bot, 0, served.terms.quotas)
            door.check_room(author, 0, served.terms.caps, served.sent_from(address))


@contextmanager
def _part(folder: Folder) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file in the inbox that is gone afterwards, unless it got its name."""
    path = folder.inbox / f".door.{token_hex(8)}.part"
    try:
        with open(path, "xb", opener=partial(os.open, mode=0o640)) as file:
            yield path, file
    except OSError as error:
        raise RequestError(
            507, f"it cannot be written: {error.strerror}", "the disk is full"
        ) from None
    finally:
        path.unlink(missing_ok=True)


async def _written(file: BinaryIO, chunks: AsyncIterator[bytes], note: str) -> Sent:
    """Write the bytes as they come; returns what is known of them then."""
    digest = sha256()
    count = 0
    beginning = b""
    async for chunk in chunks:
        digest.update(chunk)
        file.write(chunk)
        count += len(chunk)
        beginning = beginning or chunk[:8]
    if not count:
        raise RequestError(400, "the body is empty", "send an archive of the bot's folder")
    file.flush()
    await asyncio.to_thread(os.fsync, file.fileno())
    ending = next((end for begin, end in _BEGINNINGS if beginning.startswith(begin)), ".tar")
    return Sent(digest.hexdigest(), ending, count, note)


def _entered(
    served: Served, author: str, address: str, bot: str, sent: Sent, part: Path
) -> Receipt:
    folder = served.folder
    quotas = served.terms.quotas
    file = folder.upload(sent.sha256, sent.ending)
    with Door(folder, writes=True) as door:

        def place() -> None:
            door.check_room(author, sent.bytes, served.terms.caps, served.sent_from(address))
            place_durably(part, file)
            served.note_sent(file.name, address)

        with refusing():
            upload, new = door.receive(author, bot, sent, place, quotas)
        return receipt_of(upload, new, door.allowance(author, quotas))


def digest_of(header: str | None) -> bytes | None:
    """Return the SHA-256 that a request promises (RFC 9530); None if it promises none."""
    if header is None:
        return None
    for entry in header.split(","):
        name, _, value = entry.strip().partition("=")
        if name.lower() == "sha-256" and len(value) > 2 and value[0] == value[-1] == ":":
            try:
                if len(digest := b64decode(value[1:-1], validate=True)) == 32:
                    return digest
            except Error:
                break
    hint = "Content-Digest: sha-256=:BASE64:"
    raise RequestError(400, "the header Content-Digest cannot be read", hint)
