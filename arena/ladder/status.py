"""How a ladder is: what plays, what waits, and whether anything is overdue."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.io.files import stat_of
from arena.io.numbers import span
from arena.ladder.book.book import Book
from arena.ladder.book.tables import CHECKS, WAITING, DivisionProgress, Progress, State
from arena.ladder.config import Intervals, load_config
from arena.ladder.disk import lacks_space, logs_size
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, is_running

_divisions = msgspec.json.Decoder(list[DivisionProgress]).decode
_checks = msgspec.json.Decoder(list[Progress]).decode
_LATE = 300.0, 10
"""Seconds, and intervals, by both of which a publication may be late."""


class LadderStatus(Struct, frozen=True):
    """How a ladder is; ages in seconds, None for what never was."""

    running: bool
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


def status(folder: Folder) -> LadderStatus:
    """Read how a ladder is; raises ArenaError if ladder.yaml cannot be read."""
    now, config = time.time(), load_config(folder.config)
    with Book(folder) as book, Door(folder) as door:
        versions, facts = book.versions(), book.facts()
        seasons = book.seasons()
        arrived = door.uploads(book.last_upload())
    waiting = [entry.received_at for entry in versions if entry.state in WAITING]
    waiting += [entry.received_at for entry in arrived]
    running = is_running(folder)
    states = Counter(version.state for version in versions)
    states[State.QUEUED] += len(arrived)
    ladder = LadderStatus(
        running=running,
        overdue=(),
        versions={state: states[state] for state in State if states[state]},
        queue=len(waiting),
        oldest=now - min(waiting) if waiting else None,
        checks=_checks(facts.get(CHECKS, "[]")) if running else [],
        season=seasons[-1].number if seasons else None,
        divisions=_divisions(facts.get("divisions", "[]")),
        logs=logs_size(folder),
        logs_cap=config.caps.logs,
        published=_age(facts, "published_at", now),
        backed_up=_backup_age(folder, now),
    )
    made = now - folder.door.stat().st_ctime if not seasons else now - seasons[0].opened_at
    late = _age(facts, "publish_due_at", now)
    overdue = list(_overdue(ladder, config.file.intervals, made, late))
    if lacks := lacks_space(folder, config.caps):
        overdue.append(lacks)
    return replace(ladder, overdue=tuple(overdue))


def _overdue(
    state: LadderStatus, intervals: Intervals, age: float, late: float | None
) -> Iterator[str]:
    if not state.running:
        yield "no ladder runs here"
    if state.oldest is not None and state.oldest > intervals.check:
        yield f"a submission has waited for its check for {span(state.oldest)}"
    if late is not None and late > max(_LATE[0], _LATE[1] * intervals.publish):
        yield f"the publication is late by {span(late)}"
    if state.backed_up is None:
        if age > intervals.backup:
            yield "it was never backed up"
    elif state.backed_up > intervals.backup:
        yield f"it was backed up {span(state.backed_up)} ago"


def _age(facts: Mapping[str, str], key: str, now: float) -> float | None:
    value = facts.get(key)
    return max(0.0, now - float(value)) if value else None


def _backup_age(folder: Folder, now: float) -> float | None:
    backup = stat_of(folder.last_backup)
    return max(0.0, now - backup.st_mtime) if backup else None
