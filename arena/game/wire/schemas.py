"""JSON Schemas of the protocol, generated from the message types.

`python -m arena.game.wire.schemas FOLDER` writes them; a test keeps `protocol/schema/` equal.
"""

import json
import sys
from pathlib import Path
from typing import Any

from arena.game.records import GameRecord
from arena.game.wire.messages import PROTOCOL, Answer, Ready, ToBot
from arena.io.structs import components

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# The request distinguishes the two answers of a bot, not a tag: they are no union in msgspec.
_SCHEMAS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "to_bot.json": ("What the arena writes to a bot", (ToBot,)),
    "from_bot.json": ("What a bot writes to the arena", (Ready, Answer)),
    "record.json": ("One stored game", (GameRecord,)),
}

_COMPLETE_BID = {
    "if": {"required": ["action"], "properties": {"action": {"const": "bid"}}},
    "then": {"required": ["quantity", "face"]},
}
"""A condition of the codec on bids that a type cannot express."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas by file name."""
    return {name: _schema(title, types) for name, (title, types) in _SCHEMAS.items()}


def _schema(title: str, types: tuple[Any, ...]) -> dict[str, Any]:
    options, parts = components(types)
    if Answer in types:
        parts["Answer"] |= _COMPLETE_BID
    body = options[0] if len(options) == 1 else {"anyOf": list(options)}
    return {"$schema": DIALECT, "title": title, "x-protocol": PROTOCOL, **body, "$defs": parts}


def write(folder: Path) -> None:
    """Write the schemas into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
