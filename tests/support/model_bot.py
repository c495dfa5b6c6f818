"""A bot that asks a model for each answer, and says what it got on standard error."""

import http.client
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any


class Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["ARENA_MODELS"])


def ask(connection: Connection, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def words(turn: dict[str, Any]) -> str:
    return f"game {turn['game']}, round {turn['round']}: your dice are {turn['dice']}"


def legal(turn: dict[str, Any]) -> dict[str, Any]:
    if turn["dudo"]:
        return {"id": turn["id"], "action": "dudo"}
    bid = turn["raises"][0]
    return {"id": turn["id"], "action": "bid", "quantity": bid["min"], "face": bid["face"]}


def main(after: Callable[[], None] = lambda: None) -> None:
    connection = Connection("models")
    print('{"type": "ready", "reusable": true}', flush=True)
    for line in sys.stdin:
        turn = json.loads(line)
        if turn["type"] != "turn":
            continue
        messages = [{"role": "user", "content": words(turn)}]
        status, answer = ask(connection, {"model": "small", "messages": messages})
        said = answer.get("error") or answer["choices"][0]["message"]["content"]
        print(status, said, file=sys.stderr, flush=True)
        after()
        print(json.dumps({**legal(turn), "by": "model"}), flush=True)


if __name__ == "__main__":
    main()
