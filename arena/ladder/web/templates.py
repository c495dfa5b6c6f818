"""The pages of the door and their menu. All that they print is visible and inert."""

import re
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request

from arena import __version__
from arena.io import shipped
from arena.io.text import size_text, span, stamp, visible
from arena.ladder.book.tables import PLAYING, State
from arena.ladder.door.api import Audience, events_for

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


_TIME = Markup('<time datetime="{}">{}</time>')
_CLOCK = Markup('<time datetime="{}" data-clock>{}</time>')


@cache
def _environment() -> Environment:
    templates = shipped.folder("reports")
    env = Environment(
        loader=FileSystemLoader([templates / "door", templates]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "stamp": stamp,
        "span": span,
        "address": _address,
        "events": _events,
        "sentence": _sentence,
        "size": size_text,
        "chip": _chip,
        "time": _time,
        "clock": _clock,
        "made": Markup,
    }
    env.globals["font"] = shipped.font_hash()
    return env


def _events(audience: str) -> str:
    """Return the names of the events that an audience is sent."""
    return " ".join(event.name for event in events_for(Audience(audience)))


def _chip(state: State) -> str:
    """Return the class of the mark of a state: what plays, waits, is out, failed."""
    if state in PLAYING:
        return "plays"
    if state in {State.REFUSED, State.STRUCK}:
        return "failed"
    return "out" if state is State.RESTING else "waits"


def _time(at: float) -> Markup:
    """Return a time in UTC, which a script shows in the zone of the reader, too."""
    moment = stamp(at)
    return _TIME.format(moment, f"{moment[:10]} {moment[11:19]} UTC")


def _clock(at: float) -> Markup:
    """Return the time of a day, likewise."""
    moment = stamp(at)
    return _CLOCK.format(moment, f"{moment[11:19]} UTC")


def _sentence(text: str) -> str:
    """Return a message of the terminal as a sentence."""
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.!?' else '.'}"


def _visible(value: object) -> str:
    return value if isinstance(value, Markup) else visible(str(value))


def _address(name: str) -> str:
    return quote(name, safe="@/")


def fragment(template: str, **values: object) -> str:
    """Return a part of a page."""
    return _environment().get_template(template).render(**values)


def link_to(request: Request, invitation: str) -> str:
    """Return the address at which an invitation is spent."""
    return f"{_origin(request)}/link/{invitation}"


def _origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def page(request: Request, template: str, site_page: str = "", **values: object) -> str:
    """Return a page, or the frame of a page of the published site, if that is given."""
    served = request.app.state.served
    common = {
        "ladder": served.terms.name,
        "visitor": getattr(request.state, "visitor", None),
        "has_site": (served.folder.site / "index.html").exists(),
        "has_guests": bool(served.terms.guests),
        "arena": __version__,
        "path": request.url.path,
        "origin": _origin(request),
        "menu": menu_of(request, site_page),
    }
    return _environment().get_template(template).render(**common, **values)
