"""The site: its pages and data files, and the model of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import BotInfo, Cause, Conditions, QuarantinedFixture
from arena.game.rules.books import changed_switches
from arena.io import shipped
from arena.io.job import SharedItems
from arena.playstats.league_summary import LeagueSummary, timing
from arena.publish import charts
from arena.publish.data import play, results
from arena.publish.data import results as result_tables
from arena.publish.data.results import FixtureResultRow
from arena.publish.data.schema import DataTable, LeagueHead, csv_parts, json_parts, to_csv, to_json
from arena.publish.game_source import GameSource
from arena.publish.links import (
    ABOUT,
    BOTS,
    FIXTURES,
    MODELS,
    OVERALL,
    REPLAY,
    RULES,
    WATCH,
    Identity,
    identities,
    links,
    marked_links,
)
from arena.publish.pages import bot, conditions, faults, feed, fixtures, leaderboard, models, watch
from arena.publish.pages.front import (
    HIGHLIGHTS,
    FrontPage,
    description,
    front,
    main_page,
    progress,
    standings,
)
from arena.publish.pages.models import table_types
from arena.publish.pages.pictures import PICTURE, heatmaps, podium
from arena.publish.pages.watch import site_highlights
from arena.publish.replay_steps import CAUSES, CauseWords
from arena.publish.replays import (
    A_PAGE,
    NEWEST,
    AtMost,
    ReplayChoice,
    Watchable,
    firsts,
    select_replays,
    shards,
)
from arena.publish.series import alternating
from arena.publish.site_folder import FRONT, File, locked_site, new_site
from arena.publish.site_state import StoreState
from arena.publish.templates import Frame, font_css, menu, render
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import UPSET, Favourites, Ratings


def files_of_ratings(conditions: Conditions, ratings: Ratings) -> Iterator[File]:
    """Yield data and pictures of leaderboards: what a site shows of them has no links to games."""
    head, of, alpha = (
        LeagueHead(conditions.name),
        links(conditions, ratings.boards),
        ratings.options.alpha,
    )
    yield from table_files(results.suspicions(head, alpha, ratings.suspicions))
    if overall := ratings.overall:
        yield from table_files(results.overall(overall))
    for board in ratings.boards:
        if len(board.rows) > leaderboard.TOP:
            for scheme, picture in heatmaps(leaderboard.matrix(board), len(board.rows)).items():
                yield File(of.picture(board, scheme), picture)
        for make in (results.leaderboard, results.head_to_head, results.better):
            table = make(board)
            yield from table_files(table, of.data_stem(board, table.type.name))


def table_files(table: DataTable, stem: str = "") -> Iterator[File]:
    """Yield a table as CSV and as JSON; by default they are called as its type."""
    stem = stem or f"data/{table.type.name}"
    yield File(f"{stem}.csv", to_csv(table))
    yield File(f"{stem}.json", to_json(table))


MANY = 50
"""Bots whose pages are worth a process of their own."""
BESIDE = "front_beside.part"
"""What stands beside the standings, as a part of the front page of a door."""


def publish(
    conditions: Conditions,
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
    state, bots = state or StoreState(), conditions.bots
    beside = source.beside if len(bots) >= MANY else nullcontext
    with (
        locked_site(folder) as existing,
        new_site(folder, state.inputs) as new,
        new.also_taking(files_of_ratings(conditions, ratings), beside),
    ):
        site = _Site(conditions, ratings, source, state, replays, anonymous=anonymous, url=url)
        with SharedItems(bots) as left, new.also_taking(site.bots(left.there()), beside):
            new.take_all(chain(site.files(existing), site.bots(left.here())))
    return folder / FRONT


def _static(name: str) -> File:
    return File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))


class SiteContext(Struct, frozen=True, kw_only=True):
    """The names that templates of all pages know, beside those of the frame."""

    ratings: Ratings
    boards: Sequence[Leaderboard]
    summary: LeagueSummary
    quarantined: Sequence[QuarantinedFixture]
    pruned: int
    """Fixtures whose games cannot be shown: their logs were pruned."""
    watchable: Watchable
    watch: str
    """The page of the highlights to watch; "" without any."""
    identities: Mapping[str, Identity]
    marked: Mapping[str, Markup]
    """Each bot's mark and its name, linked to its page."""
    tagged: bool
    changes: Mapping[str, int]
    """How many switches each variant changes of its rule book."""
    ranked: Callable[[FixtureResultRow], list[fixtures.RankedSeat]] = fixtures.ranked
    causes: Mapping[Cause, CauseWords] = MappingProxyType(CAUSES)
    paired: int
    """Bots of a leaderboard whose pairs are in the data files."""
    pairs_command: str = result_tables.ALL_PAIRS


class _Site:
    """One report in the making."""

    def __init__(
        self,
        conditions: Conditions,
        ratings: Ratings,
        source: GameSource,
        state: StoreState,
        choice: ReplayChoice,
        *,
        anonymous: bool = False,
        url: str = "",
    ) -> None:
        self.league, self.ratings, self.source = conditions, ratings, source
        self.state, self.choice = state, choice
        self.progress = progress(source.results, state.left, goes_on=state.goes_on)
        self.head = LeagueHead(conditions.name)
        self.boards = boards = ratings.boards
        self.summary = source.summary
        results, expected = source.results, Favourites(boards)
        self.highlights = site_highlights(
            self.summary, results, boards, expected, conditions.variants
        )
        linked = self.summary.mistake_games() | self.highlights.games()
        pruned = source.without_logs
        complete = [result for result in results if result.fixture.index not in pruned]
        self.selection = select_replays(complete, expected, choice, linked)
        self.watchable = Watchable(self.selection)
        self.links = links(conditions, boards)
        luck = self.summary.luck
        self.fixtures = result_tables.fixture_rows(results, self.selection, expected, luck)
        self.marks = identities(info.name for info in conditions.bots)
        self.frame = Frame(
            league=conditions,
            links=self.links,
            menu=menu(watch=bool(self.selection)),
            anonymous=anonymous,
            url=url and f"{url.rstrip('/')}/",
            verdict=description(
                self.progress, standings(ratings), len(conditions.bots), state.playoff
            ),
        )
        context = self._context(len(source.results) - len(complete))
        marked = {root: marked_links(self.marks, self.links, root) for root in ("", "../")}
        self.contexts = {root: replace(context, marked=names) for root, names in marked.items()}

    def _context(self, pruned: int) -> SiteContext:
        """Return what every page may show, without links."""
        variants = self.league.variants.items()
        return SiteContext(
            ratings=self.ratings,
            boards=self.boards,
            summary=self.summary,
            quarantined=self.state.quarantined,
            pruned=pruned,
            watchable=self.watchable,
            watch=WATCH if self.selection else "",
            identities=self.marks,
            marked={},
            tagged=any(info.tags for info in self.league.bots),
            paired=result_tables.PAIRED,
            changes={label: len(changed_switches(rules)) for label, rules in variants},
        )

    def files(self, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield every file of the site but the pages of bots; `existing` has the keys of files."""
        # In turns: other processes make replays while this one makes pages.
        replays = self._replays(existing) if self.selection else ()
        yield from alternating(self._pages(), replays, A_PAGE)

    def _pages(self) -> Iterator[File]:
        """Yield all files but those of replays and bots."""
        yield _static("style.css")
        yield _static("shared.js")
        yield _static("tables.js")
        yield File("font.css", font_css())
        yield from self._front()
        overview = leaderboard.overview(self.league, self.ratings)
        yield self._page("bots.html", BOTS, leaderboard.BotsPage(overview))
        yield self._page("about.html", ABOUT)
        yield from self._conditions()
        changes = feed.feed(self.league, self.boards, self.source)
        yield self._page("feed.xml", feed.TEMPLATE, changes)
        yield from self._faults()
        yield self._page("suspicions.html", "suspicions.html")
        if overall := self.ratings.overall:
            page = leaderboard.overall_page(overall, self.league)
            yield self._page("overall.html", OVERALL, page)
        for board in self.boards:
            yield from self._board(board)
        yield from self._fixtures()
        yield self._page("charts.html", "charts.html", charts.charts_page(self.summary))
        names = [info.name for info in self.league.bots]
        highlights = self.highlights.bots
        for stem, table in play.tables(
            self.head, self.summary, names, self.boards, self.links, highlights
        ):
            yield from table_files(table, stem)
        if self.league.models:
            charted, table = models.models_page(self.boards, self.state.models, self.head)
            yield self._page("models.html", MODELS, charted)
            yield from table_files(table)

    def _page(self, template: str, path: str, *models: Struct) -> File:
        frame = self.frame.at(path)
        return File(path, render(template, frame, self.contexts[frame.root], *models))

    def _faults(self) -> Iterator[File]:
        yield self._page("faults.html", "faults.html", faults.faults_page(self.summary))
        table = result_tables.faults(self.head, self.source.faults)
        yield File("data/faults.csv", csv_parts(table))
        yield File("data/faults.json", json_parts(table))

    def bots(self, bots: Iterable[BotInfo]) -> Iterator[File]:
        """Yield the pages of some bots."""
        for model in bot.models(
            self.league, bots, self.ratings, self.summary, self.fixtures, self.highlights
        ):
            yield self._page("bot.html", self.links.bot(model.info.name), bot.BotView(model))

    def _front(self) -> Iterator[File]:
        """Yield the front page, and the picture of a site with an address."""
        highlights = watch.highlights(self.highlights, self.watchable, HIGHLIGHTS)
        page = front(self.ratings, self.summary, self.progress, highlights, self.state.playoff)
        model = FrontPage(page, main_page(self.ratings, self.links))
        yield self._page("index.html", FRONT, model)
        if door := self.state.door:
            frame = replace(self.frame, root=door)
            marked = marked_links(self.marks, self.links, door)
            context = replace(self.contexts[""], marked=marked)
            yield File(BESIDE, render("front_beside.html", frame, context, model))
        if self.frame.url:
            best = [row.bot for row in page.shown]
            yield File(PICTURE, podium(self.league.name, self.frame.verdict, best))

    def _conditions(self) -> Iterator[File]:
        known = timing(self.source.results, self.league.limits.start)
        page = conditions.conditions_page(self.league, self.summary, known, self.state.root)
        yield self._page("conditions.html", "conditions.html", page)
        yield self._page("rules.html", RULES, conditions.rules_page(self.league))
        for kind in table_types(models=bool(self.league.models)):
            yield File(f"data/{kind.schema_file}", kind.schema_text())
        for table in result_tables.conditions(self.league, self.summary):
            yield from table_files(table)
        if missing := self.state.quarantined:
            yield from table_files(result_tables.quarantined(self.head, missing))

    def _replays(self, existing: Mapping[str, str]) -> Iterator[File]:
        marks = {bot: identity.classes for bot, identity in self.marks.items()}
        yield from shards(
            *(self.source, self.selection, self.links, existing, self.league.variants, marks),
            models=self.league.public_models or (),
        )
        yield firsts(self.selection)
        yield _static("replay.js")
        yield _static("replay.css")
        yield _static("watch.css")
        lists = watch.lists(self.highlights.league, self.watchable)
        index, games = next(iter(self.selection.items()))
        first = f"{index}.{games[0]}.0"
        chosen = self.choice
        choice, most = (NEWEST, chosen.games) if isinstance(chosen, AtMost) else (chosen, None)
        page = watch.ReplayPage(first, choice, most, UPSET, lists)
        yield self._page("replay.html", REPLAY, page)
        yield from self._watch(lists)

    def _watch(self, lists: list[watch.HighlightList]) -> Iterator[File]:
        yield self._page("watch.html", WATCH, watch.WatchPage(lists))
        for board in self.boards if len(self.boards) > 1 else ():
            highlights = self.highlights.divisions.get(board.division, ())
            page = watch.WatchPage(watch.lists(highlights, self.watchable), board)
            yield self._page("watch.html", self.links.watch(board), page)

    def _fixtures(self) -> Iterator[File]:
        pages = fixtures.pages(self.fixtures)
        newest = self.fixtures[: -fixtures.NEWEST_SHOWN - 1 : -1]
        yield self._page("fixtures.html", FIXTURES, fixtures.SearchPage(pages, newest, UPSET))
        if pages:
            yield _static("fixtures.js")
            yield from fixtures.search_files(self.fixtures, self.league, self.boards, self.links)
        for page in pages:
            path = self.links.fixture_page(page.number)
            yield self._page("fixture_page.html", path, fixtures.ListPage(page))
            table = DataTable(FixtureResultRow, self.head, page.fixtures)
            yield from table_files(table, self.links.fixture_data(page.number))

    def _board(self, board: Leaderboard) -> Iterator[File]:
        page = leaderboard.leaderboard_page(board, self.league, self.state.models)
        yield self._page("leaderboard.html", self.links.table(board), page)
        pairs = leaderboard.head_to_head_page(board)
        yield self._page("head_to_head.html", self.links.head_to_head(board), pairs)
