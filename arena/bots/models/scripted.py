"""A server of models that answers from a script, in OpenAI's form: for checks and examples.

with ScriptedServer(lambda messages: "[dudo]") as server:
    Model(url=server.url, model="any")
"""

from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Self
from zlib import crc32

import msgspec
from msgspec import Struct

_LETTERS_A_TOKEN = 4
"""Letters that count as one token, as roughly in English."""


class Message(Struct, frozen=True):
    """One message of a request."""

    role: str
    content: str


class _Request(Struct, frozen=True):
    model: str
    messages: list[Message]


Script = Callable[[list[Message]], str]
"""Returns the answer to the messages of a request; called by one thread at a time."""


def one_of(answers: Sequence[str]) -> Script:
    """Return a script that picks an answer by the last message, the same for the same."""
    return lambda messages: answers[crc32(messages[-1].content.encode()) % len(answers)]


class ScriptedServer:
    """A context manager: a server on this machine, as long as it is open."""

    def __init__(self, script: Script) -> None:
        self._server = _Server(script)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """The address for `models` in league.yaml."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def completion(self, request: _Request) -> bytes:
        with self._lock:
            text = self._script(request.messages)
        letters = sum(len(message.content) for message in request.messages), len(text)
        tokens = [-(-count // _LETTERS_A_TOKEN) for count in letters]
        message = {"role": "assistant", "content": text}
        return msgspec.json.encode(
            {
                "id": "scripted",
                "object": "chat.completion",
                "model": request.model,
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]},
            }
        )


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_: object) -> None:
        """Do not log requests."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            answer = self.server.completion(msgspec.json.decode(body, type=_Request))
        except msgspec.MsgspecError as error:
            self.send_error(400, str(error))
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
