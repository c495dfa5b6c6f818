"""The site: which pages and data files there are, and what each is made from."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from arena import shipped
from arena.publish import bots, conditions, data, text
from arena.publish.boards import axis, better_matrix, matrix, overall_axis
from arena.publish.facts import Facts, gather
from arena.publish.files import FRONT, File, claimed, replace_site
from arena.publish.kept import NEWEST, UPSET, Choice, choose
from arena.publish.links import REPLAY, Links, links
from arena.publish.shards import shards
from arena.publish.source import InMemory, Source
from arena.ratings.standings import Ratings
from arena.ratings.table import Leaderboard
from arena.records import Cause, LeagueInfo, PlayedFixture

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
    ratings: Ratings,
    played: Sequence[PlayedFixture],
    folder: Path,
    *,
    root: str = "",
    replays: Choice = NEWEST,
) -> Path:
    """Write the report of fixtures that are at hand, in schedule order; see `publish`."""
    source = InMemory(played, league.variants)
    return publish(league, ratings, source, folder, root=root, replays=replays)


def publish(
    league: LeagueInfo,
    ratings: Ratings,
    source: Source,
    folder: Path,
    *,
    root: str = "",
    replays: Choice = NEWEST,
) -> Path:
    """Write the report of a league into `folder` and return its front page.

    Leaderboards are shown in their order; `replays` says which games can be watched; `root` is the
    hash that pins the store, where there is one. The same data gives the same bytes, whatever was
    there before. Files that would not change are left alone, and those of an earlier report that
    are no longer needed are removed.
    Raises ArenaError where the folder cannot be written; an earlier report then stays whole.
    """
    site = _Site(league, ratings, source, replays, root)
    with claimed(folder) as there:
        replace_site(folder, site.files(there))
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


def _static(name: str) -> File:
    return File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))


class _Site:
    """One report in the making."""

    def __init__(
        self,
        league: LeagueInfo,
        ratings: Ratings,
        source: Source,
        choice: Choice,
        root: str,
    ) -> None:
        self._root = root
        self.league = league
        self.ratings = ratings
        self.boards = boards = ratings.boards
        self.source = source
        self.choice = choice
        self.kept = choose(source.digests, boards, choice)
        self.facts: Facts = gather(source.digests)
        self.links: Links = links(league, boards)
        self.common = {
            "league": league,
            "ratings": ratings,
            "boards": boards,
            "facts": self.facts,
            "links": self.links,
            "watchable": {(index, game) for index, games in self.kept.items() for game in games},
            "causes": CAUSES,
            "changes": conditions.changes(league),
        }

    def files(self, there: Mapping[str, str]) -> Iterator[File]:
        """Yield every file of the site, each once; `there` has the keys of files of before."""
        yield _static("style.css")
        yield self._page("index.html", FRONT, {"axis_of": axis, "overall_axis": overall_axis})
        model = {**conditions.model(self.league), "store_root": self._root}
        yield self._page("conditions.html", "conditions.html", model)
        yield from self._faults()
        yield from self._suspicions()
        if self.ratings.overall:
            yield from self._table("data/overall", {}, data.overall(self.ratings.overall))
        for board in self.boards:
            yield from self._board(board)
        for bot in bots.models(self.league, self.boards, self.facts):
            yield self._page("bot.html", self.links.bot(bot.info.name), {"bot": bot})
        if self.kept:
            yield from self._replays(there)

    def _page(self, template: str, path: str, model: Mapping[str, Any]) -> File:
        context = {**self.common, "page": path, "root": "../" * path.count("/"), **model}
        return File(path, environment().get_template(template).render(context))

    def _faults(self) -> Iterator[File]:
        yield self._page("faults.html", "faults.html", {"limit": FAULTS_SHOWN})
        yield from self._table("data/faults", self._league_head(), data.faults(self.facts.faults))

    def _suspicions(self) -> Iterator[File]:
        yield self._page("suspicions.html", "suspicions.html", {})
        head = {**self._league_head(), "alpha": self.ratings.options.alpha}
        yield from self._table("data/suspicions", head, data.suspicions(self.ratings.suspicions))

    def _replays(self, there: Mapping[str, str]) -> Iterator[File]:
        yield from shards(self.source, self.kept, self.links, there)
        yield _static("replay.js")
        yield _static("replay.css")
        index, games = next(iter(self.kept.items()))
        model = {"first": f"{index}.{games[0]}.0", "choice": self.choice, "upset": UPSET}
        yield self._page("replay.html", REPLAY, model)

    def _board(self, board: Leaderboard) -> Iterator[File]:
        path = self.links.heads(board)
        model = {"board": board, "matrix": matrix(board), "better": better_matrix(board)}
        yield self._page("head_to_head.html", path, model)
        tables = {
            "leaderboard": data.leaderboard(board),
            "head-to-head": data.heads(board),
            "better": data.better(board),
        }
        for kind, table in tables.items():
            yield from self._table(self.links.data_stem(board, kind), data.head_of(board), table)

    def _league_head(self) -> dict[str, object]:
        return {"league": self.league.name}

    @staticmethod
    def _table(stem: str, head: dict[str, object], table: data.Table) -> Iterator[File]:
        yield File(f"{stem}.csv", data.to_csv(*table))
        yield File(f"{stem}.json", data.to_json(head, *table))
