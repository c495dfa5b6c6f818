"""One attempt to get a completion from a model's server."""

import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Event, Timer

from msgspec.structs import replace

from arena.bots.models.chat import Completion, RequestError, read_completion
from arena.bots.models.config import Model, address_of

MAX_ANSWER = 1024 * 1024
"""Bytes of an answer."""
_SHOWN = 200
"""Characters of a server's message that a bot gets."""
_CANNOT_DO = (400, 413, 422)
"""Statuses of a server that works, and cannot do what a bot asks."""
_PASSES = (408, 409, 425, 429)
"""Statuses below 500 of a server that may work later."""
_MOST_WAIT = 30.0
"""Seconds that a server can ask to wait."""
_HIDDEN = "[key]"


class ServerError(Exception):
    """The server is at fault, not the bot; `passes`: whether it may work later."""

    def __init__(self, why: str, *, passes: bool = True, wait: float = 0.0) -> None:
        super().__init__(why)
        self.passes = passes
        self.wait = wait
        """Seconds after which the server wants to be asked again."""


def complete(model: Model, key: str, body: bytes) -> Completion:
    """Ask a server once; raises ServerError, or RequestError for what the bot asked."""
    try:
        completion = read_completion(_post(model, key, body))
    except ValueError as error:
        raise ServerError(str(error)) from None
    return replace(
        completion,
        text=_without(key, completion.text),
        finish=_without(key, completion.finish),
    )


def _without(key: str, text: str) -> str:
    return text.replace(key, _HIDDEN) if key else text


def _post(model: Model, key: str, body: bytes) -> bytes:
    """Return the body of a server's answer; the time counts for all of it, however it comes."""
    address = address_of(model.url)
    make = HTTPSConnection if address.secure else HTTPConnection
    connection = make(address.host, address.port, timeout=model.timeout)
    late = Event()
    try:
        connection.connect()
    except OSError as error:
        raise ServerError(_words(error)) from None
    timer = _hang_up_after(model.timeout, connection.sock, late)
    try:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        connection.request("POST", address.path, body, headers | _authorization(key))
        answer = _body(connection.getresponse(), key)
    except (OSError, HTTPException, ValueError) as error:
        why = _late(model) if late.is_set() or isinstance(error, TimeoutError) else _words(error)
        raise ServerError(why) from None
    finally:
        timer.cancel()
        connection.close()
    if late.is_set():
        raise ServerError(_late(model))
    return answer


def _hang_up_after(seconds: float, connected: socket, late: Event) -> Timer:
    """Shut a connection down after so many seconds, whatever comes until then."""

    def hang_up() -> None:
        late.set()
        with suppress(OSError):
            connected.shutdown(SHUT_RDWR)

    timer = Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    return timer


def _late(model: Model) -> str:
    return f"no answer within {model.timeout:g} s"


def _authorization(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _body(response: HTTPResponse, key: str) -> bytes:
    """Return the body of a good answer."""
    status = response.status
    body = response.read(MAX_ANSWER + 1)
    if status == 200:
        if len(body) > MAX_ANSWER:
            raise ServerError(f"its answer has more than {MAX_ANSWER:,} bytes", passes=False)
        return body
    if status in _CANNOT_DO:
        text = _without(key, body.decode("utf-8", "replace"))
        raise RequestError(400, "server_refused", f"the server refuses it: {text[:_SHOWN]}")
    if 300 <= status < 400:
        raise ServerError(f"it redirects elsewhere ({status}), which is not followed", passes=False)
    if status in (401, 403):
        raise ServerError(f"it does not accept the key ({status})", passes=False)
    wait = response.getheader("Retry-After", "")
    seconds = min(float(wait), _MOST_WAIT) if wait.isascii() and wait.isdigit() else 0.0
    passes = status >= 500 or status in _PASSES
    raise ServerError(f"it answers with the status {status}", passes=passes, wait=seconds)


def _words(error: Exception) -> str:
    """Say what went wrong, without anything that the server sent."""
    if isinstance(error, ssl.SSLError):
        return f"no secure connection: {error.reason or 'TLS fails'}"
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return "its answer is not HTTP"
