"""The site: which pages and data files there are, and what each is made from."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena import shipped
from arena.playstats.league_summary import LeagueSummary, summarize_league
from arena.playstats.timing import stored_times, timing
from arena.publish.data import chart_data as figures
from arena.publish.data import tables as data
from arena.publish.data.columns import SHEETS
from arena.publish.data.schema import schema_text
from arena.publish.game_source import GameSource, InMemory
from arena.publish.output.site_folder import FRONT, File, locked_site, replace_site
from arena.publish.pages import bot as bots
from arena.publish.pages import charts, conditions, feed, matches
from arena.publish.pages import rules as rulebook
from arena.publish.pages.heatmap import heatmaps
from arena.publish.pages.leaderboard import (
    TOP,
    axis,
    better_matrix,
    lines,
    matrix,
    overall_axis,
    pairs,
)
from arena.publish.pages.links import MATCHES, OVERALL, REPLAY, RULES, Links, links
from arena.publish.pages.overview import leaders, overview
from arena.publish.pages.templates import environment
from arena.publish.replay.selection import NEWEST, UPSET, ReplayChoice, select_replays
from arena.publish.replay.shards import shards
from arena.ratings.standings import Ratings
from arena.ratings.table import Leaderboard
from arena.records import Cause, LeagueInfo, PlayedFixture, QuarantinedFixture

PAGES = {
    *(FRONT, MATCHES, "charts.html", "faults.html", "suspicions.html", "conditions.html", RULES)
}
"""What the navigation leads to, beside replays."""

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
    aside: Sequence[QuarantinedFixture] = (),
    root: str = "",
    replays: ReplayChoice = NEWEST,
) -> Path:
    """Write the report of fixtures that are at hand, in schedule order; see `publish`."""
    source = InMemory(played, league.variants)
    return publish(league, ratings, source, folder, aside=aside, root=root, replays=replays)


def publish(
    league: LeagueInfo,
    ratings: Ratings,
    source: GameSource,
    folder: Path,
    *,
    aside: Sequence[QuarantinedFixture] = (),
    root: str = "",
    replays: ReplayChoice = NEWEST,
) -> Path:
    """Write the report of a league into `folder` and return its front page.

    Leaderboards are shown in their order; `aside` is what could not be played, `replays` says which
    games can be watched, `root` is the hash that pins the store, where there is one. The same data
    gives the same bytes, whatever was there before. Files that would not change are left alone, and
    those of an earlier report that are no longer needed are removed.
    Raises ArenaError where the folder cannot be written; an earlier report then stays whole.
    """
    site = _Site(league, ratings, source, aside, replays, root)
    with locked_site(folder) as there:
        replace_site(folder, site.files(there))
    return folder / FRONT


def _static(name: str) -> File:
    return File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))


class _Site:
    """One report in the making."""

    def __init__(
        self,
        league: LeagueInfo,
        ratings: Ratings,
        source: GameSource,
        aside: Sequence[QuarantinedFixture],
        choice: ReplayChoice,
        root: str,
    ) -> None:
        self._root = root
        self.aside = aside
        self.league = league
        self.ratings = ratings
        self.boards = boards = ratings.boards
        self.source = source
        self.choice = choice
        self.facts: LeagueSummary = summarize_league(source.digests)
        self.kept = select_replays(source.digests, boards, choice, self.facts.moment_games())
        self.links: Links = links(league, boards)
        self.matches = matches.matches(source.digests, self.kept, boards)
        self.common = {
            "league": league,
            "ratings": ratings,
            "boards": boards,
            "facts": self.facts,
            "aside": aside,
            "links": self.links,
            "watchable": {(index, game) for index, games in self.kept.items() for game in games},
            "causes": CAUSES,
            "tagged": any(bot.tags for bot in league.bots),
            "leaders": leaders,
            "changes": conditions.changes(league),
            "menu": {*PAGES, REPLAY} if self.kept else PAGES,
        }

    def files(self, there: Mapping[str, str]) -> Iterator[File]:
        """Yield every file of the site, each once; `there` has the keys of files of before."""
        yield _static("style.css")
        yield _static("tables.js")
        yield self._page("index.html", FRONT, {"overview": overview(self.league, self.ratings)})
        yield from self._conditions()
        yield self._feed()
        yield from self._faults()
        yield from self._suspicions()
        yield from self._overall()
        for board in self.boards:
            yield from self._board(board)
        yield from self._matches()
        for bot in bots.models(self.league, self.boards, self.facts):
            yield self._page(
                "bot.html",
                self.links.bot(bot.info.name),
                {"bot": bot, "rerun_command": bots.rerun_command},
            )
        yield self._page("charts.html", "charts.html", charts.model(self.facts))
        names = [bot.name for bot in self.league.bots]
        for stem, table in figures.tables(self.facts, names, self.boards, self.links):
            yield from self._table(stem, self._league_head(), table)
        if self.kept:
            yield from self._replays(there)

    def _page(self, template: str, path: str, model: Mapping[str, Any]) -> File:
        context = {**self.common, "page": path, "root": "../" * path.count("/"), **model}
        return File(path, environment().get_template(template).render(context))

    def _conditions(self) -> Iterator[File]:
        known = timing(stored_times(self.source.digests), self.league.limits.start)
        model = {**conditions.model(self.league, self.facts, known), "store_root": self._root}
        yield self._page("conditions.html", "conditions.html", model)
        model = {"clauses": rulebook.entries(self.league), "books": rulebook.BOOKS}
        yield self._page("rules.html", RULES, model)
        for sheet in SHEETS:
            yield File(f"data/{sheet.schema_file}", schema_text(sheet))
        yield from self._table("data/bots", self._league_head(), data.bots(self.league))
        yield from self._table("data/rules", self._league_head(), data.rules(self.league))
        yield from self._table("data/limits", self._league_head(), data.limits(self.league))
        yield from self._table("data/played", self._league_head(), data.played(self.facts))
        if self.aside:
            yield from self._table("data/aside", self._league_head(), data.aside(self.aside))

    def _feed(self) -> File:
        model = feed.model(self.league, self.boards, self.source, self.ratings.options)
        return self._page("feed.xml", feed.FEED, model)

    def _faults(self) -> Iterator[File]:
        yield self._page("faults.html", "faults.html", {"limit": FAULTS_SHOWN})
        yield from self._table("data/faults", self._league_head(), data.faults(self.facts.faults))

    def _suspicions(self) -> Iterator[File]:
        yield self._page("suspicions.html", "suspicions.html", {})
        head = {**self._league_head(), "alpha": self.ratings.options.alpha}
        yield from self._table("data/suspicions", head, data.suspicions(self.ratings.suspicions))

    def _replays(self, there: Mapping[str, str]) -> Iterator[File]:
        yield from shards(self.source, self.kept, self.links, there, self.league.variants)
        yield _static("replay.js")
        yield _static("replay.css")
        index, games = next(iter(self.kept.items()))
        model = {"first": f"{index}.{games[0]}.0", "choice": self.choice, "upset": UPSET}
        yield self._page("replay.html", REPLAY, model)

    def _matches(self) -> Iterator[File]:
        pages = matches.pages(self.matches)
        seats = matches.widest(self.matches)
        newest = self.matches[: -matches.NEWEST_SHOWN - 1 : -1]
        model = {"pages": pages, "newest": newest, "seats": seats, "upset": UPSET}
        yield self._page("matches.html", MATCHES, model)
        if pages:
            yield _static("matches.js")
            found = matches.search_files(self.matches, self.league, self.boards, self.links)
            yield from (File(*file) for file in found)
        for page in pages:
            model = {"part": page, "seats": seats}
            yield self._page("match_page.html", self.links.match_page(page.number), model)
            stem = self.links.match_data(page.number)
            yield from self._table(stem, self._league_head(), data.matches(page.matches))

    def _overall(self) -> Iterator[File]:
        overall = self.ratings.overall
        if overall:
            infos = {bot.name: bot for bot in self.league.bots}
            model = {"overall": overall, "axis": overall_axis(overall.rows), "infos": infos}
            yield self._page("overall.html", OVERALL, model)
            yield from self._table("data/overall", {}, data.overall(overall))

    def _board(self, board: Leaderboard) -> Iterator[File]:
        model: dict[str, Any] = {"board": board, "lines": lines(board, self.league)}
        model["axis"] = axis(board.rows)
        yield self._page("leaderboard.html", self.links.table(board), model)
        yield from self._heads(board)
        tables = {
            "leaderboard": data.leaderboard(board),
            "head-to-head": data.heads(board),
            "better": data.better(board),
        }
        for kind, table in tables.items():
            yield from self._table(self.links.data_stem(board, kind), data.head_of(board), table)

    def _heads(self, board: Leaderboard) -> Iterator[File]:
        model = {"board": board, "matrix": matrix(board, TOP), "pairs": pairs(board, TOP)}
        model["better"] = better_matrix(board, TOP)
        yield self._page("head_to_head.html", self.links.heads(board), model)
        if len(board.rows) > TOP:
            for scheme, picture in heatmaps(matrix(board)).items():
                yield File(self.links.picture(board, scheme), picture)

    def _league_head(self) -> dict[str, object]:
        return {"league": self.league.name}

    @staticmethod
    def _table(stem: str, head: dict[str, object], table: data.Table) -> Iterator[File]:
        yield File(f"{stem}.csv", data.to_csv(table))
        yield File(f"{stem}.json", data.to_json(head, table))
