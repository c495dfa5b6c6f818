"""How a ladder is: what it notes of itself while it runs, and what an operator is told."""

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.sandboxes.registry import check_freezing
from arena.io.errors import ArenaError
from arena.io.files import stat_of
from arena.io.memory import memory_of
from arena.io.text import span
from arena.ladder.book.book import Book
from arena.ladder.book.tables import (
    CHECKS,
    HEALTH,
    WAITING,
    Action,
    DivisionProgress,
    Health,
    Order,
    Progress,
    SeasonRow,
    State,
)
from arena.ladder.config import Config, Intervals, check_terms, load_config, sandbox_of
from arena.ladder.disk import lacks_space, logs_size
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, hung, is_running

_decoded_divisions = msgspec.json.Decoder(list[DivisionProgress]).decode
_decoded_checks = msgspec.json.Decoder(list[Progress]).decode
_LATE_SECONDS = 300.0
_LATE_INTERVALS = 10
"""A publication may be late by either of these without being overdue."""


_MEMORY_STEP = 16 << 20
"""Bytes by which memory must change to be noted anew: each note waits for the disk."""


class LadderStatus(Struct, frozen=True):
    """How a ladder is; ages in seconds, None for what never happened."""

    running: bool
    hung: str
    """For how long it has shown no life; "" if it was not long."""
    overdue: tuple[str, ...]
    """What an operator must look at, in sentences; empty if all is well."""
    versions: dict[State, int]
    queue: int
    oldest: float | None
    """The age of the submission that has waited longest."""
    checks: list[Progress]
    """How far the checks are that go on."""
    season: int | None
    divisions: list[DivisionProgress]
    """How far each division is; empty before the first game."""
    logs: int | None
    """Bytes that the logs take; None for a user who may not look, as that of the door."""
    logs_cap: int
    """Bytes that they may take."""
    published: float | None
    backed_up: float | None


class Restart(Struct, frozen=True):
    """What a ladder would do if it were started now."""

    season: int
    begins: bool
    """Whether the season begins then; else it goes on."""


def restart(folder: Folder) -> Restart:
    """Return what a ladder would do if it were started now.

    Raises ArenaError if ladder.yaml or the sandbox would be refused.
    """
    config = load_config(folder.config)
    check_freezing(sandbox_of(config), config.league.limits)
    with Book(folder) as book, Door(folder) as door:
        return _restart(config, book.seasons(), door.orders(book.last_order()))


def _restart(config: Config, seasons: Sequence[SeasonRow], orders: Sequence[Order]) -> Restart:
    """Return what a ladder would do; raises ArenaError if that would change a season's terms."""
    goes_on = bool(seasons) and seasons[-1].closed_at is None
    if not goes_on or any(order.what is Action.CLOSE_SEASON for order in orders):
        return Restart(len(seasons) + 1, begins=True)
    check_terms(config, seasons[-1].terms)
    return Restart(len(seasons), begins=False)


def status(folder: Folder) -> LadderStatus:
    """Read how a ladder is; raises ArenaError if ladder.yaml cannot be read."""
    now, config = time.time(), load_config(folder.config)
    # What came through the door is read last: the book of that moment has it, or not yet.
    with Book(folder) as book, Door(folder) as door, book.snapshot():
        versions, facts = book.versions(), book.facts()
        seasons = book.seasons()
        arrived = door.uploads(book.last_upload())
        orders = door.orders(book.last_order())
    waiting = [entry.received_at for entry in versions if entry.state in WAITING]
    waiting += [entry.received_at for entry in arrived]
    running = is_running(folder)
    backup = stat_of(folder.last_backup)
    states = Counter(version.state for version in versions)
    states[State.QUEUED] += len(arrived)
    ladder = LadderStatus(
        running=running,
        hung=hung(folder),
        overdue=(),
        versions={state: states[state] for state in State if states[state]},
        queue=len(waiting),
        oldest=now - min(waiting) if waiting else None,
        checks=_decoded_checks(facts.get(CHECKS, "[]")) if running else [],
        season=seasons[-1].number if seasons else None,
        divisions=_decoded_divisions(facts.get("divisions", "[]")),
        logs=logs_size(folder),
        logs_cap=config.caps.logs,
        published=_age(facts, "published_at", now),
        backed_up=max(0.0, now - backup.st_mtime) if backup else None,
    )
    made = now - folder.door.stat().st_ctime if not seasons else now - seasons[0].opened_at
    late = _age(facts, "publish_due_at", now)
    overdue = list(_overdue(ladder, config.file.intervals, made, late))
    if lacks := lacks_space(folder, config.caps):
        overdue.append(lacks)
    try:
        _restart(config, seasons, orders)
    except ArenaError as error:
        overdue.append(f"ladder.yaml would not be taken: {error.what}")
    return replace(ladder, overdue=tuple(overdue))


def _overdue(
    state: LadderStatus, intervals: Intervals, age: float, late: float | None
) -> Iterator[str]:
    if not state.running:
        yield "no ladder runs here"
    elif state.hung:
        yield f"the ladder runs, but {state.hung}"
    if state.oldest is not None and state.oldest > intervals.check:
        yield f"a submission has waited for its check for {span(state.oldest)}"
    if late is not None and late > max(_LATE_SECONDS, _LATE_INTERVALS * intervals.publish):
        yield f"the publication is late by {span(late)}"
    if state.backed_up is None:
        if age > intervals.backup:
            yield "it was never backed up"
    elif state.backed_up > intervals.backup:
        yield f"it was backed up {span(state.backed_up)} ago"


def _age(facts: Mapping[str, str], key: str, now: float) -> float | None:
    value = facts.get(key)
    return max(0.0, now - float(value)) if value else None


class HealthNotes:
    """Notes in the book how a running ladder is, whenever that changed.

    Only the ladder itself may see its logs and its workers.
    """

    def __init__(self, folder: Folder, book: Book) -> None:
        self._folder = folder
        self._book = book
        self._noted: Health | None = None
        self._divisions: Sequence[DivisionProgress] | None = None

    def note_divisions(self, divisions: Sequence[DivisionProgress]) -> None:
        """Note how far the tables are."""
        if divisions != self._divisions:
            self._book.set_fact("divisions", msgspec.json.encode(divisions).decode())
            self._divisions = divisions

    def note(self, config: Config, next_publication: float | None, errors: int) -> None:
        """Note how the ladder is; `next_publication` in whole seconds since 1970."""
        health = Health(
            workers=0 if config.file.cluster else config.league.workers,
            checks=config.file.checks.slots,
            logs=logs_size(self._folder) or 0,
            logs_cap=config.caps.logs,
            next_publication=next_publication,
            backup_interval=config.file.intervals.backup,
            memory=memory_of(os.getpid()) // _MEMORY_STEP * _MEMORY_STEP,
            errors=errors,
        )
        if health != self._noted:
            self._book.set_fact(HEALTH, msgspec.json.encode(health).decode())
            self._noted = health
