"""The league of all hand-ins: its site under pseudonyms, and where a hand-in is found there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from arena.course.baselines import name_of
from arena.course.config import Course
from arena.course.field import is_complete, store_of
from arena.course.lock import Lock
from arena.course.marks import Result, grading
from arena.game.records import PlayedFixture
from arena.league.store.store import Store
from arena.playstats.coach.decisions import Decision
from arena.publish.links import Links, links
from arena.publish.report import ReportRequest, pseudonyms, report

SITE = "site"
WATCHED = 80
"""The newest games of each bot that can be watched, and that the coach judges."""


class LeagueSite(Struct, frozen=True):
    """The site of a league; all fields are empty if there is none."""

    store: Path | None = None
    names: Mapping[str, str] = MappingProxyType({})
    """The pseudonym of each bot, by its name at a table."""
    pages: Mapping[str, str] = MappingProxyType({})
    """The page of each bot by its pseudonym, relative to the site."""

    def pseudonym(self, result: Result) -> str:
        """Return the pseudonym of a student's bot; "" if it does not play."""
        return self.names.get(name_of(result.hand_in.program), "") if result.hand_in else ""

    def replay(self, decision: Decision) -> str:
        """Return the address of a decision's replay, relative to the site."""
        step = Links.step(decision.fixture, decision.game, decision.step)
        return f"{step}&see={decision.seat}"

    def games(self, name: str) -> Iterator[PlayedFixture]:
        """Yield the newest games of a bot, given by its name at a table: those to be watched."""
        if self.store is None:
            return
        with Store(self.store) as store:
            theirs = [r.fixture.index for r in store.results() if name in r.fixture.seats]
            games = 0
            for index in reversed(theirs):
                for played in store.played([index], without_pruned=True):
                    games += len(played.games)
                    yield played
                if games >= WATCHED:
                    return


def write_site(course: Course, lock: Lock) -> LeagueSite:
    """Write the site of the field, if there is one; raises ArenaError if it cannot be written."""
    path = store_of(grading(course), lock, course.file.marks.field)
    if not (lock.field and is_complete(path)):
        return LeagueSite()
    request = ReportRequest(
        path.with_suffix(".yaml"),  # there is none: nothing is asked of the ratings
        path,
        course.folder / SITE,
        replays=WATCHED,
        anonymous=True,
        named=tuple(course.baselines) if course.file.name_baselines else (),
    )
    written = report(request)
    with Store(path) as store:
        info = store.conditions()
    names = pseudonyms(request, info)
    addresses = links(names.info(info), written.ratings.boards)
    pages = {name: addresses.bot(name) for name in names.bots.values()}
    return LeagueSite(path, names.bots, pages)
