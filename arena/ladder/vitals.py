"""What a ladder notes of itself for its operator: only it may see its logs and its workers."""

import msgspec

from arena.ladder.book.book import Book
from arena.ladder.book.tables import VITALS, Vitals
from arena.ladder.config import Config
from arena.ladder.disk import logs_size
from arena.ladder.folder import Folder


class VitalsNotes:
    """Notes the vitals of a ladder whenever they changed."""

    def __init__(self, folder: Folder, book: Book) -> None:
        self._folder, self._book = folder, book
        self._noted: Vitals | None = None

    def note(self, config: Config, next_publication: float | None) -> None:
        """Note how the ladder is; a time is in whole seconds since 1970."""
        vitals = Vitals(
            workers=0 if config.file.cluster else config.league.workers,
            checks=config.file.checks.slots,
            logs=logs_size(self._folder) or 0,
            logs_cap=config.caps.logs,
            next_publication=next_publication,
            backup_interval=config.file.intervals.backup,
        )
        if vitals != self._noted:
            self._book.set_fact(VITALS, msgspec.json.encode(vitals).decode())
            self._noted = vitals
