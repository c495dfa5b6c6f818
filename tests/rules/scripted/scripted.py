"""Says what the script of its rule book has for the moment; after the script, doubts if it can.

A line of the script is a round, a word of the line a move, whoever makes it: "4x5" or "dudo".
"""

import json
import sys
from pathlib import Path
from typing import Any


def answer(turn: dict[str, Any], script: list[list[str]]) -> dict[str, Any]:
    moves = script[turn["round"]] if turn["round"] < len(script) else []
    said = len(turn["bids"])
    move = moves[said] if said < len(moves) else later(turn)
    if move == "dudo":
        return {"action": "dudo"}
    quantity, face = map(int, move.split("x"))
    return {"action": "bid", "quantity": quantity, "face": face}


def later(turn: dict[str, Any]) -> str:
    lowest = turn["raises"][0] if turn["raises"] else None
    return "dudo" if turn["dudo"] or lowest is None else f"{lowest['min']}x{lowest['face']}"


SCRIPT: list[list[str]] = []
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        text = Path(message["rules"]["name"] + ".txt").read_text(encoding="utf-8")
        SCRIPT = [words.split() for words in text.splitlines()]
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"id": message["id"], **answer(message, SCRIPT)}), flush=True)
