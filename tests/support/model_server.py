"""A server of language models that answers from a script, and keeps what it was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Handler = BaseHTTPRequestHandler
Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
"""Answers a request, of which it gets the body."""


def say(text: str, tokens: tuple[int, int] = (100, 10)) -> Reply:
    """Answer each request with a text, and so many tokens in and out."""

    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(handler, 200, completion(text, tokens))

    return reply


def completion(text: str, tokens: tuple[int, int] = (100, 10)) -> bytes:
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class ModelServer(ThreadingHTTPServer):
    """`reply` may be changed at any time; `asked` are the bodies, `keys` the authorizations."""

    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers.get("Authorization", ""))
        self.server.paths.append(self.path)
        self.server.reply(self, body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(reply: Reply) -> Iterator[ModelServer]:
    with ModelServer(reply) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
