"""The site: which pages and data files there are, and what each is made from."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from arena import shipped
from arena.publish import bots, conditions, data, text
from arena.publish.boards import axis, matrix
from arena.publish.facts import Facts, gather
from arena.publish.files import FRONT, replace_site
from arena.publish.links import Links, links
from arena.ratings.table import Leaderboard
from arena.records import Cause, LeagueInfo, PlayedFixture

File = tuple[str, str]
"""A path relative to the site, and the text that goes there."""

FAULTS_SHOWN = 500
"""Lines of one cause on the page of faults; the data files have all."""

CAUSES = {
    Cause.TIMEOUT: "no answer within a limit",
    Cause.CRASH: "the program ended or could not be started",
    Cause.ILLEGAL_ACTION: "an answer that the rules forbid",
    Cause.MALFORMED_LINE: "a line that is not strict JSON, or not an answer to what was asked",
    Cause.FLOOD: "a line too long, or much output that nobody asked for",
}


def write_site(
    league: LeagueInfo,
    leaderboards: Sequence[Leaderboard],
    played: Sequence[PlayedFixture],
    folder: Path,
) -> Path:
    """Write the report of a league into `folder` and return its front page.

    Leaderboards are shown in the order given; `played` is walked once. The same data gives the
    same bytes. Files of an earlier report that are no longer needed are removed.
    Raises ArenaError where the folder cannot be written; an earlier report then stays whole.
    """
    facts = gather(played)
    replace_site(folder, _Site(league, leaderboards, facts).files())
    return folder / FRONT


def _finalize(value: object) -> object:
    """Make every text that a template prints visible, whoever wrote it; markup is ours."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return text.visible(value)
    return value


@cache
def environment() -> Environment:
    """Return the template environment: autoescape everywhere, undefined names are errors."""
    env = Environment(
        loader=FileSystemLoader(shipped.folder("reports")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name in ("signed", "fixed", "percent", "grouped", "clipped", "one_line"):
        env.filters[name] = getattr(text, name)
    return env


class _Site:
    """One report in the making."""

    def __init__(self, league: LeagueInfo, boards: Sequence[Leaderboard], facts: Facts) -> None:
        self.league = league
        self.boards = boards
        self.facts = facts
        self.links: Links = links(league, boards)
        self.common = {
            "league": league,
            "boards": boards,
            "facts": facts,
            "links": self.links,
            "causes": CAUSES,
            "changes": conditions.changes(league),
        }

    def files(self) -> Iterator[File]:
        """Yield every file of the site, each once."""
        style = shipped.folder("reports") / "style.css"
        yield "style.css", style.read_text(encoding="utf-8")
        yield self._page("index.html", FRONT, {"axis_of": axis})
        yield self._page("conditions.html", "conditions.html", conditions.model(self.league))
        yield from self._faults()
        for board in self.boards:
            yield from self._board(board)
        for bot in bots.models(self.league, self.boards, self.facts):
            yield self._page("bot.html", self.links.bot(bot.info.name), {"bot": bot})

    def _page(self, template: str, path: str, model: Mapping[str, Any]) -> File:
        context = {**self.common, "page": path, "root": "../" * path.count("/"), **model}
        return path, environment().get_template(template).render(context)

    def _faults(self) -> Iterator[File]:
        yield self._page("faults.html", "faults.html", {"limit": FAULTS_SHOWN})
        records = data.faults(self.facts.faults)
        yield "data/faults.csv", data.to_csv(data.FAULTS, records)
        yield "data/faults.json", data.to_json({"league": self.league.name}, data.FAULTS, records)

    def _board(self, board: Leaderboard) -> Iterator[File]:
        path = self.links.heads(board)
        yield self._page("head_to_head.html", path, {"board": board, "matrix": matrix(board)})
        tables = {
            "leaderboard": (data.LEADERBOARD, data.leaderboard(board)),
            "head-to-head": (data.HEADS, data.heads(board)),
        }
        head = {"variant": board.variant, "players": board.players, "chance": 1 / board.players}
        for kind, (columns, records) in tables.items():
            yield self.links.data(board, kind, "csv"), data.to_csv(columns, records)
            yield self.links.data(board, kind, "json"), data.to_json(head, columns, records)
