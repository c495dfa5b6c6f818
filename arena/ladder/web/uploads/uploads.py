"""Submissions on their way to the disk: counted, hashed, never opened."""

import asyncio
import os
from base64 import b64decode
from binascii import Error
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from arena.io.files import place_durably
from arena.ladder.door.api import Receipt, receipt_of
from arena.ladder.door.door import Door, Sent, check_name, check_note
from arena.ladder.folder import Folder
from arena.ladder.web.problems import RequestError, refusing
from arena.ladder.web.served import Served

_PARTS = ".door.*.part"
_BEGINNINGS = (
    (b"PK", ".zip"),
    (b"\x1f\x8b", ".tar.gz"),
    (b"BZh", ".tar.bz2"),
    (b"\xfd7zXZ", ".tar.xz"),
)
_FULL = "the disk is full"
_DIGEST = "Content-Digest: sha-256=:BASE64:"


def forget_parts(folder: Folder) -> None:
    """Remove what came in part before the door was stopped."""
    for path in folder.inbox.glob(_PARTS):
        path.unlink(missing_ok=True)


async def receive(
    served: Served,
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
    with served.upload_of(author):
        await asyncio.to_thread(_check, served, author, (bot, note), digest)
        with _part(served.folder) as (path, file):
            sent = (await _written(file, chunks))._replace(note=note)
            if digest not in {None, bytes.fromhex(sent.sha256)}:
                hint = "it was changed on its way: send it again"
                raise RequestError(400, "the body has another SHA-256 than Content-Digest", hint)
            return await asyncio.to_thread(_entered, served, author, bot, sent, path)


def _check(served: Served, author: str, said: tuple[str, str], digest: bytes | None) -> None:
    """Raise RequestError for what is known to be refused before the bytes have come.

    That is by what was said of them: the name of the bot, and a note.
    """
    bot, note = said
    with refusing(400):
        check_name(bot, "on a ladder the name of a bot")
        check_note(note)
    with Door(served.folder) as door:
        # Bytes that came before are free; without a digest only the bytes tell.
        if digest and not door.known(author, bot, digest.hex()):
            with refusing():
                door.check(author, bot, 0, served.terms.quotas)


@contextmanager
def _part(folder: Folder) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield a new file in the inbox that is gone afterwards, unless it got its name."""
    path = folder.inbox / f".door.{token_hex(8)}.part"
    try:
        with open(path, "xb", opener=_private) as file:
            yield path, file
    except OSError as error:
        raise RequestError(507, f"it cannot be written: {error.strerror}", _FULL) from None
    finally:
        path.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o640)


async def _written(file: BinaryIO, chunks: AsyncIterator[bytes]) -> Sent:
    """Write the bytes as they come."""
    digest, count, beginning = sha256(), 0, b""
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
    return Sent(digest.hexdigest(), ending, count)


def _entered(served: Served, author: str, bot: str, sent: Sent, part: Path) -> Receipt:
    folder, quotas = served.folder, served.terms.quotas

    def place() -> None:
        place_durably(part, folder.upload(sent.sha256, sent.ending))

    with Door(folder, writes=True) as door:
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
    raise RequestError(400, "the header Content-Digest cannot be read", _DIGEST)
