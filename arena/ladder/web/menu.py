"""The menu of all pages: that of the published site, whose front page is the door's."""

import re
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request

FRONT = "index.html"
_NAV = re.compile(r'<nav aria-label="Pages">(.*?)</nav>', re.DOTALL)
_ITEM = re.compile(r'<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)</a>')
_HEAD = 64 * 1024
"""Characters of a page in which its menu is."""


class Item(NamedTuple):
    """An item of the menu."""

    href: str
    label: str
    current: str = ""
    """`page` on that page itself, `true` on those that belong to it, "" on others."""


_BEFORE = (Item("/", "Standings"),)
"""The menu before the first publication."""


def menu_of(request: Request, page: str = "") -> list[Item]:
    """Return the menu of a page: of one of the site, if its HTML is given."""
    site: Path = request.app.state.served.folder.site
    of_page = ((label, current) for _, current, label in _items(page) if current)
    label, kind = ("Standings", "page") if request.url.path == "/" else next(of_page, ("", ""))
    return [
        item._replace(current=kind if item.label == label else "") for item in published_items(site)
    ]


def published_items(site: Path) -> tuple[Item, ...]:
    """Return the menu of the site that is published, as the door has it."""
    try:
        changed = (site / FRONT).stat().st_mtime_ns
        return _published_items(site.resolve(), changed) or _BEFORE
    except OSError:
        return _BEFORE


@lru_cache(maxsize=8)
def _published_items(site: Path, changed: int) -> tuple[Item, ...]:
    del changed
    page = (site / FRONT).read_text(encoding="utf-8")
    return tuple(
        Item("/" if href == FRONT else f"/site/{href}", label) for href, _, label in _items(page)
    )


def _items(page: str) -> list[tuple[str, str, str]]:
    match = _NAV.search(page[:_HEAD])
    found = _ITEM.findall(match[1]) if match else []
    return [(unescape(href), current, unescape(label)) for href, current, label in found]
