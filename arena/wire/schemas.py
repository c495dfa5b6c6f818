"""JSON Schemas of the protocol, generated from the message types.

`python -m arena.wire.schemas FOLDER` writes them; a test keeps `protocol/schema/` equal to them.
"""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from arena.records import GameRecord
from arena.wire.messages import PROTOCOL, Answer, FromBot, Ready, ToBot

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLES = {
    "to_bot.json": ("What the arena writes to a bot", ToBot),
    "from_bot.json": ("What a bot writes to the arena", FromBot),
    "record.json": ("One stored game", GameRecord),
}


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas by file name."""
    return {name: _schema(title, kind) for name, (title, kind) in _TITLES.items()}


def _schema(title: str, kind: Any) -> dict[str, Any]:
    if kind == FromBot:
        # What was asked distinguishes the two answers, not a tag.
        options, parts = msgspec.json.schema_components(
            [Ready, Answer], ref_template="#/$defs/{name}"
        )
        body: dict[str, Any] = {"anyOf": list(options), "$defs": parts}
    else:
        body = msgspec.json.schema(kind)
    return {"$schema": DIALECT, "title": title, "x-protocol": PROTOCOL, **body}


def write(folder: Path) -> None:
    """Write the schemas into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
