"""What a ladder notes of itself for its operator: only it may see its logs and its workers."""

from collections.abc import Sequence

import msgspec

from arena.ladder.book.book import Book
from arena.ladder.book.tables import HEALTH, DivisionProgress, Health
from arena.ladder.config import Config
from arena.ladder.disk import logs_size
from arena.ladder.folder import Folder


class HealthNotes:
    """Notes the health of a ladder whenever they changed."""

    def __init__(self, folder: Folder, book: Book) -> None:
        self._folder, self._book = folder, book
        self._noted: Health | None = None
        self._divisions: Sequence[DivisionProgress] | None = None

    def note_divisions(self, divisions: Sequence[DivisionProgress]) -> None:
        """Note how far the tables are."""
        if divisions != self._divisions:
            self._book.set_fact("divisions", msgspec.json.encode(divisions).decode())
            self._divisions = divisions

    def note(self, config: Config, next_publication: float | None) -> None:
        """Note how the ladder is; a time is in whole seconds since 1970."""
        health = Health(
            workers=0 if config.file.cluster else config.league.workers,
            checks=config.file.checks.slots,
            logs=logs_size(self._folder) or 0,
            logs_cap=config.caps.logs,
            next_publication=next_publication,
            backup_interval=config.file.intervals.backup,
        )
        if health != self._noted:
            self._book.set_fact(HEALTH, msgspec.json.encode(health).decode())
            self._noted = health
