"""Chat completions in OpenAI's form: what a bot may ask, how a server is asked, what a bot gets."""

import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.models.config import Model, address_of

MAX_BODY = 256 * 1024
"""Bytes of a request."""
MAX_ANSWER = 1024 * 1024
"""Bytes of a server's answer."""
_SHOWN = 200
"""Characters of a server's message that a bot gets."""
_CANNOT_DO = (400, 413, 422)
"""Statuses of a server that works, and cannot do what a bot asks."""
_PASSES = (408, 409, 425, 429)
"""Statuses below 500 of a server that may work later."""
_MOST_WAIT = 30.0
"""Seconds that a server can ask to wait."""
_HIDDEN = "[key]"
_BYTES_A_TOKEN = 4
"""Bytes that count as one token where a server counts none, as roughly in English."""
_PROBE = [{"role": "user", "content": "Say ok."}]
_PROBE_TOKENS = 16
"""Tokens of the answer to a probe, at most."""
_FIELDS = (
    *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed"),
    *("stop", "presence_penalty", "frequency_penalty", "response_format"),
)
"""Fields that are passed on. Others name files, tools, caches or users of the server."""
_INERT: dict[str, tuple[object, ...]] = {"stream": (False, None), "n": (1, None)}
"""Fields that are accepted with these values, and then left out."""


class RequestError(Exception):
    """Why a request is refused: an HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def body(self) -> bytes:
        """Return it in OpenAI's form."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        if self.status == 429:
            kind = "rate_limit_error"
        return msgspec.json.encode(
            {"error": {"message": str(self), "type": kind, "code": self.code, "param": None}}
        )


class CapReachedError(RequestError):
    """A cap is reached."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(429, code, message)


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str


class _Message(Struct, frozen=True, forbid_unknown_fields=True):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[_Part]


class _Request(Struct, frozen=True):
    model: str
    messages: list[_Message]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


class _Content(Struct, frozen=True):
    content: str | None = None
    reasoning_content: object = None
    reasoning: object = None
    """The same, as some servers call it."""

    @property
    def thought(self) -> str:
        """What the model thought before its answer; "" if the server does not say it in words."""
        said = self.reasoning_content or self.reasoning
        return said if isinstance(said, str) else ""


class _Choice(Struct, frozen=True):
    message: _Content
    finish_reason: str | None = None


class _Usage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(Struct, frozen=True):
    choices: list[_Choice]
    usage: _Usage | None = None


class Completion(Struct, frozen=True):
    """What a model answered."""

    text: str
    finish: str
    tokens_in: int
    tokens_out: int
    estimated: bool = False
    """Whether the tokens are an estimate, as the server counted none."""
    reasoning: str = ""
    """What the model thought before it answered, if the server says it."""


_requests = msgspec.json.Decoder(_Request)
_answers = msgspec.json.Decoder(_Answer)


class Asked(Struct, frozen=True):
    """A request that may be passed on."""

    model: str
    """The arena's name of it."""
    fields: dict[str, Any]
    """All fields but the model."""

    def body(self, model: str, most: int) -> bytes:
        """Return the request for a server, which calls the model so, of `most` tokens at most."""
        key = "max_completion_tokens" if "max_completion_tokens" in self.fields else "max_tokens"
        wanted = self.fields.get(key) or most
        return msgspec.json.encode({"model": model, **self.fields, key: min(wanted, most)})

    def text(self) -> str:
        """Return it as it is recorded: the same request has the same text."""
        return msgspec.json.encode(self.fields, order="sorted").decode()


def read_request(body: bytes) -> Asked:
    """Return the request of a bot; raises RequestError if it may not be passed on."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, Any])
        for name in fields.keys() - {*_FIELDS}:
            _check_inert(name, fields[name])
        request = _requests.decode(body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RequestError(400, "invalid_request", f"not a request: {error}") from None
    if not request.messages:
        raise RequestError(400, "invalid_request", "messages is empty")
    for most in (request.max_tokens, request.max_completion_tokens):
        if most is not None and most < 1:
            raise RequestError(400, "invalid_request", "max_tokens is at least 1")
    passed = {key: fields[key] for key in _FIELDS if fields.get(key) is not None and key != "model"}
    return Asked(request.model, passed)


def _check_inert(name: str, value: object) -> None:
    if name not in _INERT or value not in _INERT[name]:
        what = "streams are" if name == "stream" else f"{name[:40]!a} is"
        raise RequestError(400, "unsupported", f"{what} not passed on to models here")


def read_completion(body: bytes, request: bytes) -> Completion:
    """Return the answer of a server to a request; raises ValueError if it is not a completion."""
    try:
        answer = _answers.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        raise ValueError("its answer is no chat completion") from None
    if not answer.choices:
        raise ValueError("its answer has no choices")
    choice, usage = answer.choices[0], answer.usage or _Usage()
    message = choice.message
    if usage.prompt_tokens < 0 or usage.completion_tokens < 0:
        raise ValueError("its answer counts tokens below 0")
    text = message.content or ""
    counted = usage.prompt_tokens and (usage.completion_tokens or not text)
    return Completion(
        text,
        choice.finish_reason or "stop",
        usage.prompt_tokens if counted else _estimate(request),
        usage.completion_tokens if counted else _estimate(text.encode()),
        estimated=not counted,
        reasoning=message.thought,
    )


def _estimate(text: bytes) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text) // _BYTES_A_TOKEN)


def completion_body(model: str, number: int, completion: Completion) -> bytes:
    """Return the answer for a bot: of the server's, only the text and its size."""
    message = {"role": "assistant", "content": completion.text}
    total = completion.tokens_in + completion.tokens_out
    return msgspec.json.encode(
        {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": completion.finish}],
            "usage": {
                "prompt_tokens": completion.tokens_in,
                "completion_tokens": completion.tokens_out,
                "total_tokens": total,
            },
        }
    )


def models_body(names: tuple[str, ...]) -> bytes:
    """Return the list of models that a bot was granted."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "arena"} for name in names]
    return msgspec.json.encode({"object": "list", "data": data})


class ServerError(Exception):
    """A fault of the server, not of the bot; `passes`: whether it may work later."""

    def __init__(self, why: str, *, passes: bool = True, wait: float = 0.0) -> None:
        super().__init__(why)
        self.passes = passes
        self.wait = wait
        """Seconds after which the server wants to be asked again."""


def complete(model: Model, key: str, body: bytes) -> Completion:
    """Ask a server once; raises ServerError, or RequestError for what the bot asked."""
    try:
        completion = read_completion(_post(model, key, body), body)
    except ValueError as error:
        raise ServerError(str(error)) from None
    return replace(
        completion,
        text=_without(key, completion.text),
        reasoning=_without(key, completion.reasoning),
        finish=_without(key, completion.finish),
    )


def answers_others(model: Model, key: str) -> bool:
    """Ask a server something short of the arena's own; tell whether it answers or refuses that."""
    most = min(model.max_tokens, _PROBE_TOKENS)
    probe = {"model": model.model, "messages": _PROBE, "max_tokens": most}
    try:
        complete(model, key, msgspec.json.encode(probe))
    except ServerError:
        return False
    except RequestError:
        return True
    return True


def _without(key: str, text: str) -> str:
    return text.replace(key, _HIDDEN) if key else text


def _post(model: Model, key: str, body: bytes) -> bytes:
    """Return the body of a server's answer; the model's timeout is for all of it."""
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
        if key:
            headers["Authorization"] = f"Bearer {key}"
        connection.request("POST", address.path, body, headers)
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
    """Return what went wrong, without any words of the server."""
    if isinstance(error, ssl.SSLError):
        return f"no secure connection: {error.reason or 'TLS fails'}"
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return "its answer is not HTTP"
