"""The ladder as it runs: it takes submissions in, checks, admits, plays, rates and publishes."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from arena.game.records import Fixture
from arena.io.errors import ArenaError, shortage_of
from arena.ladder.book.book import Book
from arena.ladder.book.tables import ENDED, Action, Order, State
from arena.ladder.check.scheduler import CheckScheduler
from arena.ladder.config import Config, check_terms, file_as_json, load_config, sandbox_of
from arena.ladder.disk import Pruner, Room
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, Heartbeat, locked
from arena.ladder.guests import GuestKeeper
from arena.ladder.pages.site import LadderState, Publisher, publish_closed
from arena.ladder.pages.standings import StandingsKeeper
from arena.ladder.season.field import Field, carry_out, delete_account
from arena.ladder.season.live_games import LiveGames
from arena.ladder.season.season import Season, commitment_of, open_season, reveal
from arena.ladder.status import HealthNotes
from arena.league.play.dispatcher import RunListener
from arena.league.play.software import identity

_TICK = 0.25
"""Seconds between looks at what came in, while games are played."""
_IDLE = 1.0
"""Seconds between looks while the ladder sleeps."""
_PUT_OFF = 10.0
"""Seconds until the server of a language model that failed is asked again."""
_SHORT = 2.0
"""Seconds until the machine is asked again for what it lacked."""
_NOTE = 5.0
"""Seconds between notes of how far the tables are, for `status`."""
_CONFIG = "config"
"""The fact that has the keys of ladder.yaml as they were read last, as JSON."""
_SOFTWARE = "arena"
"""The fact that has the software that played last."""
_TIDY = 60.0
"""Seconds between looks for what is no longer needed."""

Say = Callable[[str], None]


def run_ladder(
    folder: Folder,
    stop: threading.Event,
    say: Say,
    beside: AbstractContextManager[None] | None = None,
) -> None:
    """Run a ladder until it is told to stop: then what is being played is finished and stored.

    `beside` is entered before the first game and left after the last. Raises ArenaError if another
    ladder runs there, if ladder.yaml is wrong or changed what decides games, or if the sandbox does
    not work.
    """
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        book = stack.enter_context(Book(folder, writes=True))
        stack.enter_context(_end_noted(book))
        config = load_config(folder.config)
        sandbox_of(config)
        Heartbeat(folder).beat()
        door = stack.enter_context(Door(folder))
        _note_config(book, config)
        stack.enter_context(beside or nullcontext())
        ladder = _Ladder(folder, config, book, door, stop, say)
        stack.callback(ladder.end)
        ladder.run()


@contextmanager
def _end_noted(book: Book) -> Iterator[None]:
    """Note how the ladder comes to its end, for monitors of its door."""
    book.set_fact(ENDED, "it was killed, or the machine was stopped")
    why = "an internal error, of which the log of the ladder has more"
    try:
        yield
        why = "it was told to stop"
    except ArenaError as error:
        why = error.what
        raise
    finally:
        with suppress(ArenaError):  # the file may be what failed
            book.set_fact(ENDED, why)


def _note_config(book: Book, config: Config) -> None:
    """Note which ladder.yaml was read, and what is otherwise than in the one before."""
    now = file_as_json(config.file)
    before: dict[str, str] = json.loads(book.facts().get(_CONFIG, "null")) or now
    changed = [
        f"; {key} was {before.get(key, 'not there')}, is {value}"
        for key, value in now.items()
        if before.get(key) != value
    ]
    hashed = sha256(config.path.read_bytes()).hexdigest()
    with book.together():
        book.note(f"{identity()} read ladder.yaml, SHA-256 {hashed}{''.join(changed)}")
        book.set_fact(_CONFIG, json.dumps(now))


class _Errors:
    """Says what goes wrong, and counts it."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.count = 0

    def __call__(self, text: str) -> None:
        """Say what went wrong."""
        self.count += 1
        self._say(text)


class _Notes:
    """Says what is wrong once, not each time that it is tried again."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._said: set[str] = set()

    def note(self, text: str) -> None:
        """Say something that was not said since the last `clear`."""
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    def unless_short(self, work: Callable[[], bool]) -> bool:
        """Return what the work returns; if the machine lacks something for it, say so: False."""
        try:
            return work()
        except Exception as error:
            if not (shortage := shortage_of(error)):
                raise
            self.note(str(shortage))
            return False

    def clear(self) -> None:
        """Take note that nothing is wrong."""
        self._said.clear()


class _Inbox:
    """Takes in what came through the door: submissions, and orders of authors and operators."""

    def __init__(self, folder: Folder, book: Book, door: Door) -> None:
        self._folder = folder
        self._book = book
        self._door = door
        self._seen: int | None = None
        """The state of the door when it was looked at last."""
        self.closing: Order | None = None
        """The order to close the season, which is answered once that is done."""
        self.obeyed = False
        """Whether an order may have changed which versions play."""
        self.forgot = False
        """Whether the account of an author was deleted."""

    def look(self) -> None:
        """Enter new submissions and carry out new orders, up to one that closes the season."""
        changes = self._door.changes()
        if changes == self._seen:
            return
        for upload in self._door.uploads(self._book.last_upload()):
            why = f"{upload.version} sha256 {upload.sha256}, {upload.bytes} bytes"
            self._book.add(upload, State.QUEUED, why)
        self._book.enter_deeds(self._door.deeds(self._book.last_deed()))
        for order in self._door.orders(self._book.last_order()):
            if order.what is Action.CLOSE_SEASON:
                self.closing = order
                break
            if order.what is Action.FORGET:
                delete_account(order, self._folder, self._door, self._book)
                self.forgot = True
            else:
                carry_out(order, self._book)
            self.obeyed = True
        self._seen = changes

    def closed(self) -> None:
        """Take note that the season is closed, and go on with the orders that waited for it."""
        self.closing = None
        self._seen = None
        self.look()


class _OpenSeason(NamedTuple):
    """A season while it is played."""

    season: Season
    pruner: Pruner
    live: LiveGames | None
    """The game that is shown; None on a cluster, whose workers share no files with the ladder."""


class _Beside:
    """Does what is due beside the games: checks, publications, tables of visitors, pruning."""

    def __init__(self, folder: Folder, config: Config, book: Book, say: Say) -> None:
        self._folder = folder
        self._config = config
        self._book = book
        self.say = _Errors(say)
        """Says what goes wrong."""
        self._checks = CheckScheduler(folder, config, book)
        self._publisher = Publisher(folder, config, book, self.say)
        self._standings = StandingsKeeper(folder, config, self.say)
        self.guests = GuestKeeper(folder, config, book)
        self._health = HealthNotes(folder, book)
        self.heartbeat = Heartbeat(folder)
        self.room = Room(folder, say)
        self._open: _OpenSeason | None = None
        self._next_note = 0.0
        self._next_tidying = 0.0

    def use(self, config: Config) -> None:
        """Go by a ladder.yaml that was read anew."""
        self._config = config
        for keeper in (self._checks, self._publisher, self._standings, self.guests):
            keeper.config = config

    @contextmanager
    def season(self, season: Season, number: int) -> Iterator[None]:
        """Show a season and keep its logs within their caps as long as the block lasts."""
        folder = self._folder.season(number)
        live = None
        if not self._config.file.cluster:
            live = LiveGames(folder, season, self._book, self._config.league.variants)
        pruner = Pruner(self._folder, self._config.caps, season.store)
        self._standings.season = number
        self._publisher.publish_at_once()
        self._open = _OpenSeason(season, pruner, live)
        try:
            yield
        finally:
            self._open = None
            # They read the store: meanwhile it cannot be closed whole.
            self._publisher.stop()
            self._standings.stop()

    def stop(self) -> None:
        """End what goes on without a season."""
        self._checks.stop()
        self.guests.stop()

    def watched(self, fixture: Fixture) -> str:
        """Return the file for the events of a game that everybody may watch, or ""."""
        live = self._open and self._open.live
        return live.file_for(fixture) if live else ""

    def publish_at_once(self) -> None:
        """Publish what is stored now without the usual pause."""
        self._publisher.publish_at_once()

    def check(self) -> bool:
        """Take the results of checks in and begin the next; returns whether a version may play."""
        return self._checks.step()

    def step(self, now: float) -> None:
        """Do all else that is due, by the monotonic clock."""
        self.heartbeat.beat()
        self.guests.step()
        if open_ := self._open:
            season = open_.season
            state = LadderState(season.games.total(), self._book.last_news())
            self._publisher.step(state, asleep=season.asleep)
            if season.games:
                self._standings.step()
            if open_.live:
                open_.live.step()
            if now >= self._next_note:
                self._next_note = now + _NOTE
                self._health.note_divisions(season.divisions())
                next_at = self._publisher.next_at(state)
                self._health.note(self._config, next_at, self.say.count)
            open_.pruner.step(wait=self._publisher.at_work)
            self.room.look(self._config.caps)
        if now >= self._next_tidying:
            self._next_tidying = now + _TIDY
            self._checks.tidy()

    def note_divisions(self, season: Season) -> None:
        """Note how far the tables of a season are."""
        self._health.note_divisions(season.divisions())


class _Play(RunListener):
    """Plays a season, and between fixtures looks after everything else."""

    def __init__(
        self, season: Season, field: Field, inbox: _Inbox, beside: _Beside, stop: threading.Event
    ) -> None:
        self._season = season
        self._field = field
        self._inbox = inbox
        self._beside = beside
        self._stop = stop
        self._play_notes = _Notes(beside.say)
        self._tick_notes = _Notes(beside.say)
        self._next_tick = 0.0

    def until_closed(self) -> None:
        """Play until the season is to be closed or the ladder stops; sleep if nothing is due."""
        room = self._beside.room
        while True:
            self._tick()
            if self._stop.is_set() or (self._inbox.closing and not room.lacks):
                return
            if room.lacks:
                # The field stays: versions that have not begun to meet cannot be compared.
                self._stop.wait(_IDLE)
                continue
            asleep = self._play_notes.unless_short(self._play_field)
            self._field.compare()
            if asleep:
                self._play_notes.clear()
                self._stop.wait(_IDLE)
            elif not self.stop_requested():
                # Fixtures were put off.
                self._stop.wait(_PUT_OFF)

    def to_its_end(self) -> bool:
        """Play what was begun, and begin no more; False if that was not possible now.

        Bots whose language models fail play no more: no server of theirs keeps a season open.
        """
        if not self._play_notes.unless_short(self._take_field):
            self._stop.wait(_IDLE)
            return False
        names, struck = self._field.names(), self._field.struck()
        until = _UntilStopped(self._stop, self._play_notes, self._beside.heartbeat)
        while not self._stop.is_set():
            if self._play_notes.unless_short(partial(self._season.end, names, struck, until)):
                self._field.compare()
                return True
            if left_out := self._season.put_off():
                others = ", ".join(sorted(left_out))
                self.note(f"the season is closed without the tables that are left of {others}")
                names = [name for name in names if name not in left_out]
        return False

    def _play_field(self) -> bool:
        """Play until the field changes or nothing is due; False if fixtures were put off."""
        if not self._take_field():
            return False
        return self._season.play(self._field.names(), self._field.struck(), self)

    def _take_field(self) -> bool:
        """Make the versions of the field ready; False if the ladder was stopped meanwhile."""
        if not self._field.take(self._stop):
            return False
        self._beside.guests.offer(self._field.humans())
        return True

    def watched(self, fixture: Fixture) -> str:
        """Return the file for the events of a game that everybody may watch, or ""."""
        return self._beside.watched(fixture)

    def note(self, text: str) -> None:
        """Say why fixtures are put off."""
        self._play_notes.note(text)

    def stop_requested(self) -> bool:
        """Look after everything else; tell whether the games must pause."""
        self._tick()
        changed = self._field.changed or self._inbox.closing is not None
        return changed or self._stop.is_set() or self._beside.room.lacks != ""

    def _tick(self) -> None:
        now = time.monotonic()
        if now < self._next_tick:
            return
        if self._tick_notes.unless_short(partial(self._look_after, now)):
            self._tick_notes.clear()
            self._next_tick = now + _TICK
        else:
            self._next_tick = now + _SHORT

    def _look_after(self, now: float) -> bool:
        """Do what is due beside the games; True if the machine lacked nothing for it."""
        self._inbox.look()
        if self._inbox.obeyed:
            self._inbox.obeyed = False
            self._field.changed = True
        if self._inbox.forgot:
            self._inbox.forgot = False
            self._beside.publish_at_once()
        if self._beside.check():
            self._field.changed = True
        self._field.judge()
        self._beside.step(now)
        return True


class _UntilStopped(RunListener):
    """Lets games go on until the ladder is told to stop."""

    def __init__(self, stop: threading.Event, notes: _Notes, heartbeat: Heartbeat) -> None:
        self._stop = stop
        self._notes = notes
        self._heartbeat = heartbeat

    def note(self, text: str) -> None:
        """Say why fixtures are put off."""
        self._notes.note(text)

    def stop_requested(self) -> bool:
        """Tell whether the ladder is told to stop."""
        self._heartbeat.beat()
        return self._stop.is_set()


class _Ladder:
    """Plays one season after another."""

    def __init__(
        self,
        folder: Folder,
        config: Config,
        book: Book,
        door: Door,
        stop: threading.Event,
        say: Say,
    ) -> None:
        self._folder = folder
        self._config = config
        self._book = book
        self._stop = stop
        self._say = say
        self._inbox = _Inbox(folder, book, door)
        self._beside = _Beside(folder, config, book, say)

    def run(self) -> None:
        """Play seasons until the ladder is told to stop."""
        self._inbox.look()
        while not self._stop.is_set():
            number = self._begin_season()
            with (
                open_season(self._folder, number, self._config, self._say) as season,
                self._beside.season(season, number),
            ):
                self._check_software(season, number)
                field = Field(season, self._folder, self._config, self._book)
                play = _Play(season, field, self._inbox, self._beside, self._stop)
                ended = False
                while not ended and not self._stop.is_set():
                    play.until_closed()
                    self._beside.note_divisions(season)
                    ended = self._inbox.closing is not None and play.to_its_end()
            if self._inbox.closing and ended:
                self._close_season(number, self._inbox.closing)

    def end(self) -> None:
        """End what goes on beside the games."""
        self._beside.stop()

    def _begin_season(self) -> int:
        """Return the number of the season that is open, or of a new one.

        Raises ArenaError if ladder.yaml changed what decides games, unless the season is to be
        closed.
        """
        seasons = self._book.seasons()
        if seasons and seasons[-1].closed_at is None:
            if not self._inbox.closing:
                check_terms(self._config, seasons[-1].terms)
            return seasons[-1].number
        number = len(seasons) + 1
        commitment = commitment_of(self._folder.season(number))
        self._book.open_season(number, self._config.file.terms(), commitment)
        self._say(f"season {number}: SHA-256 of its master seed: {commitment}")
        for version in self._book.versions({State.RATED}):
            self._book.set_state(version, State.PROVISIONAL, f"season {number} begins")
        return number

    def _check_software(self, season: Season, number: int) -> None:
        """Make sure that other software than before plays the games of a season as they were.

        Raises ArenaError if it does not.
        """
        before, now = self._book.facts().get(_SOFTWARE, ""), identity()
        if before == now:
            return
        if games := season.check_games(before):
            same = f"{games} of its games were replayed and are the same"
            text = f"season {number} goes on with {now}, not {before or 'unknown'}: {same}"
            self._book.note(text)
            self._say(text)
        self._book.set_fact(_SOFTWARE, now)

    def _close_season(self, number: int, order: Order) -> None:
        """Publish a season with its seed and its root, and answer the order to close it."""
        folder = self._folder.season(number)
        seed, root = reveal(folder)
        publish_closed(self._folder, number, self._config.caps.replays)
        folder.chmod(0o755)
        closed = f"season {number} is closed; its root: {root}"
        with self._book.together():
            self._book.close_season(number, seed, root)
            self._book.answer(order, closed, done=True)
        self._say(closed)
        self._config = load_config(self._folder.config)
        _note_config(self._book, self._config)
        self._beside.use(self._config)
        self._inbox.closed()
