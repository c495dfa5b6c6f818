"""A server of models that answers from a script, in OpenAI's form: for checks, examples and tests.

with ScriptedServer(lambda messages: "[dudo]") as server:
    Model(url=server.url, model="any")
"""

from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from threading import Lock, Thread
from typing import Self

import msgspec
from msgspec import Struct

_LETTERS_A_TOKEN = 4
"""Roughly, in English: what the server counts as a token."""


class Message(Struct, frozen=True):
    """One message of a request."""

    role: str
    content: str


class _Request(Struct, frozen=True):
    model: str
    messages: list[Message]


Script = Callable[[list[Message]], str]
"""Returns the answer to the messages of a request; called by one thread at a time."""


def in_turn(answers: Sequence[str]) -> Script:
    """Return a script that gives the answers one after another, and then again from the first."""
    left = cycle(answers)
    return lambda _: next(left)


class ScriptedServer:
    """A context manager: a server on this machine, as long as it is open."""

    def __init__(self, script: Script) -> None:
        self._server = _Server(script)
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address for `models` in league.yaml."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def asked(self) -> int:
        """How many requests it answered."""
        return self._server.asked

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        self.asked = 0
        self._script = script
        self._lock = Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def completion(self, request: _Request) -> bytes:
        with self._lock:
            self.asked += 1
            text = self._script(request.messages)
        prompt = sum(len(message.content) for message in request.messages)
        tokens = {
            "prompt_tokens": -(-prompt // _LETTERS_A_TOKEN),
            "completion_tokens": -(-len(text) // _LETTERS_A_TOKEN),
        }
        message = {"role": "assistant", "content": text}
        return msgspec.json.encode(
            {
                "id": f"chatcmpl-{self.asked}",
                "object": "chat.completion",
                "model": request.model,
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {**tokens, "total_tokens": sum(tokens.values())},
            }
        )


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.server.completion(msgspec.json.decode(body, type=_Request))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
