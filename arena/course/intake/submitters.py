"""Who handed in what, as an export from Gradescope says: submission_metadata.yml."""

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
    """Return where the submissions are: in an archive from Gradescope, the only folder."""
    entries = [*folder.iterdir()]
    one = entries[0] if len(entries) == 1 else folder
    return one if _EXPORT.fullmatch(one.name) and (one / METADATA).is_file() else folder


def read_submitters(folder: Path) -> Mapping[str, Sequence[Submitter]]:
    """Return who handed in each folder; nobody's if there is no metadata. Raises ArenaError."""
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
    found = defaultdict[str, list[Submitter]](list)
    for (name, *_), one in texts.items():
        found[name].append(Submitter(one.get(":sid", "").strip(), one.get(":email", "").strip()))
    return found


class _Open:
    """A mapping or a list whose end has not come."""

    def __init__(self, *, is_mapping: bool) -> None:
        self._is_mapping = is_mapping
        self._count = 0
        self._key: str | None = None

    @property
    def wants_key(self) -> bool:
        """Whether what comes next is a key."""
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
                yield tuple(one.at for one in within[1:]), event.value
            within[-1].take(event.value)
        elif isinstance(event, yaml.AliasEvent | yaml.CollectionEndEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                within.pop()
            within[-1].take("")
