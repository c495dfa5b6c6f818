"""A bot that a student might have written, and copies of it in disguise."""

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

ORIGINAL = '''
import json
import sys

COURAGE = 0.75


def matching(dice, face, wild):
    count = 0
    for die in dice:
        if die == face or (wild and die == 1 and face != 1):
            count += 1
    return count


def favourite(turn, wild):
    """Choose the face of which there are most, the highest of several."""
    best, most = None, -1
    for option in turn["raises"]:
        held = matching(turn["dice"], option["face"], wild)
        if held >= most:
            best, most = option, held
    return best, most


def believable(turn, quantity, face, wild):
    others = len(turn["dice"]) * (len(turn["alive"]) - 1)
    share = others / 3 if wild and face != 1 else others / 6
    return matching(turn["dice"], face, wild) + share + COURAGE >= quantity


def decide(turn):
    wild = turn["palifico_seat"] is None
    if turn["dudo"]:
        last = turn["bids"][-1]
        if not turn["raises"] or not believable(turn, last["quantity"], last["face"], wild):
            return {"id": turn["id"], "action": "dudo"}
    option, held = favourite(turn, wild)
    quantity = option["min"]
    while quantity < option["max"] and quantity < held and wild:
        quantity = quantity + 1
    return {"id": turn["id"], "action": "bid", "quantity": quantity, "face": option["face"]}


def serve():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"type": "ready"}), flush=True)
        if message["type"] == "turn":
            print(json.dumps(decide(message)), flush=True)


serve()
'''
IN_JAVASCRIPT = """
"use strict";
const lines = require("node:readline").createInterface({ input: process.stdin });

const isWild = (t) => t.palifico_seat === null;
const own = (t, f) =>
  t.dice.filter((d) => d === f || (isWild(t) && d === 1 && f !== 1)).length;

function holds(t, bid) {
  const unseen = t.dice.length * (t.alive.length - 1);
  const each = isWild(t) && bid.face !== 1 ? 3 : 6;
  return own(t, bid.face) + unseen / each + 0.75 >= bid.quantity;
}

function answer(t) {
  const last = t.bids[t.bids.length - 1];
  if (t.dudo && (t.raises.length === 0 || !holds(t, last))) {
    return { id: t.id, action: "dudo" };
  }
  let pick = t.raises[0];
  for (const r of t.raises) if (own(t, r.face) >= own(t, pick.face)) pick = r;
  const top = isWild(t) ? Math.min(pick.max, own(t, pick.face)) : 0;
  return { id: t.id, action: "bid", quantity: Math.max(pick.min, top), face: pick.face };
}

lines.on("line", (text) => {
  const m = JSON.parse(text);
  if (m.type === "hello") console.log(JSON.stringify({ type: "ready" }));
  else if (m.type === "turn") console.log(JSON.stringify(answer(m)));
});
"""
HARMLESS = """
import json, sys

for text in sys.stdin:
    said = json.loads(text)
    if said["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif said["type"] == "turn":
        lowest = sorted((one["min"], -one["face"]) for one in said["raises"])
        if lowest and (not said["dudo"] or said["bids"][-1]["quantity"] < 3):
            amount, number = lowest[0]
            reply = dict(id=said["id"], action="bid", quantity=amount, face=-number)
        else:
            reply = dict(id=said["id"], action="dudo")
        print(json.dumps(reply), flush=True)
"""
"""A bot that was written apart."""


class Plant(NamedTuple):
    """The source of a copy."""

    file: str
    source: str
    command: str


def renamed(source: str = ORIGINAL) -> str:
    """Give every name another one; names in quotes are fields of messages."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    for number, name in enumerate(sorted(names - {"len", "print", "sys", "json"})):
        source = re.sub(rf"(?<!['\".])\b{name}\b(?!['\"])", f"v{number}", source)
    return source


def reordered(source: str = ORIGINAL) -> str:
    """Put the functions in the opposite order."""
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    tree.body = [*others[:-1], *functions[::-1], others[-1]]
    return ast.unparse(tree)


PLANTS = {
    "renamed": Plant("bot.py", renamed(), "python3 bot.py"),
    "reordered": Plant("main.py", renamed(reordered()), "python3 main.py"),
    "another-language": Plant("bot.js", IN_JAVASCRIPT, "node bot.js"),
}


def write(folder: Path, plant: Plant) -> Path:
    """Write the folder of a bot and return it."""
    folder.mkdir(parents=True)
    manifest = {"name": folder.name, "command": plant.command}
    (folder / "bot.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / plant.file).write_text(plant.source, encoding="utf-8")
    return folder


def original() -> Plant:
    return Plant("bot.py", ORIGINAL, "python3 bot.py")


def hand_ins(folder: Path, copies: Iterable[str]) -> Path:
    """Write hand-ins: the original, some copies, and one that was written apart."""
    write(folder / "original", original())
    write(folder / "apart", Plant("bot.py", HARMLESS, "python3 bot.py"))
    for copy in copies:
        write(folder / copy, PLANTS[copy])
    return folder


_EXPRESSIONS = (
    *("value", "12", "e + e", "e - e", "e * e"),
    *("call(e, e)", "[e]", "e[e]", "value.call(e)", "(e or value)"),
)


def library(size: int, seed: int = 1) -> str:
    """Write Python of so many bytes, or a line more, that hardly repeats itself."""
    rng, lines, written = Random(seed), list[str](), 0
    while written < size:
        lines.append(f"value = {_expression(rng, 3)}\n")
        written += len(lines[-1])
    return "".join(lines)


def _expression(rng: Random, depth: int) -> str:
    shape = rng.choice(_EXPRESSIONS if depth else _EXPRESSIONS[:2])
    return re.sub(r"\be\b", lambda _: _expression(rng, depth - 1), shape)
