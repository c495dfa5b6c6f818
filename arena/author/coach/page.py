"""The page of a coaching, in the site of its league: its links lead to the replays."""

from pathlib import Path

from arena.author.coach.coaching import Coaching
from arena.author.coach.words import REQUESTS, at_table, did, named
from arena.io.errors import ArenaError
from arena.io.files import reason
from arena.league.store.store import Store
from arena.publish.links import links
from arena.publish.pages.templates import environment
from arena.publish.report import ReportRequest, report
from arena.publish.site import MENU


def write_page(found: Coaching, store: Path, site: Path) -> Path:
    """Write the report of the league, with all its games, and the page in it; returns that page.

    Later reports leave the page alone. Raises ArenaError if the folder cannot be written.
    """
    written = report(ReportRequest(Path(found.league), store, site, replays="all"))
    with Store(store) as opened:
        info = opened.conditions()
    places = links(info, written.ratings.boards)
    name = f"coach-{places.bots[found.bot]}.html"
    context = {
        "coached": found,
        "judged": found.judgement,
        "requests": REQUESTS,
        "did": did,
        "named": named,
        "at_table": at_table,
        "league": info,
        "links": places,
        "menu": [(path, label) for label, (path, *_) in MENU.items()],
        "section": "Bots",
        "page": name,
        "root": "",
        "url": "",
        "anonymous": False,
        "verdict": "",
    }
    text = environment().get_template("coach.html").render(context)
    try:
        (site / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"it cannot be written: {reason(error)}", str(site / name)) from None
    return site / name
