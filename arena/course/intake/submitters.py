"""Who handed in what, and when, by the list that lies in an export of Gradescope or Stud.IP."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from msgspec.structs import replace

from arena.course.intake.names import FILE_LIST, METADATA
from arena.course.terms.table import composed, read_table, titled, titles_of
from arena.io.errors import ArenaError
from arena.io.files import read_limited
from arena.io.yaml_file import LOADER

_MAX_BYTES = 64 << 20
_MAX_DEPTH = 32
_STUDIP = {
    "first": ("Vorname", "First name"),
    "last": ("Nachname", "Last name"),
    "time": ("Datum", "Date"),
    "path": ("Pfad", "Path"),
}
_Path = tuple[str, ...]


class Submitter(Struct, frozen=True):
    """One of those who handed something in."""

    id: str
    """"" if Gradescope knows none, as of the address."""
    email: str
    name: str = ""
    """As Stud.IP has it; Gradescope's is not taken for a sign."""


class Listed(Struct, frozen=True):
    """What the list in an export says."""

    submitters: Mapping[str, Sequence[Submitter]] = {}
    """By the name of the file or folder."""
    times: Mapping[str, str] = {}
    """As they are written, by that name."""
    where: str = ""
    """The file."""

    def of(self, names: Iterable[str]) -> "Listed":
        """Return what it says of files, by their names as they are on the disk."""
        known = {name: composed(name) for name in names}
        return replace(
            self,
            submitters={
                name: self.submitters[key] for name, key in known.items() if key in self.submitters
            },
            times={name: self.times[key] for name, key in known.items() if key in self.times},
        )


def read_listed(*folders: Path) -> Listed:
    """Return what the list in one of these folders says, nothing without one; raises ArenaError."""
    for folder in folders:
        if (path := folder / METADATA).exists():
            return _gradescope(path)
        if (path := folder / FILE_LIST).exists():
            return _studip(path)
    return Listed()


def _gradescope(path: Path) -> Listed:
    texts = defaultdict[_Path, dict[str, str]](dict)
    times: dict[str, str] = {}
    try:
        events = yaml.parse(read_limited(path, _MAX_BYTES).decode("utf-8-sig"), Loader=LOADER)
        for place, text in _scalars(events, path):
            if len(place) == 4 and place[1] == ":submitters":
                texts[place[:3]][place[3]] = text
            elif len(place) == 2 and place[1] == ":created_at":
                times[place[0]] = text
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        what = f"bad YAML: {' '.join(str(error).split())}"
        raise ArenaError(what, str(path), "export it again") from None
    submitters = defaultdict[str, list[Submitter]](list)
    for (name, *_), fields in texts.items():
        id_, email = fields.get(":sid", "").strip(), fields.get(":email", "").strip()
        submitters[name].append(Submitter(id_, email))
    return Listed(submitters, times, str(path))


def _studip(path: Path) -> Listed:
    """Read Stud.IP's list of the files in an archive, whose titles are German or English."""
    submitters, times = dict[str, list[Submitter]](), dict[str, str]()
    columns = titled(titles_of(path), _STUDIP)
    if columns is None:
        what = "the list of files has other columns than Stud.IP's"
        raise ArenaError(what, str(path), "list the times yourself: `received` in course.yaml")
    for row in read_table(path, columns, [*columns]):
        name = row.cells["path"].rpartition("/")[2]
        person = f"{row.cells['first']} {row.cells['last']}".strip()
        submitters.setdefault(name, [Submitter("", "", person)])
        times[name] = row.cells["time"]
    return Listed(submitters, times, str(path))


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
