"""The site: its pages and data files, and the model of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import BotInfo, Cause, Conditions, QuarantinedFixture
from arena.game.rules.books import changed_switches
from arena.io import shipped
from arena.io.job import SharedItems
from arena.league.changes import version_of
from arena.playstats.faults import FaultEntry
from arena.playstats.league_summary import LeagueSummary, timing
from arena.publish import charts
from arena.publish.data import play, results
from arena.publish.data.results import FixtureResultRow
from arena.publish.data.schema import (
    DataTable,
    LeagueHead,
    TableHead,
    csv_parts,
    json_parts,
    to_csv,
    to_json,
)
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
from arena.publish.pages import (
    bot,
    conditions,
    faults,
    feed,
    fixtures,
    leaderboard,
    models,
    rank_card,
    watch,
)
from arena.publish.pages.front import (
    HIGHLIGHTS,
    FrontPage,
    PlayedShare,
    description,
    front,
    main_page,
    progress,
    standings,
)
from arena.publish.pages.models import table_types
from arena.publish.pages.pictures import PICTURE, heatmaps, podium
from arena.publish.pages.watch import HighlightView, SiteHighlights, site_highlights
from arena.publish.replay_steps import CAUSES, CauseWords
from arena.publish.replays import (
    NEWEST,
    AtMost,
    ReplayChoice,
    Selection,
    Watchable,
    firsts,
    select_replays,
    shards,
)
from arena.publish.site_folder import FRONT, File, locked_site, new_site
from arena.publish.site_state import StoreState, least_share, not_the_models
from arena.publish.templates import Frame, menu, render
from arena.ratings.leaderboard_rows import Leaderboard, OverallRow
from arena.ratings.league_ratings import UPSET, Favourites, Ratings

MANY = 50
"""Bots whose pages are worth a process of their own."""
BESIDE = "front_beside.part"
"""What stands beside the standings, as a part of the front page of a door."""
REPLAYS_A_PAGE = 8
"""Scripts of replays that are taken after each page: about as many as come while it is made."""


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
        site = site_of(conditions, ratings, source, state, replays, anonymous=anonymous, url=url)
        with SharedItems(bots) as left, new.also_taking(site.bot_pages(left.there()), beside):
            new.take_all(chain(site.files(existing), site.bot_pages(left.here())))
    return folder / FRONT


def files_of_ratings(conditions: Conditions, ratings: Ratings) -> Iterator[File]:
    """Yield data and pictures of leaderboards, which need neither games nor pages."""
    paths = links(conditions, ratings.boards)
    yield from table_files(results.suspicions(LeagueHead(conditions.name), ratings))
    if overall := ratings.overall:
        yield from table_files(DataTable(OverallRow, TableHead(), overall.rows))
    for board in ratings.boards:
        if len(board.rows) > leaderboard.TOP:
            for scheme, picture in heatmaps(leaderboard.matrix(board), len(board.rows)).items():
                yield File(paths.picture(board, scheme), picture)
        for make in (results.leaderboard, results.head_to_head, results.better):
            table = make(board)
            yield from table_files(table, paths.data_stem(board, table.type.name))


def table_files(table: DataTable, stem: str = "") -> Iterator[File]:
    """Yield a table as CSV and as JSON; without a stem, the files are called as its type."""
    stem = stem or f"data/{table.type.name}"
    yield File(f"{stem}.csv", to_csv(table))
    yield File(f"{stem}.json", to_json(table))


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
    not_the_models: frozenset[str]
    """The bots whose language models make too few of their decisions."""
    least_share: float
    """The share that is enough."""
    tagged: bool
    changes: Mapping[str, int]
    """How many switches each variant changes of its rule book."""
    ranked: Callable[[FixtureResultRow], list[fixtures.RankedSeat]] = fixtures.ranked
    causes: Mapping[Cause, CauseWords] = MappingProxyType(CAUSES)
    paired: int
    """Bots of a leaderboard whose pairs are in the data files."""
    pairs_command: str = results.ALL_PAIRS


def site_of(
    conditions: Conditions,
    ratings: Ratings,
    source: GameSource,
    state: StoreState,
    choice: ReplayChoice,
    *,
    anonymous: bool = False,
    url: str = "",
) -> "Site":
    """Work out what all pages of a site have in common."""
    boards, summary = ratings.boards, source.summary
    expected = Favourites(boards)
    highlights = site_highlights(summary, source.results, boards, expected, conditions.variants)

    # Pages point to the games of mistakes and of highlights, if their logs are still there.
    linked = summary.mistake_games() | highlights.games()
    pruned = source.without_logs
    complete = [result for result in source.results if result.fixture.index not in pruned]
    selection = select_replays(complete, expected, choice, linked)

    site_links = links(conditions, boards)
    marks = identities((info.name for info in conditions.bots), state.entered)
    played = progress(source.results, state.left, goes_on=state.goes_on)
    left_out = not_the_models(state.models, ratings.options)
    main = standings(ratings, left_out)
    frame = Frame(
        league=conditions,
        links=site_links,
        menu=menu(watch=bool(selection)),
        anonymous=anonymous,
        url=url and f"{url.rstrip('/')}/",
        verdict=description(played, main, len(conditions.bots), state.playoff),
    )
    context = SiteContext(
        ratings=ratings,
        boards=boards,
        summary=summary,
        quarantined=state.quarantined,
        pruned=len(source.results) - len(complete),
        watchable=Watchable(selection),
        watch=WATCH if selection else "",
        identities=marks,
        marked=marked_links(marks, site_links, ""),
        not_the_models=left_out,
        least_share=least_share(ratings.options),
        tagged=any(info.tags for info in conditions.bots),
        paired=results.PAIRED,
        changes={
            label: len(changed_switches(rules)) for label, rules in conditions.variants.items()
        },
    )
    return Site(
        league=conditions,
        ratings=ratings,
        source=source,
        state=state,
        choice=choice,
        progress=played,
        highlights=highlights,
        selection=selection,
        fixtures=results.fixture_rows(source.results, selection, expected, summary.luck),
        frame=frame,
        context=context,
        cards=rank_card.rank_cards(conditions.name, main, played),
        context_below=replace(context, marked=marked_links(marks, site_links, "../")),
    )


@dataclass(frozen=True, kw_only=True)
class Site:
    """One report in the making: what its pages are made of, and the files that come of it."""

    league: Conditions
    ratings: Ratings
    source: GameSource
    state: StoreState
    choice: ReplayChoice
    progress: PlayedShare
    highlights: SiteHighlights
    selection: Selection
    """The games to watch."""
    fixtures: list[FixtureResultRow]
    """Those with games, in schedule order."""
    frame: Frame
    """That of the front page."""
    context: SiteContext
    """What pages in the site's folder know."""
    context_below: SiteContext
    """What pages in a folder below it know."""
    cards: Mapping[str, rank_card.RankCard]
    """The rank of each bot that is rated, by the name that all its versions have."""

    def files(self, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield every file of the site but the pages of bots; `existing` has the keys of files.

        Pages and replays come in turns: other processes make replays while this one makes pages.
        """
        replays = self._replays(existing) if self.selection else iter(())
        for page in self._pages():
            yield page
            yield from islice(replays, REPLAYS_A_PAGE)
        yield from replays

    def bot_pages(self, bots: Iterable[BotInfo]) -> Iterator[File]:
        """Yield the pages of some bots."""
        uses = [
            row
            for board in self.ratings.boards
            for row in models.model_rows(board, self.state.models, self.context.not_the_models)
            if row.decisions
        ]
        for model in bot.models(
            self.league, bots, self.ratings, self.source.summary, self.fixtures, self.highlights
        ):
            decided = [row for row in uses if row.bot == model.info.name]
            name = version_of(model.info.name)[0]
            card = self.frame.links.card(name) if name in self.cards else ""
            view = bot.BotView(model, decided, card)
            yield self._page("bot.html", self.frame.links.bot(model.info.name), view)

    def _page(self, template: str, path: str, *models: Struct) -> File:
        """Return a page; its template knows the fields of these models by their names."""
        frame = self.frame.at(path)
        context = self.context_below if frame.root else self.context
        return File(path, render(template, frame, context, *models))

    def _pages(self) -> Iterator[File]:
        """Yield all files but those of replays and bots."""
        boards = self.ratings.boards
        summary = self.source.summary
        head = LeagueHead(self.league.name)
        yield _static("style.css")
        yield _static("shared.js")
        yield _static("tables.js")
        yield _static("pairs.js")
        yield File("font.css", shipped.font_css())
        yield from self._front()
        overview = leaderboard.overview(self.league, self.ratings)
        yield self._page("bots.html", BOTS, leaderboard.BotsPage(overview))
        yield self._page("about.html", ABOUT)
        yield from self._conditions()
        yield self._page("feed.xml", feed.TEMPLATE, feed.feed(self.league, boards, self.source))

        yield self._page("faults.html", "faults.html", faults.faults_page(summary))
        table = DataTable(FaultEntry, head, self.source.faults)
        yield File("data/faults.csv", csv_parts(table))
        yield File("data/faults.json", json_parts(table))

        yield self._page("suspicions.html", "suspicions.html")
        if overall := self.ratings.overall:
            page = leaderboard.overall_page(overall, self.league, self.context.not_the_models)
            yield self._page("overall.html", OVERALL, page)
        for board in boards:
            table_page = leaderboard.leaderboard_page(
                board, self.league, self.state.models, self.context.not_the_models
            )
            yield self._page("leaderboard.html", self.frame.links.table(board), table_page)
            pairs = leaderboard.head_to_head_page(board)
            yield self._page("head_to_head.html", self.frame.links.head_to_head(board), pairs)
        yield from self._rank_cards()
        yield from self._fixtures()
        yield self._page("charts.html", "charts.html", charts.charts_page(summary))
        names = [info.name for info in self.league.bots]
        for stem, table in play.tables(
            head, summary, names, boards, self.frame.links, self.highlights.bots
        ):
            yield from table_files(table, stem)
        if self.league.models:
            charted, table = models.models_page(
                boards, self.state.models, self.context.not_the_models, head
            )
            yield self._page("models.html", MODELS, charted)
            yield from table_files(table)

    def _front(self) -> Iterator[File]:
        """Yield the front page, its part for a door, and the picture of a site with an address."""
        highlights = watch.highlights(self.highlights, self.context.watchable, HIGHLIGHTS)
        page = front(
            self.ratings,
            self.source.summary,
            self.progress,
            highlights,
            self.state.playoff,
            self.context.not_the_models,
        )
        watch_it = [(self.context.watch, "▶ Watch")] if self.context.watch else []
        enter_it = [(self.state.enter, "Enter your bot")] if self.state.enter else []
        model = FrontPage(
            page, main_page(self.ratings, self.frame.links), ways=(*watch_it, *enter_it)
        )
        yield self._page("index.html", FRONT, model)
        if door := self.state.door:
            frame = replace(self.frame, root=door)
            marked = marked_links(self.context.identities, self.frame.links, door)
            context = replace(self.context, marked=marked)
            yield File(BESIDE, render("front_beside.html", frame, context, model))
        if self.frame.url or self.state.door:
            best = [row.bot for row in page.shown]
            yield File(
                PICTURE, podium(self.league.name, self.frame.verdict, best, _moment(highlights))
            )

    def _rank_cards(self) -> Iterator[File]:
        """Yield the rank of each bot as a picture."""
        for one in self.cards.values():
            yield File(self.frame.links.card(one.bot), render("rank_card.svg", one))

    def _conditions(self) -> Iterator[File]:
        """Yield the conditions and the rules, the schemas of all data, and data about them."""
        known = timing(self.source.results, self.league.limits.start)
        page = conditions.conditions_page(self.league, self.source.summary, known, self.state.root)
        yield self._page("conditions.html", "conditions.html", page)
        yield self._page("rules.html", RULES, conditions.rules_page(self.league))
        for kind in table_types(models=bool(self.league.models)):
            yield File(f"data/{kind.schema_file}", kind.schema_text())
        for table in conditions.tables(self.league, self.source.summary):
            yield from table_files(table)
        if missing := self.state.quarantined:
            yield from table_files(results.quarantined(LeagueHead(self.league.name), missing))

    def _fixtures(self) -> Iterator[File]:
        """Yield the search for fixtures, and the list of them, page by page."""
        pages = fixtures.pages(self.fixtures)
        newest = self.fixtures[: -fixtures.NEWEST_SHOWN - 1 : -1]
        yield self._page("fixtures.html", FIXTURES, fixtures.SearchPage(pages, newest, UPSET))
        if pages:
            yield _static("fixtures.js")
            yield from fixtures.search_files(
                self.fixtures,
                self.context.identities,
                self.ratings.boards,
                self.frame.links,
            )
        for page in pages:
            path = self.frame.links.fixture_page(page.number)
            yield self._page("fixture_page.html", path, fixtures.ListPage(page))
            table = DataTable(FixtureResultRow, LeagueHead(self.league.name), page.fixtures)
            yield from table_files(table, self.frame.links.fixture_data(page.number))

    def _replays(self, existing: Mapping[str, str]) -> Iterator[File]:
        """Yield the scripts of replays, the page that shows them, and the highlights to watch."""
        marks = {bot: identity.classes for bot, identity in self.context.identities.items()}
        yield from shards(
            self.source,
            self.selection,
            self.frame.links,
            existing,
            self.league.variants,
            marks,
            self.league.public_models or (),
        )
        yield firsts(self.selection)
        yield _static("replay.js")
        yield _static("replay.css")
        yield _static("table.css")
        yield _static("watch.css")

        lists = watch.lists(self.highlights.league, self.context.watchable)
        index, games = next(iter(self.selection.items()))
        chosen = self.choice
        choice, most = (NEWEST, chosen.games) if isinstance(chosen, AtMost) else (chosen, None)
        replay = watch.ReplayPage(f"{index}.{games[0]}.0", choice, most, UPSET, lists)
        yield self._page("replay.html", REPLAY, replay)

        yield self._page("watch.html", WATCH, watch.WatchPage(lists))
        if len(self.ratings.boards) > 1:
            for board in self.ratings.boards:
                highlights = self.highlights.divisions.get(board.division, ())
                page = watch.WatchPage(watch.lists(highlights, self.context.watchable), board)
                yield self._page("watch.html", self.frame.links.watch(board), page)


def _moment(highlights: Iterable[HighlightView]) -> list[int]:
    """Return the dice of the first highlight that is about a bid, six at most."""
    bids = (one.highlight for one in highlights if one.highlight.quantity)
    return next(([bid.face] * min(bid.quantity, 6) for bid in bids), [])


def _static(name: str) -> File:
    return File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))
