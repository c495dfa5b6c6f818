"""The frame of every page of a site: head, menu and foot (`reports/base.html`)."""

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import LeagueInfo
from arena.publish.links import ABOUT, BOTS, FIXTURES, MODELS, REPLAY, STATS, WATCH, Links
from arena.publish.output.site_folder import FRONT

MENU = {
    "Standings": (FRONT, "tables/"),
    "Bots": (BOTS, "bots/", "coach-"),
    "Watch": (WATCH, "watch/", REPLAY),
    "Fixtures": (FIXTURES, "fixtures/"),
    "Stats": (STATS, "suspicions.html", "head-to-head/", MODELS),
    "About": (ABOUT,),
}
"""The page that each item leads to, and what else belongs there; all other pages are About's."""


class Frame(Struct, frozen=True, kw_only=True):
    """The model of the frame of a page."""

    league: LeagueInfo
    links: Links
    menu: tuple[tuple[str, str], ...]
    """The page and the label of each item."""
    anonymous: bool = False
    url: str = ""
    """Where the site will be published, with a slash at its end; "" if that is not known."""
    verdict: str = ""
    """A sentence that names the best bots."""
    page: str = FRONT
    """The path of the page, relative to the site."""
    section: str = ""
    """The item of the menu that the page belongs to."""
    root: str = ""
    """The way from the page to the site's folder."""

    def at(self, path: str) -> "Frame":
        """Return the frame of the page with this path."""
        section = next((item for item, of in MENU.items() if path.startswith(of)), "About")
        return replace(self, page=path, section=section, root="../" * path.count("/"))


def menu(*, watch: bool = True) -> tuple[tuple[str, str], ...]:
    """Return the menu; `watch` is whether there are games to watch."""
    items = MENU.items()
    return tuple((path, label) for label, (path, *_) in items if watch or label != "Watch")
