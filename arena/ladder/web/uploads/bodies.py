"""Bodies of requests, counted and timed while they come."""

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import served_by

_FORM = 8_192
"""Bytes of a form without a file."""
_DRAINED = 64 * 1024 * 1024
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


async def timed(request: Request, seconds: float, most: int) -> AsyncIterator[bytes]:
    """Yield a body as it comes; raises RequestError if it is too long or comes too slowly."""
    check_length(request, most)
    count, served = 0, served_by(request)
    try:
        async with served.time_for_body(seconds):
            async for chunk in request.stream():
                count += len(chunk)
                if count > most:
                    raise too_long(most)
                yield chunk
    except TimeoutError:
        if served.watch.stopped:
            hint, headers = (
                "send it again in a moment",
                {"Connection": "close", "Retry-After": "10"},
            )
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
    """Read on for a moment: clients listen to an answer only when they have sent all.

    Not if the time for the body is over.
    """
    if error.status in {408, 503}:
        return
    count, served = 0, served_by(request)
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with served.time_for_body(served.limits.drain_seconds):
            async for chunk in request.stream():
                count += len(chunk)
                if count > _DRAINED:
                    return


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form without a file."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != _TEXT_FORM:
        raise RequestError(415, "it is no form", f"send it as {_TEXT_FORM}")
    chunks = timed(request, served_by(request).limits.form_seconds, _FORM)
    body = b"".join([chunk async for chunk in chunks])
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=9))
    except ValueError:
        raise RequestError(400, "the form cannot be read") from None


class FileForm:
    """The form of the upload page: the name of a bot, a note, then one file, which is the rest."""

    def __init__(self, request: Request, chunks: AsyncIterator[bytes]) -> None:
        match = _BOUNDARY.fullmatch(request.headers.get("content-type", ""))
        if not match:
            raise RequestError(415, "it is no form with a file", "use the form of the page")
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
