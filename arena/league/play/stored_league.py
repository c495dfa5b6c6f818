"""A league and its store, for programs that play a league without a league.yaml.

    with Store(path, create=True) as store:
        if store.league is None:
            store.begin(start)                        # a Conditions with endless=True, blocks=0
        league = StoredLeague(store)                  # goes on where the store ends
        league.change(joined=[info], rested=["mybot@2"])
        league.play(bots, engine, listener)           # until the listener asks to stop
        league.change(struck=["cheat@1"])
        league.play(bots, engine, listener)

- `start.bots` are the bots of the beginning; a name (`BotInfo.name`) stands for the same files for
  ever, so a new version needs a new one, such as `mybot@3`. `bots` maps the names of all that play
  now to staged bots (`arena.league.table.preparation`). Who plays:
  `arena.league.changes.playing(conditions)`.
- `change` is for the time between two calls of `play`, which returns when nothing is under way.
  Blocks that were not begun are dropped, and others are drawn for the new field. Blocks that were
  begun are played to their end, but for the tables of bots that no longer play.
- `more(division)`, given to `play`, is asked before a new block of a division is begun: False for
  all of them lets `play` return True once what was begun is played. So a ladder goes to sleep.
- `progress.begun(division)` is how many blocks of a division were begun;
  `progress.verdict(division, confidence)` says which neighbours are not told apart yet.
- `change(joined=[...], rested=["mybot@2"], twins={"mybot@3": "mybot@2"})` lets a newcomer meet its
  predecessor on the same dice (`arena.ladder.season.season`): both must be among the `bots`.
- A league ends with `change(endless=False)`: begun blocks can be played to their end; then nothing
  is due any more, and the master seed may be published.
- Each is stored before it takes effect. A killed program goes on by opening the store again: it
  plays the same fixtures as one that was not killed, if `more` decides by `progress.begun` and
  `progress.undecided`, not by what happens to be played already.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.bots.bot import StagedBot
from arena.bots.models.config import Model
from arena.bots.models.gateway import NO_MODELS, Access
from arena.bots.models.ledger import (
    Spending,
    add_spent,
    journal_file,
    journals_in,
    read_journals,
    spent_on,
)
from arena.game.records import (
    BotInfo,
    Conditions,
    Division,
    Fixture,
    FixtureResult,
    QuarantinedFixture,
)
from arena.io.files import changed_at, os_errors
from arena.league.changes import Change
from arena.league.play.dispatcher import OnResult, RunListener, play_due
from arena.league.play.workers import Engine
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import PackedFixture
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of


class StoredLeague:
    """A league that is in a store and can be played on; a ledger of the runner."""

    def __init__(self, store: Store, schedule: Schedule | None = None) -> None:
        """Add the stored results; raises ArenaError if no conditions are stored."""
        self.store = store
        self.schedule = schedule or schedule_of(store)
        self.progress = LeagueProgress(self.schedule)
        self._more: Callable[[Division], bool] = lambda _: True
        self._taken: set[str] = set()
        """The ids of fixtures that were due in this call of `play`."""
        self._broken_off: dict[str, int] = {}
        """When fixtures were broken off in earlier calls, as `changed_at`, by id."""
        for result in store.results():
            self.progress.add(result)

    @property
    def conditions(self) -> Conditions:
        """The conditions in force."""
        return self.schedule.conditions

    def change(
        self,
        *,
        joined: Sequence[BotInfo] = (),
        rested: Sequence[str] = (),
        struck: Sequence[str] = (),
        resumed: Sequence[str] = (),
        **terms: Any,
    ) -> Change:
        """Change the field, `twins`, or terms by their names in `Conditions`; returns the row.

        Raises KeyError for a bot that was never there.
        """
        twins = terms.get("twins", self.schedule.twins)
        apart = {old for new, old in self.schedule.twins.items() if twins.get(new) != old}
        begun, unplayed = self.schedule.cut(self.progress.played, {*rested, *struck, *apart})
        change = Change(
            begun=begun,
            unplayed=unplayed,
            joined=tuple(joined),
            rested=tuple(rested),
            struck=tuple(struck),
            resumed=tuple(resumed),
            **terms,
        )
        self.store.change(change)
        self.schedule.change(change)
        self.progress = LeagueProgress(self.schedule, self.progress)
        return change

    def play(
        self,
        bots: Mapping[str, StagedBot],
        engine: Engine,
        listener: RunListener,
        on_result: OnResult = lambda _: None,
        more: Callable[[Division], bool] = lambda _: True,
    ) -> bool:
        """Play until nothing is due, or the listener asks to stop; returns whether nothing is.

        Fixtures under way are finished and stored first. Raises KeyboardInterrupt as `play_due`.
        """
        self._more = more
        self._taken.clear()
        journals = journals_in(journals_of(self.store.path)) if self.conditions.models else []
        self._broken_off = {file.stem: changed_at(file) for file in journals}
        try:
            return play_due(self.conditions, bots, engine, self, listener, on_result)
        finally:
            remove_empty(self.store.path)

    def due(self) -> Sequence[Fixture]:
        """Return the fixtures to be played; begin a block of an endless league if none is new.

        Those that a server of a language model had broken off come last, the latest of them last of
        all: if it fails again and again, each fixture has its turn.
        """
        due = self.progress.due()
        while self._taken.issuperset([fixture.id for fixture in due]):
            if not self.progress.look_ahead(self._more):
                break
            due = self.progress.due()
        self._taken.update([fixture.id for fixture in due])
        return sorted(due, key=lambda fixture: self._broken_off.get(fixture.id, 0))

    def keep(self, packed: Sequence[PackedFixture], results: Sequence[FixtureResult]) -> None:
        """Store fixtures that were played."""
        self.store.add(*packed)
        if self.conditions.models:
            forget_journals(self.store.path, [result.fixture.id for result in results])
        for result in results:
            self.progress.add(result)

    def quarantine(self, fixture: QuarantinedFixture) -> None:
        """Store that a fixture cannot be played in this run."""
        self.store.quarantine(fixture)
        self.progress.give_up(fixture.fixture.id)


def model_access(models: Mapping[str, Model], folder: Path, store: Store) -> Access:
    """Return what workers that share a folder need for language models.

    What was spent before counts for caps.

    Raises ArenaError if a stored fixture is damaged, or journals cannot be read.
    """
    if not models:
        return NO_MODELS
    journals = journals_of(store.path)
    spent: Spending = {}
    for fixture, exchanges in store.exchanges():
        for exchange in exchanges:
            bot = fixture.seats[exchange.seat]
            add_spent(spent, exchange.model, bot, spent_on(exchange))
    with os_errors("it cannot be read", journals):
        for bot, exchange in read_journals(journals, store.finished()):
            add_spent(spent, exchange.model, bot, spent_on(exchange))
    return Access({**models}, str(folder / "models"), spent, str(journals))


def journals_of(store: Path) -> Path:
    """Return the folder of the journals of a store: beside league.sqlite that is league.models."""
    return store.absolute().with_suffix(".models")


def remove_empty(store: Path) -> None:
    """Remove the folder of the journals if none is left; no worker may write any."""
    with suppress(OSError):
        journals_of(store).rmdir()


def forget_journals(store: Path, fixtures: Iterable[str]) -> None:
    """Remove the journals of fixtures whose results are stored; raises ArenaError."""
    journals = journals_of(store)
    with os_errors("it cannot be removed", journals):
        for fixture in fixtures:
            journal_file(journals, fixture).unlink(missing_ok=True)
