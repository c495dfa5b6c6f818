"""A class in a room: who may join by a name of the roster and a code, and until when it plays."""

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.io.errors import ArenaError
from arena.io.files import read_json, write_file
from arena.ladder.folder import Folder

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without those that look alike on a wall."""
_PART = 4
_MODE = 0o640


class Classroom(Struct, frozen=True):
    """What the door of a class knows of it."""

    names: tuple[str, ...]
    """The roster: each joins once."""
    code: str
    """What is written on the wall: 40 random bits, which only some tries a minute may guess."""
    ends: float | None = None
    """When the class is over, in seconds since 1970; None if nobody said so."""

    def name(self, typed: str, code: str) -> str:
        """Return the name on the roster that was typed; raises ArenaError with a wrong code."""
        if not secrets.compare_digest(_plain(code), _plain(self.code)):
            raise WrongCodeError("this is not the code of the class", hint="it is on the wall")
        wanted = typed.strip().lower()
        found = next((name for name in self.names if name.lower() == wanted), None)
        if found is None:
            what = f"'{typed.strip()[:40]}' is not on the roster"
            raise WrongCodeError(what, hint="type your name as the teacher wrote it")
        return found


class WrongCodeError(ArenaError):
    """Somebody typed a code or a name that is not valid, which may be a guess."""


def new_class(names: Sequence[str], ends: float | None) -> Classroom:
    """Return a class with a new code."""
    parts = ("".join(secrets.choice(_LETTERS) for _ in range(_PART)) for _ in range(2))
    return Classroom(tuple(names), "-".join(parts), ends)


def read_class(folder: Folder) -> Classroom | None:
    """Return the class of a ladder; None if it has none."""
    return read_json(_file(folder), Classroom)


def keep_class(folder: Folder, classroom: Classroom) -> None:
    """Let the door take a class in."""
    write_file(_file(folder), msgspec.json.encode(classroom), _MODE)


def _file(folder: Folder) -> Path:
    return folder.door.with_name("class.json")


def _plain(code: str) -> bytes:
    """Return a code as it is compared: nobody types its hyphen, and some type small letters."""
    return "".join(code.split()).replace("-", "").upper().encode()
