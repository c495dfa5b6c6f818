"""The pages of the door and their menu. All that they print is visible and inert."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup
from starlette.requests import Request

from arena import __version__
from arena.io import shipped
from arena.io.text import size_text, span, stamp, visible
from arena.ladder.book.tables import PLAYING, State
from arena.ladder.door.api import Audience, events_for
from arena.ladder.web.where import address_of, path_of, where_of

_FRONT = "index.html"
_PICTURE = "podium.png"
_NAV = re.compile(r'<nav aria-label="Pages">(.*?)</nav>', re.DOTALL)
_ITEM = re.compile(r'<a href="([^"]*)"(?: aria-current="(\w+)")?>([^<]*)</a>')
_HEAD = 64 * 1024
"""Characters at the beginning of a page in which its menu is looked for."""
_ADDRESS = re.compile(r'(\b(?:action|href|src|data-[a-z]+)=")/')
_TIME = Markup('<time datetime="{}">{}</time>')
_CLOCK = Markup('<time datetime="{}" data-clock>{}</time>')


def page(request: Request, template: str, site_page: str = "", **values: object) -> str:
    """Return a page of the door; with the HTML of a page of the site, the frame for that page."""
    served = request.app.state.served
    return fragment(
        template,
        ladder=served.terms.name,
        visitor=getattr(request.state, "visitor", None),
        has_picture=(served.folder.site / _PICTURE).is_file(),
        has_guests=bool(served.terms.guests),
        arena=__version__,
        path=path_of(request),
        door=address_of(request),
        below=where_of(request).path,
        menu=_menu(served.folder.site, path_of(request), site_page),
        **values,
    )


def fragment(template: str, **values: object) -> str:
    """Return a part of a page."""
    return _environment().get_template(template).render(**values)


def link_to(request: Request, invitation: str) -> str:
    """Return the address at which an invitation is spent."""
    return f"{address_of(request)}/link/{invitation}"


# ------------------------------------------------------------ the menu


class Item(NamedTuple):
    """An item of the menu."""

    href: str
    label: str
    current: str = ""
    """`page` on that page itself, `true` on those that belong to it, "" on others."""


_FIRST_MENU = (Item("/", "Standings"),)
"""The menu before the first publication."""


def published_items(site: Path) -> tuple[Item, ...]:
    """Return the menu of the site that is published, whose front page is that of the door."""
    try:
        changed = (site / _FRONT).stat().st_mtime_ns
        return _items_at(site.resolve(), changed) or _FIRST_MENU
    except OSError:
        return _FIRST_MENU


@lru_cache(maxsize=8)
def _items_at(site: Path, changed: int) -> tuple[Item, ...]:
    del changed  # a part of the key: the page is read again after it
    text = (site / _FRONT).read_text(encoding="utf-8")
    return tuple(
        Item("/" if item.href == _FRONT else f"/site/{item.href}", item.label)
        for item in _items_in(text)
    )


def _items_in(text: str) -> Iterator[Item]:
    """Yield the items of the menu of a page."""
    menu = _NAV.search(text[:_HEAD])
    for href, current, label in _ITEM.findall(menu[1]) if menu else ():
        yield Item(unescape(href), unescape(label), current)


def _menu(site: Path, path: str, site_page: str) -> list[Item]:
    """Return the menu with the item marked that a page of the door or the site belongs to.

    Its addresses are without the path of the door.
    """
    if path == "/":
        here = Item("/", "Standings", "page")
    else:
        marked = (item for item in _items_in(site_page) if item.current)
        here = next(marked, Item("", ""))
    return [
        item._replace(current=here.current if item.label == here.label else "")
        for item in published_items(site)
    ]


# ------------------------------------------------------------ how templates write things


class _Below(Extension):
    """Puts the path of the door before the addresses in its templates that begin with `/`."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source of a template as it is compiled."""
        del name, filename
        return _ADDRESS.sub(r"\1{{ below }}/", source)


@cache
def _environment() -> Environment:
    templates = shipped.folder("reports")
    env = Environment(
        loader=FileSystemLoader([templates / "door", templates]),
        autoescape=True,
        extensions=[_Below],
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else visible(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "address": partial(quote, safe="@/"),
        "chip": _chip,
        "clock": _clock,
        "events": lambda audience: " ".join(event.name for event in events_for(Audience(audience))),
        "made": Markup,
        "sentence": _sentence,
        "size": size_text,
        "span": span,
        "stamp": stamp,
        "time": _time,
    }
    env.globals["font"] = shipped.font_hash()
    return env


def _chip(state: State) -> str:
    """Return the class of a state's mark, which says what plays, waits, is out, or failed."""
    if state in PLAYING:
        return "plays"
    if state in {State.REFUSED, State.STRUCK}:
        return "failed"
    return "out" if state is State.RESTING else "waits"


def _time(at: float) -> Markup:
    """Return a time in UTC, to which a script adds the time in the reader's zone."""
    moment = stamp(at)
    return _TIME.format(moment, f"{moment[:10]} {moment[11:19]} UTC")


def _clock(at: float) -> Markup:
    """Return a time of day in UTC, which a script shows in the reader's zone."""
    moment = stamp(at)
    return _CLOCK.format(moment, f"{moment[11:19]} UTC")


def _sentence(text: str) -> str:
    """Return a message of the terminal as a sentence."""
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.!?' else '.'}"
