"""A bot that looks for what it was not given, and says on standard error what it found."""

import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def tried(what: str, attempt: Callable[[], object]) -> None:
    try:
        found: object = attempt()
    except Exception as error:
        found = type(error).__name__
    print(f"{what}: {found}", file=sys.stderr, flush=True)


def read_all(pattern: str) -> str:
    texts = []
    for path in Path("/").glob(pattern):
        with suppress(OSError):
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    return " ".join(texts)


def sockets() -> list[str]:
    folder = Path(os.environ["ARENA_MODELS"]).parent.parent
    return [str(path) for path in folder.rglob("*") if path.is_socket()]


def steal() -> None:
    server = Path("server").read_text(encoding="utf-8").split()
    path = Path(os.environ["ARENA_MODELS"])
    tried("environment", lambda: sorted(os.environ))
    tried("environments", lambda: "THE_KEY" in read_all("proc/*/environ"))
    tried("sockets", sockets)
    tried("server", lambda: socket.create_connection((server[0], int(server[1])), 5))
    tried("remove", path.unlink)
    tried("replace", lambda: socket.socket(socket.AF_UNIX).bind(f"{path}2"))


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            steal()
            print('{"type": "ready"}', flush=True)
        elif message["type"] == "turn":
            answer = {"id": message["id"], "action": "dudo"}
            if not message["dudo"]:
                raised = message["raises"][0]
                answer |= {"action": "bid", "quantity": raised["min"], "face": raised["face"]}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
