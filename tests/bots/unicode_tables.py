"""Makes `arena/bots/unicode.json` from the ICU library of this machine (libicu).

`python -m tests.bots.unicode_tables` writes it.
"""

import ctypes
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from itertools import groupby
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[2] / "arena/bots/unicode.json"
NOTICE = (
    "Made from data of Unicode {version}: Scripts, Default_Ignorable_Code_Point and the"
    " confusables of UTS #39. Copyright 1991-2022 Unicode, Inc. Distributed under the Terms of"
    " Use in https://www.unicode.org/copyright.html."
)
_IGNORABLE = 5
"""ICU's number of the property Default_Ignorable_Code_Point."""
_SINGLE_SCRIPT_SKELETON = 0
_CHARACTERS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]


class Icu:
    """The few functions of ICU that are needed; raises LookupError without the library."""

    def __init__(self) -> None:
        names = [find_library(name) for name in ("icuuc", "icui18n")]
        if None in names:
            raise LookupError("libicu is not installed")
        self._libraries = [ctypes.CDLL(name) for name in names]
        self._suffix = re.sub(r".*\.so\.", "_", str(names[0]))
        self._status = ctypes.c_int(0)
        version = (ctypes.c_uint8 * 4)()
        self._function("u_getUnicodeVersion")(version)
        self.version = f"{version[0]}.{version[1]}"
        opened = self._function("uspoof_open", ctypes.c_void_p)(ctypes.byref(self._status))
        self._checker = ctypes.c_void_p(opened)
        self._skeleton = self._function("uspoof_getSkeletonUTF8")
        self._script = self._function("uscript_getScript")
        self._script_name = self._function("uscript_getName", ctypes.c_char_p)
        self._property = self._function("u_hasBinaryProperty", ctypes.c_int8)

    def _function(self, name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:
        for library in self._libraries:
            if function := getattr(library, f"{name}{self._suffix}", None):
                function.restype = result
                return function  # type: ignore[no-any-return]
        raise LookupError(name)

    def skeleton(self, text: str) -> str:
        data, status = text.encode(), ctypes.c_int(0)
        buffer = ctypes.create_string_buffer(40 * len(data) + 40)
        size = self._skeleton(
            self._checker,
            _SINGLE_SCRIPT_SKELETON,
            data,
            len(data),
            buffer,
            len(buffer),
            ctypes.byref(status),
        )
        assert status.value <= 0
        return buffer.raw[:size].decode()

    def script(self, character: str) -> str:
        number = self._script(ord(character), ctypes.byref(self._status))
        return str(self._script_name(number).decode())

    def is_ignorable(self, character: str) -> bool:
        return bool(self._property(ord(character), _IGNORABLE))


def tables(icu: Icu) -> dict[str, object]:
    """Return what `arena/bots/names.py` reads."""
    prototypes: dict[str, str] = {}
    for character in _CHARACTERS:
        if unicodedata.normalize("NFD", character) == character:
            prototype = icu.skeleton(character)
            if prototype != character:
                prototypes[prototype] = prototypes.get(prototype, "") + character
    scripts: dict[str, list[int]] = {}
    for script, first, last in _runs(icu.script):
        if script != "Unknown":
            scripts.setdefault(script, []).extend((first, last))
    return {
        "notice": NOTICE.format(version=icu.version),
        "ignorable": [end for found, *ends in _runs(icu.is_ignorable) if found for end in ends],
        "prototypes": prototypes,
        "scripts": scripts,
    }


def _runs(value_of: Callable[[str], Any]) -> Iterator[tuple[Any, int, int]]:
    """Yield stretches of characters with the same value: it, the first and the last of them."""
    for value, found in groupby(_CHARACTERS, value_of):
        points = [ord(character) for character in found]
        yield value, points[0], points[-1]


if __name__ == "__main__":
    TABLES.write_text(
        json.dumps(tables(Icu()), ensure_ascii=False, separators=(",", ":")) + "\n",
        encoding="utf-8",
    )
    sys.stdout.write(f"{TABLES}: {TABLES.stat().st_size:,} bytes\n")
