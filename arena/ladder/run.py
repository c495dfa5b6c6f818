"""The ladder as it runs: it takes submissions in, checks, admits, plays, rates and publishes."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial

from arena import __version__
from arena.game.records import Fixture
from arena.io.errors import ArenaError, ShortageError, shortage_of
from arena.ladder.book.book import Book
from arena.ladder.book.tables import (
    PLAYING,
    Action,
    Order,
    State,
    Version,
)
from arena.ladder.check.scheduler import CheckScheduler
from arena.ladder.config import Config, check_terms, load_config, sandbox_of
from arena.ladder.disk import Pruner, Room
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, locked
from arena.ladder.guests import GuestKeeper
from arena.ladder.pages.site import Publisher, publish_closed
from arena.ladder.pages.standings import StandingsKeeper
from arena.ladder.season.field import carry_out, delete_account, faults_too_often, settle
from arena.ladder.season.live_games import LiveGames
from arena.ladder.season.season import Season, commitment_of, open_season, reveal
from arena.ladder.status import HealthNotes
from arena.league.play.dispatcher import RunListener

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

    What goes on beside it begins before the first game and ends with it. Raises ArenaError if
    another ladder runs there, if ladder.yaml is wrong or changed what decides games, or if the
    sandbox does not work.
    """
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        config = load_config(folder.config)
        sandbox_of(config)
        book = stack.enter_context(Book(folder, writes=True))
        door = stack.enter_context(Door(folder))
        stack.enter_context(beside or nullcontext())
        ladder = _Ladder(folder, config, book, door, stop, say)
        stack.callback(ladder.end)
        ladder.run()


class _Ladder(RunListener):
    """Plays, and between fixtures looks after everything else."""

    def __init__(
        self,
        folder: Folder,
        config: Config,
        book: Book,
        door: Door,
        stop: threading.Event,
        say: Say,
    ) -> None:
        self._folder, self._config, self._stop = folder, config, stop
        self._book, self._door, self._say = book, door, say
        self._notes, self._beside = Notes(say), Notes(say)
        self._checks = CheckScheduler(folder, config, book)
        self._publisher = Publisher(folder, config, book, say)
        self._health = HealthNotes(folder, book)
        self._guests = GuestKeeper(folder, config, book)
        self._standings = StandingsKeeper(folder, config, say)
        self._pruner: Pruner | None = None
        self._room = Room(folder, say)
        self._season: Season | None = None
        self._live: LiveGames | None = None
        self._field: list[Version] = []
        self._field_changed = True
        self._closing: Order | None = None
        self._seen: int | None = None
        """The state of the door that was looked at."""
        self._next_tick = self._next_note = self._next_tidying = 0.0

    def run(self) -> None:
        """Play one season after another."""
        self._look_at_door()
        while not self._stop.is_set():
            number = begin_season(
                self._folder, self._book, self._config, self._say, closing=self._closing is not None
            )
            self._standings.season = number
            season = open_season(self._folder, number, self._config, self._say)
            with season as self._season:
                self._pruner = Pruner(self._folder, self._config.caps, self._season.store)
                # Another version of the arena may play its games otherwise.
                if self._book.facts().get("arena") not in {None, __version__}:
                    self._season.check_games()
                self._book.set_fact("arena", __version__)
                if not self._config.file.cluster:  # its workers do not share our files
                    self._live = LiveGames(self._folder.season(number), self._season, self._book)
                self._play(self._season)
                self._health.note_divisions(self._season.divisions())
                ended = self._closing is not None and self._end(self._season)
                self._stop_reading()
            self._season = self._pruner = self._live = None
            if self._closing and ended:
                self._close_season(number, self._closing)

    def end(self) -> None:
        """End what goes on beside the games."""
        self._checks.stop()
        self._stop_reading()
        self._guests.stop()

    def _stop_reading(self) -> None:
        """End what reads the store: meanwhile it cannot be closed whole."""
        self._publisher.stop()
        self._standings.stop()

    def watched(self, fixture: Fixture) -> str:
        """Return the file for the events of a game that everybody may watch, or ""."""
        return self._live.file_for(fixture) if self._live else ""

    def note(self, text: str) -> None:
        """Say why fixtures are put off."""
        self._notes.note(text)

    def stop_requested(self) -> bool:
        """Look after everything else; tell whether the games must pause."""
        self._tick()
        changed = self._field_changed or self._closing is not None
        return changed or self._stop.is_set() or self._room.lacks != ""

    # ------------------------------------------------------------ seasons

    def _close_season(self, number: int, order: Order) -> None:
        close_season(self._folder, self._book, number, order, self._config.caps.replays, self._say)
        self._closing, self._field_changed = None, True
        self._take_config(load_config(self._folder.config))
        self._look_at_door()

    def _take_config(self, config: Config) -> None:
        self._config = self._checks.config = self._publisher.config = config

    def _play(self, season: Season) -> None:
        """Play until the season is closed or the ladder stopped; sleep while nothing is due."""
        while True:
            self._tick()
            if self._stop.is_set() or (self._closing and not self._room.lacks):
                return
            if self._room.lacks:
                # The field stays: versions that have not begun to meet cannot be compared.
                self._stop.wait(_IDLE)
                continue
            asleep = self._notes.unless_short(
                lambda: self._take_field(season) and season.play(*self._names(), self)
            )
            self._compare(season)
            if asleep:
                self._notes.clear()
                self._stop.wait(_IDLE)
            elif not self.stop_requested():
                # Fixtures were put off.
                self._stop.wait(_PUT_OFF)

    def _end(self, season: Season) -> bool:
        """Play what was begun in a season that is to be closed; False if it is not yet over."""
        if not self._notes.unless_short(lambda: self._take_field(season)):
            self._stop.wait(_IDLE)
            return False
        if not play_to_its_end(season, *self._names(), self._stop, self._notes):
            return False
        self._compare(season)
        return True

    def _names(self) -> tuple[list[str], list[str]]:
        """Return the names of the versions that play, and of those that are struck."""
        struck = self._book.versions({State.STRUCK})
        return [version.name for version in self._field], [version.name for version in struck]

    def _take_field(self, season: Season) -> bool:
        """Make the versions ready that play; False if it was stopped before all were.

        One that cannot be started any more rests.
        """
        self._field_changed = False
        for version in self._book.versions(PLAYING):
            if self._stop.is_set():
                return False
            if not season.is_ready(version):
                try:
                    season.enter(version, self._folder.version(version.digest))
                except ShortageError:
                    raise
                except ArenaError as error:
                    why = f"it cannot be started any more: {error}"
                    self._book.set_state(version, State.RESTING, why)
        self._field = self._book.versions(PLAYING)
        self._guests.offer((one.name, season.humans(one.name)) for one in self._field)
        return True

    # ------------------------------------------------------------ beside the games

    def _tick(self) -> None:
        now = time.monotonic()
        if now < self._next_tick:
            return
        self._next_tick = now + _TICK
        if self._beside.unless_short(lambda: self._look_after(now)):
            self._beside.clear()
        else:
            self._next_tick = now + _SHORT
            self._seen = None

    def _look_after(self, now: float) -> bool:
        """Do what is due; True if the machine lacked nothing for it."""
        if self._door.changes() != self._seen:
            self._look_at_door()
        if self._checks.step():
            self._field_changed = True
        self._judge()
        self._guests.step()
        if self._season:
            self._show(self._season, now)
            self._look_at_disk()
        if now >= self._next_tidying:
            self._next_tidying = now + _TIDY
            self._checks.tidy()
        return True

    def _show(self, season: Season, now: float) -> None:
        """Publish what was played, and note how the ladder is, as far as it is due."""
        state = season.games.total(), self._book.last_event()
        self._publisher.step(state)
        if season.games:
            self._standings.step()
        if self._live:
            self._live.step()
        if now >= self._next_note:
            self._next_note = now + _NOTE
            self._health.note_divisions(season.divisions())
            self._health.note(self._config, self._publisher.next_at(state))

    def _look_at_disk(self) -> None:
        """Prune what is over its cap, and stop playing if there is no room for more."""
        if self._pruner:
            self._pruner.step(wait=self._publisher.at_work)
        self._room.look(self._config.caps)

    def _look_at_door(self) -> None:
        self._seen = self._door.changes()
        for upload in self._door.uploads(self._book.last_upload()):
            why = f"{upload.version} sha256 {upload.sha256}, {upload.bytes} bytes"
            self._book.add(upload, State.QUEUED, why)
        for order in self._door.orders(self._book.last_order()):
            if order.what is Action.CLOSE_SEASON:
                self._closing = order  # answered when it is done: later orders wait for it
                return
            if order.what is Action.FORGET:
                delete_account(order, self._folder, self._door, self._book)
            else:
                carry_out(order, self._book)
            self._field_changed = True

    def _compare(self, season: Season) -> None:
        """Let versions rest that have met the next one, or the next one if it is worse."""
        named = {version.name: version for version in self._field}
        for new, old, result in season.compared(named):
            keep = self._config.file.keep
            rests = settle(self._book, named[new], named[old], result, keep)
            self._field = [version for version in self._field if version.id != rests.id]
            self._field_changed = True

    def _judge(self) -> None:
        """Move versions on that have met the one before, played enough, or faulted too often."""
        if self._season is None:
            return
        self._compare(self._season)
        enough = self._config.file.ratings.provisional
        for number, version in enumerate(self._field):
            games = self._season.games[version.name]
            faulted = self._season.faulted[version.name]
            if faults_too_often(games, faulted):
                why = f"it faulted in {faulted} of {games} games"
                self._book.set_state(version, State.RESTING, why, held=True)
                self._field_changed = True
                self._field = [other for other in self._field if other.id != version.id]
                return
            if version.state is State.PROVISIONAL and games >= enough:
                self._book.set_state(version, State.RATED, f"after its first {games} games")
                self._field[number] = version._replace(state=State.RATED)


class Notes:
    """Says what is wrong once, not each time that it is tried again."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: set[str] = set()

    def note(self, text: str) -> None:
        """Say it, unless it was said."""
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    def unless_short(self, play: Callable[[], bool]) -> bool:
        """Play; False if the machine lacked something for it, which is said."""
        try:
            return play()
        except Exception as error:
            if not (shortage := shortage_of(error)):
                raise
            self.note(str(shortage))
            return False

    def clear(self) -> None:
        """Take note that nothing is wrong."""
        self._said.clear()


class _Until(RunListener):
    """Plays until the ladder is told to stop."""

    def __init__(self, stop: threading.Event, notes: Notes) -> None:
        self._stop = stop
        self._notes = notes

    def note(self, text: str) -> None:
        """Say why fixtures are put off."""
        self._notes.note(text)

    def stop_requested(self) -> bool:
        """Tell whether the ladder is told to stop."""
        return self._stop.is_set()


def play_to_its_end(
    season: Season,
    field: Sequence[str],
    struck: Sequence[str],
    stop: threading.Event,
    notes: Notes,
) -> bool:
    """Play what was begun, and begin no more; False if the ladder was told to stop.

    Bots whose language models fail play no more: a season is not kept open by somebody's server.
    """
    until = _Until(stop, notes)
    while not stop.is_set():
        if notes.unless_short(partial(season.end, field, struck, until)):
            return True
        if left_out := season.put_off():
            names = ", ".join(sorted(left_out))
            notes.note(f"the season is closed without the tables that are left of {names}")
            field = [name for name in field if name not in left_out]
    return False


def begin_season(
    folder: Folder, book: Book, config: Config, say: Callable[[str], None], *, closing: bool
) -> int:
    """Return the number of the season that is open, or of a new one.

    Raises ArenaError if ladder.yaml changed what decides games, unless the season is to be closed.
    """
    seasons = book.seasons()
    if seasons and seasons[-1].closed_at is None:
        if not closing:
            check_terms(config, seasons[-1].terms)
        return seasons[-1].number
    number = len(seasons) + 1
    commitment = commitment_of(folder.season(number))
    book.open_season(number, config.file.terms(), commitment)
    say(f"season {number}: SHA-256 of its master seed: {commitment}")
    for version in book.versions({State.RATED}):
        book.set_state(version, State.PROVISIONAL, f"season {number} begins")
    return number


def close_season(
    folder: Folder,
    book: Book,
    number: int,
    order: Order,
    replays: int,
    say: Callable[[str], None],
) -> None:
    """Publish a season with its seed and its root, and answer the order to close it."""
    season = folder.season(number)
    seed, root = reveal(season)
    publish_closed(folder, number, replays)
    season.chmod(0o755)
    with book.together():
        book.close_season(number, seed, root)
        book.answer(order, f"season {number} is closed; its root: {root}", done=True)
    say(f"season {number} is closed; its root: {root}")
