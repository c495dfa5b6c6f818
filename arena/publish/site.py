"""The site: which pages and data files there are, and what each is made from."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.game.records import LeagueInfo, QuarantinedFixture
from arena.game.rules.books import changed_switches
from arena.io import shipped
from arena.playstats.league_summary import timing
from arena.publish.data import chart_data, tables
from arena.publish.data.result_rows import MatchRow
from arena.publish.data.schema import (
    TABLE_TYPES,
    LeagueHead,
    Table,
    csv_parts,
    json_parts,
    to_csv,
    to_json,
)
from arena.publish.drawing import charts
from arena.publish.drawing.font import font_css
from arena.publish.drawing.identity import identities, marked_links
from arena.publish.drawing.podium import PICTURE, podium
from arena.publish.fault_words import CAUSES
from arena.publish.game_source import GameSource
from arena.publish.links import (
    ABOUT,
    BOTS,
    MATCHES,
    OVERALL,
    REPLAY,
    RULES,
    STATS,
    WATCH,
    Links,
    links,
)
from arena.publish.moments import site_moments
from arena.publish.output.site_folder import FRONT, File, locked_site, replace_site
from arena.publish.pages import bot, conditions, faults, feed, leaderboard, matches, watch
from arena.publish.pages.front import MOMENTS, description, front, progress, standings
from arena.publish.pages.heatmap import heatmaps
from arena.publish.pages.opponent_rows import opponent_rows
from arena.publish.pages.templates import environment
from arena.publish.replay.selection import NEWEST, AtMost, ReplayChoice, Watchable, select_replays
from arena.publish.replay.shards import firsts, shards
from arena.ratings.standings import UPSET, Ratings
from arena.ratings.table import Leaderboard

MENU = {
    "Standings": (FRONT, "tables/"),
    "Bots": (BOTS, "bots/"),
    "Watch": (WATCH, "watch/", REPLAY),
    "Matches": (MATCHES, "matches/"),
    "Stats": (STATS, "suspicions.html", "head-to-head/"),
    "About": (ABOUT,),
}
"""The page that each item leads to, and what else belongs there; all other pages are About's."""


class StoreState(Struct, frozen=True):
    """What a site says of a store beside its games."""

    root: str = ""
    """The hash that pins the store."""
    left: int = 0
    """Fixtures that are due and not stored."""
    quarantined: Sequence[QuarantinedFixture] = ()


def publish(
    league: LeagueInfo,
    ratings: Ratings,
    source: GameSource,
    folder: Path,
    *,
    state: StoreState | None = None,
    replays: ReplayChoice = NEWEST,
    anonymous: bool = False,
    url: str = "",
) -> Path:
    """Write the report of a league into `folder` and return its front page.

    The same data gives the same bytes, whatever was there before; files of an earlier report that
    are no longer needed are removed. `url` is where it will be published, if that is known: pages
    then have absolute links and a picture for other sites. Raises ArenaError if the folder cannot
    be written; an earlier report then stays whole.
    """
    site = _Site(
        league, ratings, source, state or StoreState(), replays, anonymous=anonymous, url=url
    )
    with locked_site(folder) as existing:
        replace_site(folder, site.files(existing))
    return folder / FRONT


def _static(name: str) -> File:
    return File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))


def _section(path: str) -> str:
    """Return the item of the menu that a page belongs to."""
    return next((item for item, of in MENU.items() if path.startswith(of)), "About")


class _Site:
    """One report in the making."""

    def __init__(
        self,
        league: LeagueInfo,
        ratings: Ratings,
        source: GameSource,
        state: StoreState,
        choice: ReplayChoice,
        *,
        anonymous: bool = False,
        url: str = "",
    ) -> None:
        self.league, self.ratings, self.source = league, ratings, source
        self.state, self.choice = state, choice
        self.progress = progress(source.results, state.left)
        self.head = LeagueHead(league.name)
        self.boards = boards = ratings.boards
        self.summary = source.summary
        self.moments = site_moments(self.summary, source.results, boards, league.variants)
        shown = self.summary.mistake_games() | self.moments.games()
        gone = source.without_logs
        kept = [one for one in source.results if one.fixture.index not in gone]
        self.pruned = len(source.results) - len(kept)
        self.selection = select_replays(kept, boards, choice, shown)
        self.watchable = Watchable(self.selection)
        self.links: Links = links(league, boards)
        self.matches = tables.match_rows(source.results, self.selection, boards, self.summary.luck)
        self.anonymous, self.url = anonymous, url and f"{url.rstrip('/')}/"
        self.marks = identities(info.name for info in league.bots)
        self.marked = {root: marked_links(self.marks, self.links, root) for root in ("", "../")}
        self.common = self._common()

    def _common(self) -> dict[str, Any]:
        """Return what every page may show."""
        league, ratings = self.league, self.ratings
        variants = league.variants.items()
        return {
            "league": league,
            "anonymous": self.anonymous,
            "url": self.url,
            "ratings": ratings,
            "boards": self.boards,
            "summary": self.summary,
            "quarantined": self.state.quarantined,
            "pruned": self.pruned,
            "links": self.links,
            "watchable": self.watchable,
            "causes": CAUSES,
            "ranked": matches.ranked,
            "tagged": any(info.tags for info in league.bots),
            "identities": self.marks,
            "verdict": description(self.progress, standings(ratings), len(league.bots)),
            "paired": tables.PAIRED,
            "pairs_command": tables.ALL_PAIRS,
            "changes": {label: len(changed_switches(rules)) for label, rules in variants},
            "watch": WATCH if self.selection else "",
            "menu": [
                (path, label)
                for label, (path, *_) in MENU.items()
                if label != "Watch" or self.selection
            ],
        }

    def files(self, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield every file of the site, each once; `existing` has the keys of earlier files."""
        yield _static("style.css")
        yield _static("shared.js")
        yield _static("tables.js")
        yield File("font.css", font_css())
        yield from self._front()
        model: dict[str, Any] = {"overview": leaderboard.overview(self.league, self.ratings)}
        yield self._page("bots.html", BOTS, model)
        yield self._page("about.html", ABOUT, {})
        yield from self._conditions()
        model = feed.model(self.league, self.boards, self.source)
        yield self._page("feed.xml", feed.FEED, model)
        yield self._page("faults.html", "faults.html", faults.model(self.summary))
        faulted = tables.faults(self.head, self.source.faults)
        yield File("data/faults.csv", csv_parts(faulted))
        yield File("data/faults.json", json_parts(faulted))
        yield self._page("suspicions.html", "suspicions.html", {})
        alpha, cases = self.ratings.options.alpha, self.ratings.suspicions
        yield from self._table(tables.suspicions(self.head, alpha, cases))
        if overall := self.ratings.overall:
            model = leaderboard.overall_model(overall, self.league)
            yield self._page("overall.html", OVERALL, model)
            yield from self._table(tables.overall(overall))
        for board in self.boards:
            yield from self._board(board)
        yield from self._matches()
        of_bots = {"opponent_rows": opponent_rows, "rerun_command": bot.rerun_command}
        for page in bot.models(self.league, self.ratings, self.summary, self.matches, self.moments):
            model = {"bot": page, **of_bots}
            yield self._page("bot.html", self.links.bot(page.info.name), model)
        yield self._page("charts.html", "charts.html", charts.model(self.summary))
        names = [info.name for info in self.league.bots]
        numbers = chart_data.tables(
            *(self.head, self.summary, names, self.boards, self.links, self.moments.bots)
        )
        for stem, table in numbers:
            yield from self._table(table, stem)
        if self.selection:
            yield from self._replays(existing)

    def _page(self, template: str, path: str, model: Mapping[str, Any]) -> File:
        root, section = "../" * path.count("/"), _section(path)
        of_page = {"page": path, "section": section, "root": root, "marked": self.marked[root]}
        context = {**self.common, **of_page, **model}
        return File(path, environment().get_template(template).render(context))

    def _front(self) -> Iterator[File]:
        """Yield the front page, and the picture of a site with an address."""
        moments = watch.highlights(self.moments, self.watchable, MOMENTS)
        shown = front(self.ratings, self.summary, self.progress, moments)
        main = OVERALL if self.ratings.overall else ""
        main = main or (self.links.table(self.boards[0]) if self.boards else "")
        model: dict[str, Any] = {"front": shown, "all": main}
        yield self._page("index.html", FRONT, model)
        if self.url:
            best = [row.bot for row in shown.shown]
            yield File(PICTURE, podium(self.league.name, self.common["verdict"], best))

    def _conditions(self) -> Iterator[File]:
        known = timing(self.source.results, self.league.limits.start)
        model = conditions.model(self.league, self.summary, known)
        yield self._page(
            "conditions.html", "conditions.html", {**model, "store_root": self.state.root}
        )
        model = {"clauses": conditions.clause_entries(self.league), "books": conditions.BOOKS}
        yield self._page("rules.html", RULES, model)
        for kind in TABLE_TYPES.values():
            yield File(f"data/{kind.schema_file}", kind.schema_text())
        for table in tables.conditions(self.league, self.summary):
            yield from self._table(table)
        if missing := self.state.quarantined:
            yield from self._table(tables.quarantined(self.head, missing))

    def _replays(self, existing: Mapping[str, str]) -> Iterator[File]:
        marks = {bot: one.classes for bot, one in self.marks.items()}
        yield from shards(
            self.source, self.selection, self.links, existing, self.league.variants, marks
        )
        yield firsts(self.selection)
        yield _static("replay.js")
        yield _static("replay.css")
        yield _static("watch.css")
        lists = watch.lists(self.moments.league, self.watchable)
        index, games = next(iter(self.selection.items()))
        chosen = self.choice
        choice, most = (NEWEST, chosen.games) if isinstance(chosen, AtMost) else (chosen, None)
        first = f"{index}.{games[0]}.0"
        model = {"first": first, "choice": choice, "most": most, "upset": UPSET}
        yield self._page("replay.html", REPLAY, {**model, "lists": lists})
        yield from self._watch(lists)

    def _watch(self, league: Sequence[watch.MomentList]) -> Iterator[File]:
        yield self._page("watch.html", WATCH, {"lists": league, "board": None})
        for board in self.boards if len(self.boards) > 1 else ():
            found = self.moments.divisions.get(board.division, ())
            model = {"lists": watch.lists(found, self.watchable), "board": board}
            yield self._page("watch.html", self.links.watch(board), model)

    def _matches(self) -> Iterator[File]:
        pages = matches.pages(self.matches)
        newest = self.matches[: -matches.NEWEST_SHOWN - 1 : -1]
        model = {"pages": pages, "newest": newest, "upset": UPSET}
        yield self._page("matches.html", MATCHES, model)
        if pages:
            yield _static("matches.js")
            yield from matches.search_files(self.matches, self.league, self.boards, self.links)
        for page in pages:
            path = self.links.match_page(page.number)
            yield self._page("match_page.html", path, {"part": page})
            table = Table(MatchRow, self.head, page.matches)
            yield from self._table(table, self.links.match_data(page.number))

    def _board(self, board: Leaderboard) -> Iterator[File]:
        model = leaderboard.model(board, self.league)
        yield self._page("leaderboard.html", self.links.table(board), model)
        model = leaderboard.head_to_head_model(board)
        yield self._page("head_to_head.html", self.links.head_to_head(board), model)
        if len(board.rows) > leaderboard.TOP:
            for scheme, picture in heatmaps(leaderboard.matrix(board), len(board.rows)).items():
                yield File(self.links.picture(board, scheme), picture)
        for make in (tables.leaderboard, tables.head_to_head, tables.better):
            table = make(board)
            yield from self._table(table, self.links.data_stem(board, table.type.name))

    @staticmethod
    def _table(table: Table, stem: str = "") -> Iterator[File]:
        stem = stem or f"data/{table.type.name}"
        yield File(f"{stem}.csv", to_csv(table))
        yield File(f"{stem}.json", to_json(table))
