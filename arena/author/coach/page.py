"""The page of a coaching, in the site of its league: its links lead to the replays."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from arena.author.coach.coaching import Coaching, RequestKind
from arena.author.coach.words import REQUESTS, at_table, bids, did, leak_facts, named
from arena.io.files import write_file
from arena.league.store.store import Store
from arena.playstats.coach.coach import Judgement, Leak
from arena.playstats.coach.decisions import Decision, DecisionAction
from arena.publish.links import links
from arena.publish.report import ReportRequest, report
from arena.publish.templates import Frame, menu, render


class CoachPage(Struct, frozen=True):
    """The page of a coaching."""

    coached: Coaching
    judged: Judgement
    requests: Mapping[RequestKind, str] = MappingProxyType(REQUESTS)
    did: Callable[[Decision], str] = did
    named: Callable[[DecisionAction], str] = named
    at_table: Callable[[Decision], str] = at_table
    bids: Callable[[Decision], str] = bids
    leak_facts: Callable[[Leak], dict[str, str]] = leak_facts


def write_page(coaching: Coaching, store: Path, site: Path) -> Path:
    """Write the report of the league, with all its games, and the page in it; returns that page.

    Later reports leave the page alone. Raises ArenaError if the folder cannot be written.
    """
    written = report(ReportRequest(Path(coaching.league), store, site, replays="all"))
    with Store(store) as opened:
        info = opened.conditions()
    addresses = links(info, written.ratings.boards)
    name = f"coach-{addresses.bots[coaching.bot]}.html"
    frame = Frame(league=info, links=addresses, menu=menu()).at(name)
    text = render("coach.html", frame, CoachPage(coaching, coaching.judgement))
    write_file(site / name, text.encode(), mode=None)
    return site / name
