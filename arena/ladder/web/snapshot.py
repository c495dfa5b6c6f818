"""How a ladder is at a moment, read once for all who listen, and what each is told of it."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arena.io.errors import ArenaError
from arena.io.files import changed_at
from arena.io.text import stamp
from arena.ladder.book.book import Book
from arena.ladder.book.shown import LIVE_GAME_FACT, Live, published_boards, read_live
from arena.ladder.book.tables import (
    CHECKS,
    ENDED,
    PLAYING,
    WAITING,
    DivisionProgress,
    Event,
    Progress,
    State,
    Version,
)
from arena.ladder.check.queue import Waiting, in_turn
from arena.ladder.door.api import (
    LadderInfo,
    LogLine,
    MyVersion,
    PlayedTable,
    Playing,
    RatingInfo,
    StandingsInfo,
    StandingsNews,
    VersionInfo,
)
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, hung, is_running
from arena.ladder.web.live_game import LiveNow, game_step, live_now

_divisions = msgspec.json.Decoder(list[DivisionProgress]).decode
_checks = msgspec.json.Decoder(list[Progress]).decode
_NOT_STARTED = "it has not been started yet"
_POLL = 0.5
"""Seconds between looks."""
_KEPT = 2_000
"""Lines of the log that are kept for listeners."""


class Snapshot(NamedTuple):
    """How a ladder was."""

    key: tuple[object, ...]
    """It differs from that of another moment if anything but the game shown does."""
    running: bool
    why_down: str
    """Why no ladder runs, or for how long it has hung; "" if all is well."""
    season: int | None
    divisions: Sequence[DivisionProgress]
    versions: Mapping[str, Version]
    """By their names in small letters."""
    queue: Sequence[str]
    """The names of the versions that wait, in the order in which they are checked."""
    waits_since: float | None
    """When the submission came that has waited longest."""
    last_event: int
    checks: Mapping[str, Progress]
    """How far the checks are that go on, by version."""
    ratings: Mapping[str, Sequence[RatingInfo]]
    live: Live | None
    """The standings of the season as it is played; None before its first games."""
    game: LiveNow
    """The game that is shown."""

    def oldest(self) -> float | None:
        """Return the age of the submission that has waited longest, in seconds."""
        return None if self.waits_since is None else max(0.0, time.time() - self.waits_since)

    def version(self, name: str) -> Version | None:
        """Return a version by `name@number`."""
        return self.versions.get(name.lower())


def look(folder: Folder, before: Snapshot | None) -> Snapshot:
    """Read how a ladder is; returns `before` if nothing changed since."""
    with Book(folder) as book, Door(folder) as door, book.snapshot():
        facts = book.facts()
        arrived = door.uploads(book.last_upload())
        running = is_running(folder)
        last_event = book.last_event()
        published = facts.get("published_at", "")
        down = hung(folder) if running else facts.get(ENDED, _NOT_STARTED)
        divisions = facts.get("divisions", "[]")
        checks = facts.get(CHECKS, "[]")
        live_changed = changed_at(folder.live)
        key = last_event, len(arrived), divisions, checks, running, down, published, live_changed
        shown_before = before.game if before else None
        game = live_now(facts.get(LIVE_GAME_FACT, ""), shown_before, folder.site)
        if before and before.key == key:
            return before if game == before.game else before._replace(game=game)
        versions = door.versions(book)
        seasons = book.seasons()
        turns = book.last_check()
    standings = read_live(folder) if live_changed else None
    waiting = [version for version in versions if version.state in WAITING]
    season = seasons[-1].number if seasons else None
    return Snapshot(
        key=key,
        running=running,
        why_down=down,
        season=season,
        divisions=_divisions(divisions),
        versions={version.name.lower(): version for version in versions},
        queue=_in_turn(waiting, turns),
        waits_since=min((version.received_at for version in waiting), default=None),
        last_event=last_event,
        checks={check.version: check for check in _checks(checks)},
        ratings=_ratings(folder.site) if published else {},
        live=standings if standings and standings.season == season else None,
        game=game,
    )


def _in_turn(waiting: Sequence[Version], last_check: Mapping[str, int]) -> list[str]:
    """Return the names of those that wait, in the order of their checks."""
    names = {version.id: version.name for version in waiting}
    checking = [version for version in waiting if version.state is State.CHECKING]
    queue = [
        Waiting(version.id, version.author) for version in waiting if version.state is State.QUEUED
    ]
    turns = in_turn(queue, last_check, [version.author for version in checking])
    begun = [version.name for version in checking]
    return begun + [names[turn.version] for turn in turns]


def _ratings(site: Path) -> dict[str, list[RatingInfo]]:
    """Return how each version stands on the site that is published."""
    ratings: dict[str, list[RatingInfo]] = {}
    for division, board in published_boards(site):
        for row in board.rows:
            rating = RatingInfo(
                variant=board.variant,
                players=board.players,
                games=row.games,
                beats_average=row.beats_average,
                rank=row.rank,
                best=row.best,
                worst=row.worst,
                of=len(board.rows),
                page=f"site/tables/{division}.html",
            )
            ratings.setdefault(row.bot, []).append(rating)
    return ratings


def version_info(now: Snapshot, version: Version) -> VersionInfo:
    """Return what is told of a version."""
    queue = list(now.queue)
    is_checked = version.state is State.CHECKING
    return VersionInfo(
        version=version.name,
        bot=version.bot,
        number=version.number,
        author=version.author,
        state=version.state,
        why=version.why,
        since=stamp(version.since),
        received_at=stamp(version.received_at),
        sha256=version.sha256,
        place=queue.index(version.name) if version.name in queue else None,
        oldest=now.oldest(),
        running=now.running,
        note=version.note,
        check=now.checks.get(version.name) if is_checked else None,
        ratings=now.ratings.get(version.name, ()),
    )


def everybody_events(now: Snapshot, name: str) -> Iterator[Struct]:
    """Yield what everybody is told whenever it changes, of the ladder of a name."""
    yield ladder_info(now, name)
    if now.live:
        yield standings_news(now.live)
    if step := game_step(now.game):
        yield step


def author_events(now: Snapshot, name: str) -> Iterator[Struct]:
    """Yield what the author of a version is told whenever it changes, beside the log."""
    if version := now.version(name):
        yield version_info(now, version)


def log_line(event: Event) -> LogLine:
    """Return what the author of a version is told of a line of its log."""
    return LogLine(n=event.n, at=stamp(event.at), text=event.text)


def ladder_info(now: Snapshot, name: str) -> LadderInfo:
    """Return what everybody is told of the ladder."""
    versions = now.versions.values()
    return LadderInfo(
        name=name,
        running=now.running,
        season=now.season,
        divisions=now.divisions,
        states=dict(Counter(version.state for version in versions)),
        queue=len(now.queue),
        oldest=now.oldest(),
        playing=[
            Playing(version=version.name, author=version.author, state=version.state)
            for version in versions
            if version.state in PLAYING
        ],
    )


def standings_news(live: Live) -> StandingsNews:
    """Return what everybody is told whenever games were played."""
    return StandingsNews(
        season=live.season,
        at=stamp(live.at),
        games=live.games,
        games_per_minute=live.per_minute,
        recent=[PlayedTable(**{**asdict(table), "at": stamp(table.at)}) for table in live.recent],
    )


def standings_info(live: Live) -> StandingsInfo:
    """Return the standings as everybody is told them."""
    return StandingsInfo(**asdict(standings_news(live)), rows=live.rows)


def versions_of(now: Snapshot, author: str) -> list[MyVersion]:
    """Return the versions of an author, the newest first."""
    mine = [version for version in now.versions.values() if version.author == author]
    return [
        MyVersion(version=version.name, state=version.state, why=version.why, note=version.note)
        for version in mine[::-1]
    ]


class Watch:
    """Looks at the ladder and wakes those who listen when something changed."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.now: Snapshot = look(folder, None)
        self._lines = deque[Event](maxlen=_KEPT)
        self._since = self.now.last_event
        """The line of the log after which all are kept."""
        self._changed = asyncio.Event()
        self.stopped = False

    async def run(self) -> None:
        """Look until it is cancelled."""
        while True:
            # What cannot be read now is read later: pages show what was read last.
            with suppress(ArenaError):
                await self._step()
            await asyncio.sleep(_POLL)

    async def _step(self) -> None:
        before = self.now
        now = await asyncio.to_thread(look, self._folder, before)
        if now is before:
            return
        # The log may have grown since the last look: what was read then is not read again.
        last = self._lines[-1].n if self._lines else before.last_event
        lines = await asyncio.to_thread(self._read, last)
        self._lines.extend(lines)
        if len(self._lines) == _KEPT:
            self._since = self._lines[0].n
        self.now = now
        self._wake()

    def stop(self) -> None:
        """Wake those who listen for the last time."""
        self.stopped = True
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def look_again(self) -> Snapshot:
        """Return how the ladder is at this moment, for what cannot wait for the next look."""
        return look(self._folder, self.now)

    async def changed(self, seen: Snapshot, seconds: float) -> None:
        """Wait until the ladder is otherwise than it was seen, or for some seconds."""
        if self.now is seen and not self.stopped:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)

    async def lines(self, version: str, after: int) -> Sequence[Event]:
        """Return the log of a version after a line."""
        if after < self._since:
            return await asyncio.to_thread(self._read, after, version)
        return [line for line in self._lines if line.n > after and line.version == version]

    def _read(self, after: int, version: str = "") -> Sequence[Event]:
        with Book(self._folder) as book:
            return book.events(version, after)
