"""The report of a store, once or whenever the store changes."""

import ctypes
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from arena.game.records import Conditions, QuarantinedFixture, RatingsInfo
from arena.io.errors import ArenaError
from arena.io.files import replacing
from arena.io.garbage import gc_of_new, without_gc
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.failures import damaged_fixtures
from arena.league.store.store import Store
from arena.league.terms.config import given_seed, load_report_part
from arena.league.terms.master_seed import is_salted, seeds_of, withheld
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.pseudonyms import Pseudonyms, secret_of, who_is_who
from arena.publish.replays import NEWEST, ReplayChoice
from arena.publish.series import Tell
from arena.publish.site import publish
from arena.publish.site_folder import FRONT, is_whole
from arena.publish.site_state import StoreState, model_use
from arena.publish.stored.cache import CacheEntry
from arena.publish.stored.stored_games import StoredGames, checking, stored_games, summaries_of
from arena.ratings.board.memory import pack, unpack
from arena.ratings.league_ratings import Ratings, by_division, rate_results

_ENTRY = "report"
_encode = msgspec.msgpack.Encoder().encode


class Asked(Struct, frozen=True):
    """What a report shows, and where it is written."""

    options: RatingsInfo
    site: Path
    replays: ReplayChoice
    names: Pseudonyms | None = None
    """Those that bots and authors are called by; None for their own."""
    url: str = ""
    """Where the site will be published, if that is known."""
    enter: str = ""
    """Where readers learn how to enter a bot, if league.yaml says so."""
    entered: tuple[str, ...] = ()
    """Bots that got their marks before those of the league."""


class Outcome(Struct, frozen=True):
    """What a report says of its store beside the site."""

    root: str
    ratings: Ratings
    """The ratings without their tables of pairs of bots."""
    games: int
    left: int
    """Fixtures that are due and not stored."""
    quarantined: Sequence[QuarantinedFixture]


def without_pairs(ratings: Ratings) -> Ratings:
    """Return the ratings without their tables of pairs, which may be very large."""
    return replace(
        ratings, boards=[replace(one, duels={}, better={}, sure={}) for one in ratings.boards]
    )


def inputs(store: Store, asked: Asked) -> str:
    """Return a digest of all that a report is made of, but for the arena itself."""
    fingerprint = asked.names.fingerprint if asked.names else ""
    shown = asked.options, asked.replays, fingerprint, asked.url, asked.enter, asked.entered
    stored = store.history(), store.quarantined(), sorted(store.without_logs())
    digest = sha256(_encode((shown, stored)))
    for hashes in store.hashes():
        digest.update(_encode(hashes))
    return digest.hexdigest()


def outcome_before(store: Store, asked: Asked, made_of: str) -> Outcome | None:
    """Return the outcome of an earlier report if its site is still what a new one would be.

    Raises ArenaError if something of the store is missing or damaged.
    """
    if not is_whole(asked.site, made_of):
        return None
    with closing(summaries_of(store, store.conditions(), asked.names)) as cache:
        data = cache.read(_ENTRY, made_of.encode())
    if data is None:
        return None
    store.check_complete()
    if damaged := store.damaged_rows(store.positions()):
        raise damaged_fixtures(damaged, store.path)
    return unpack(data, Outcome)


def keep(store: Store, asked: Asked, made_of: str, outcome: Outcome) -> None:
    """Keep the outcome of a report for the next one."""
    with closing(summaries_of(store, store.conditions(), asked.names)) as cache:
        cache.write([CacheEntry(_ENTRY, made_of.encode(), pack(outcome))])


_NOTHING_PLAYED = "nothing was played yet"
_MMAP_THRESHOLD, _LARGE = -3, 8 << 20
"""The option of glibc's mallopt, and the bytes from which on memory is not taken from the heap.

Arrays of some thousand games, with which ratings compute, have fewer."""
_TRIM_THRESHOLD, _SPARE = -1, 32 << 20
"""The option, and the bytes of free memory that the heap may keep at its end."""
POLL = 0.5
"""Seconds between looks at the store's files."""


class ReportRequest(Struct, frozen=True):
    """Which store to report on, and how."""

    league: Path
    """The league.yaml, of which only what concerns a report is read; it may be missing."""
    store: Path
    site: Path
    replays: ReplayChoice = NEWEST
    anonymous: bool = False
    """Whether bots and authors are called by pseudonyms, the same in every report."""
    named: tuple[str, ...] = ()
    """The bots that keep their names all the same."""
    key: Path | None = None
    """Where to write, as CSV, who is who; the report is anonymous then."""

    url: str = ""
    """Where the site will be published, if that is known."""
    entered: tuple[str, ...] = ()
    """Bots that got their marks before those of the league."""

    @property
    def hides_names(self) -> bool:
        """Whether the report is anonymous."""
        return self.anonymous or self.key is not None

    def reveals_seed(self) -> bool:
        """Tell whether readers of league.yaml, or who guess a seed, can find out who is who."""
        return self.hides_names and reveals_seed(self.league, self.store)


class Report(Struct, frozen=True):
    """A report that was written."""

    front_page: Path
    root: str
    ratings: Ratings
    """The ratings without their tables of pairs of bots."""
    games: int
    left: int
    """Fixtures that are due and not stored; none if the league is finished."""
    quarantined: Sequence[QuarantinedFixture]

    @property
    def faults(self) -> dict[str, int]:
        """How often each bot faulted that did, the most first."""
        counts = Counter[str]()
        for board in self.ratings.boards:
            counts.update({row.bot: row.faults for row in board.rows if row.faults})
        return dict(counts.most_common())

    def data(self) -> dict[str, object]:
        """Return what `--json` prints of it."""
        boards = [
            {
                "variant": board.variant,
                "players": board.players,
                "blocks": board.blocks,
                "intervals_by": board.method,
                "dice_gain": board.dice_gain,
                "luck_slope": board.luck_slope,
                "rows": board.rows,
            }
            for board in self.ratings.boards
        ]
        return {
            "site": str(self.front_page),
            "root": self.root,
            "leaderboards": boards,
            "overall": self.ratings.overall,
            "suspicions": self.ratings.suspicions,
            "quarantined": self.quarantined,
        }


def report(request: ReportRequest, tell: Tell = str) -> Report:
    """Write the report of a store; raises ArenaError if nothing was played yet.

    `tell` hears how far it is.
    """
    with Store(request.store) as store:
        conditions = store.league
        if conditions is None:
            raise ArenaError(_NOTHING_PLAYED, str(request.store), f"arena run {request.league}")
        names = pseudonyms(request, conditions) if request.hides_names else None
        if names and request.key:
            _write_key(request.key, names)
        options, enter = conditions.ratings, ""
        if request.league.is_file():  # these may be asked for otherwise after the games
            part = load_report_part(request.league, [bot.name for bot in conditions.bots])
            options, enter = part.ratings, part.enter
        asked = Asked(
            options, request.site, request.replays, names, request.url, enter, request.entered
        )
        return write_report(store, partial(schedule_of, store), asked, tell)


def pseudonyms(request: ReportRequest, conditions: Conditions) -> Pseudonyms:
    """Return how a report calls the bots of a league, if it hides their names."""
    return Pseudonyms(conditions, secret_of(request.store), request.named)


def reveals_seed(league: Path, store: Path) -> bool:
    """Tell whether pseudonyms can be found out by the seed: who can read or guess it."""
    if not (league.is_file() and store.is_file()):
        return False
    with Store(store) as stored:
        played = stored.league
    seeds = seeds_of(played) if played else set[str]()
    return given_seed(league) in seeds or not all(map(is_salted, seeds))


def watch(
    request: ReportRequest,
    telling: Callable[[], AbstractContextManager[Tell]] = lambda: nullcontext(str),
) -> Iterator[Report | None]:
    """Write the report now and after every change of the store, until the league is finished.

    Yields each report, and None while nothing was played yet; rests at least half of the time.
    `telling` begins to tell how far a report is, and ends with it.
    """
    last: Report | None = None
    while True:
        seen, began = _file_state(request.store), time.monotonic()
        try:
            with telling() as tell:
                last = report(request, tell)
        except ArenaError as error:
            if error.what != _NOTHING_PLAYED or last:
                raise
        yield last
        if last and not last.left:
            return
        time.sleep(time.monotonic() - began)
        while _file_state(request.store) == seen:
            time.sleep(POLL)


def write_report(
    store: Store, draw: Callable[[], Schedule], asked: Asked, tell: Tell = str
) -> Report:
    """Write the report of what counts in a store, unless nothing changed since the last one.

    `draw` returns the schedule; `tell` hears how far it is.
    """
    made_of = inputs(store, asked)
    outcome = outcome_before(store, asked, made_of)
    if outcome is None:
        outcome = _write(store, draw, asked, made_of, tell)
        keep(store, asked, made_of, outcome)
    return Report(asked.site / FRONT, *astuple(outcome))


def _write(
    store: Store, draw: Callable[[], Schedule], asked: Asked, made_of: str, tell: Tell
) -> Outcome:
    names = asked.names
    _return_freed_memory()
    with ExitStack() as opened:
        with without_gc():
            schedule = draw()
            conditions, counts = schedule.conditions, schedule.counts
            published, options = conditions, asked.options
            if names:
                published, options = names.info(conditions), names.ratings(options)
            refuse_damaged = opened.enter_context(checking(store, conditions))
            games = opened.enter_context(stored_games(store, conditions, counts, names, tell))
            state = replace(
                _state(store, schedule, games, names),
                inputs=made_of,
                enter=asked.enter,
                entered=asked.entered,
            )
            del schedule, counts  # they take as much memory as all results, and ratings take much
            tell("ratings")
            divisions = by_division(games.results)
            ratings = rate_results(divisions, options, games.cached, games.begin, games.beside)
            refuse_damaged()
        tell("pages")
        opened.enter_context(gc_of_new())
        publish(
            withheld(published) if state.left or conditions.endless else published,
            ratings,
            games,
            asked.site,
            state=state,
            replays=asked.replays,
            anonymous=names is not None,
            url=asked.url,
        )
    count = sum(len(result.games) for result in games.results)
    return Outcome(games.root, without_pairs(ratings), count, state.left, state.quarantined)


def _state(
    store: Store, schedule: Schedule, games: StoredGames, names: Pseudonyms | None
) -> StoreState:
    """Return the state of a store, under pseudonyms if there are any; the progress is not kept."""
    progress, conditions = LeagueProgress(schedule), schedule.conditions
    # Only with `until` or a playoff the games decide what is due; to unpack them takes long.
    decides = conditions.until or conditions.playoff
    for result in store.results() if conditions.playoff else games.results:
        progress.add(result if decides else replace(result, games=()))
    left, race = len(progress.due()), progress.playoff()
    playoff = race.verdict() if race else None
    quarantined = [entry for entry in store.quarantined() if schedule.belongs(entry.fixture.id)]
    if names:
        quarantined = [names.quarantined(entry) for entry in quarantined]
        playoff = names.playoff(playoff) if playoff else None
    goes_on = conditions.endless
    models = model_use(store, schedule.belongs, names) if conditions.models else {}
    return StoreState(games.root, left, quarantined, playoff, goes_on=goes_on, models=models)


def _write_key(path: Path, names: Pseudonyms) -> None:
    try:
        with replacing(path, 0o600) as file:
            file.write(who_is_who(names).encode())
    except OSError as error:
        what = f"the key cannot be written: {error.strerror or error}"
        hint = "name a file in a folder that you may write to"
        raise ArenaError(what, str(path), hint) from error


def _file_state(store: Path) -> tuple[tuple[int, int], ...]:
    """Return when the store's file and SQLite's log were last written, and their sizes in bytes."""
    state = []
    for path in (store, store.with_name(f"{store.name}-wal")):
        with suppress(OSError):
            status = path.stat()
            state.append((status.st_mtime_ns, status.st_size))
    return tuple(state)


def _return_freed_memory() -> None:
    """Let memory of arrays go back to the system once they are freed.

    By default glibc takes ever larger ones from the heap, which keeps it between others.
    """
    with suppress(AttributeError, OSError):  # of another C library
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _LARGE)
        library.mallopt(_TRIM_THRESHOLD, _SPARE)
