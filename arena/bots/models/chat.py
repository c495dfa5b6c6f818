"""Requests and answers in OpenAI's form: what a bot may ask, and what it gets to see."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

MAX_BODY = 256 * 1024
"""Bytes of a request."""
_FIELDS = (
    *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed"),
    *("stop", "presence_penalty", "frequency_penalty", "response_format"),
)
"""What is passed on. Others name files, tools, caches or users of the server."""
_INERT: dict[str, tuple[object, ...]] = {"stream": (False, None), "n": (1, None)}
"""Fields that are taken at these values, and then left out."""


class RequestError(Exception):
    """A request that is refused: an HTTP status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def body(self) -> bytes:
        """Return it in OpenAI's form."""
        kind = "rate_limit_error" if self.status == 429 else "invalid_request_error"
        return msgspec.json.encode(
            {"error": {"message": str(self), "type": kind, "code": self.code, "param": None}}
        )


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


_requests = msgspec.json.Decoder(_Request)
_answers = msgspec.json.Decoder(_Answer)


class Asked(Struct, frozen=True):
    """A request that may be passed on."""

    model: str
    """By the arena's name."""
    fields: dict[str, Any]
    """All but the model."""

    def body(self, model: str, most: int) -> bytes:
        """Return what the server gets, with its name of the model and at most so many tokens."""
        key = "max_completion_tokens" if "max_completion_tokens" in self.fields else "max_tokens"
        wanted = self.fields.get(key) or most
        return msgspec.json.encode({"model": model, **self.fields, key: min(wanted, most)})

    def text(self) -> str:
        """Return it as it is recorded: the same request has the same text."""
        return msgspec.json.encode(self.fields, order="sorted").decode()


def read_request(body: bytes) -> Asked:
    """Return what a bot asks; raises RequestError if that is not passed on."""
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


def read_completion(body: bytes) -> Completion:
    """Return what a server answered; raises ValueError if that is no completion."""
    try:
        answer = _answers.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        raise ValueError("its answer is no chat completion") from None
    if not answer.choices:
        raise ValueError("its answer has no choices")
    choice, usage = answer.choices[0], answer.usage or _Usage()
    if usage.prompt_tokens < 0 or usage.completion_tokens < 0:
        raise ValueError("its answer counts tokens below 0")
    text = choice.message.content or ""
    return Completion(
        text, choice.finish_reason or "stop", usage.prompt_tokens, usage.completion_tokens
    )


def completion_body(model: str, number: int, completion: Completion) -> bytes:
    """Return what a bot gets: nothing of the server's answer but the text and its size."""
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
