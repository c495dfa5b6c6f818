"""Finds what ships with the arena: docs, protocol, reports, sample bots, its own modules."""

import shlex
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from arena.io.errors import ArenaError

FILES_OF_A_TABLE = {
    "style.css": "style.css",
    "table.css": "table.css",
    "play.css": "play/play.css",
    "play.js": "play/play.js",
}
"""What the page of a person's table needs beside itself: addresses, and paths in `reports`."""
_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: str) -> Path:
    """Return the data folder `name`: `docs`, `protocol`, `reports` or `sample_bots`.

    A wheel holds them under `arena/_shipped`; in a checkout they are next to `arena`. Raises
    ArenaError if neither exists: the installation is incomplete.
    """
    for place in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    what = f"the data folder '{name}' is missing from this installation"
    raise ArenaError(what, hint="reinstall perudo-arena")


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra: from the checkout if this is one."""
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file():
        return f"pip install -e {shlex.quote(f'{checkout}[{extra}]')}"
    return f"pip install 'perudo-arena[{extra}]'"


def font() -> Path:
    """Return the file of the display face."""
    return folder("reports") / "fonts/display.woff2"


@cache
def font_css() -> str:
    """Return the style sheet that holds the display face; reports/fonts/ says where it is from."""
    source = f"url(data:font/woff2;base64,{b64encode(font().read_bytes()).decode()})"
    return (
        "@font-face { font-family: 'Perudo Display'; font-weight: 700; font-display: swap;"
        f" src: {source} format('woff2'); }}\n"
    )


@cache
def font_hash() -> str:
    """Return a short hash of the display face, for addresses that browsers keep for ever."""
    return sha256(font().read_bytes()).hexdigest()[:12]


def module(name: str) -> Path:
    """Return the file of a module of the arena, such as `game/seeds.py`."""
    return _PACKAGE / name
