"""The submitters of each hand-in, from submission_metadata.yml of an export from Gradescope."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.io.yaml_file import LOADER

METADATA = "submission_metadata.yml"
_MAX_BYTES = 64 << 20
_MAX_DEPTH = 32
_EXPORT = re.compile(r"assignment_[0-9]+_export")
_Path = tuple[str, ...]


class Submitter(Struct, frozen=True):
    """One of those who handed something in."""

    id: str
    """"" if Gradescope knows none, as of the address."""
    email: str


def export_folder(folder: Path) -> Path:
    """Return the folder of the submissions; an archive from Gradescope has it inside."""
    entries = [*folder.iterdir()]
    inner = entries[0] if len(entries) == 1 else folder
    return inner if _EXPORT.fullmatch(inner.name) and (inner / METADATA).is_file() else folder


def read_submitters(folder: Path) -> Mapping[str, Sequence[Submitter]]:
    """Return the submitters of each folder, none without metadata; raises ArenaError."""
    path = folder / METADATA
    if not path.exists():
        return {}
    texts = defaultdict[_Path, dict[str, str]](dict)
    try:
        events = yaml.parse(read_limited(path, _MAX_BYTES).decode("utf-8-sig"), Loader=LOADER)
        for place, text in _scalars(events, path):
            if len(place) == 4 and place[1] == ":submitters":
                texts[place[:3]][place[3]] = text
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        what = f"bad YAML: {' '.join(str(error).split())}"
        raise ArenaError(what, str(path), "export it again") from None
    submitters = defaultdict[str, list[Submitter]](list)
    for (name, *_), fields in texts.items():
        id_, email = fields.get(":sid", "").strip(), fields.get(":email", "").strip()
        submitters[name].append(Submitter(id_, email))
    return submitters


class _Open:
    """A mapping or a list whose end has not come."""

    def __init__(self, *, is_mapping: bool) -> None:
        self._is_mapping = is_mapping
        self._count = 0
        self._key: str | None = None

    @property
    def wants_key(self) -> bool:
        """Whether a key comes next."""
        return self._is_mapping and self._key is None

    @property
    def at(self) -> str:
        """The key of what comes next, or its number in a list."""
        return (self._key or "") if self._is_mapping else str(self._count)

    def take(self, text: str) -> None:
        """Take what came: a key, a value or an item; "" stands for a mapping or a list."""
        self._count += 1
        self._key = text if self._key is None else None


def _scalars(events: Iterator[Any], path: Path) -> Iterator[tuple[_Path, str]]:
    """Yield each text with its keys, and its number in a list; tags and aliases are passed over."""
    # The root, so that a document is an item like others.
    within = [_Open(is_mapping=False)]
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            within.append(_Open(is_mapping=isinstance(event, yaml.MappingStartEvent)))
            if len(within) > _MAX_DEPTH:
                raise ArenaError(f"values more than {_MAX_DEPTH} deep in one another", str(path))
        elif isinstance(event, yaml.ScalarEvent):
            if not within[-1].wants_key:
                yield tuple(level.at for level in within[1:]), event.value
            within[-1].take(event.value)
        elif isinstance(event, yaml.AliasEvent | yaml.CollectionEndEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                within.pop()
            within[-1].take("")
