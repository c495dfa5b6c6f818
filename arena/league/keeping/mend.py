"""Mend a damaged store: keep the sound fixtures, drop the others, to be played again."""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec import Struct

from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.io.sqlite_file import ENDS
from arena.league.keeping.verify import check_stored
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from arena.league.store.store_file import lock_store, misses_log
from arena.league.terms.stored_schedule import schedule_of


class Mended(Struct, frozen=True):
    """The result of mending a store."""

    kept: int
    """How many sound fixtures the new store has."""
    dropped: list[str]
    """The ids of damaged fixtures, as far as they can be read, or their positions; and those of a
    playoff that followed from them."""
    lost: int
    """Fixtures that had been stored and were missing."""
    aside: Path | None
    """The path of the damaged store now; None if there was nothing to mend."""


def mend(path: Path) -> Mended:
    """Replace a store by one of its sound fixtures, and keep the damaged one beside it.

    A fixture is sound if its hashes are right, it is in the schedule, and its games replay. Raises
    ArenaError if nothing was played, if another arena is playing, or if the conditions are damaged.
    """
    if not path.is_file():
        with Store(path):  # says what is wrong
            pass
    new = path.with_name(f".{path.stem}.mended{path.suffix}")
    locked = lock_store(path)
    hint = "it needs room for a second store beside it"
    try:
        with os_errors("the store cannot be mended", path, hint):
            _remove(new)
            with Store(path, incomplete=True) as old:
                mended = _save(old, new)
            if not mended.dropped and not mended.lost and _is_whole(path):
                return mended
            return _swap(path, new, mended)
    finally:
        _remove(new)
        locked()


def _save(old: Store, new: Path) -> Mended:
    """Write the sound fixtures of a store into a new one."""
    schedule = schedule_of(old)
    dropped = list[str]()
    kept = 0
    try:
        positions = old.positions()
    except ArenaError:
        positions = sorted(fixture.index for fixture, _ in schedule.drawn.values())
    with Store(new, create=True, token=old.token()) as store:
        store.begin_as(old)
        for position in positions:
            try:
                fixtures = list(old.stored([position]))
            except ArenaError:
                dropped.append(str(position))
                continue
            for fixture in fixtures:
                # Who sits at a table of a playoff follows from all results before it.
                follows = dropped and schedule.is_playoff(fixture.id)
                if follows or check_stored(old, schedule.drawn, fixture).findings:
                    dropped.append(fixture.id)
                else:
                    store.insert(fixture)
                    kept += 1
        with suppress(ArenaError):  # they are tried again
            for quarantined in old.quarantined():
                store.quarantine(quarantined)
    lost, _ = old.lost()
    return Mended(kept, dropped, lost, None)


def _is_whole(path: Path) -> bool:
    """Tell whether the files as such are sound."""
    if any(map(misses_log, (path, logs_path(path)))):
        return False
    try:
        with Store(path) as store:
            return not any(store.damage())
    except ArenaError:
        return False


def _swap(path: Path, new: Path, mended: Mended) -> Mended:
    """Put the new store in the place of the damaged one, which gets another name."""
    asides = (path.with_name(f"{path.stem}.damaged-{n}{path.suffix}") for n in count(1))
    aside = next(candidate for candidate in asides if not candidate.exists())
    for old, copy in zip(_files(path), _files(aside), strict=True):
        if old.exists():
            os.link(old, copy)
    # A log that is left behind would be taken for that of the new file.
    for old in _files(path):
        if old not in (path, logs_path(path)):
            old.unlink(missing_ok=True)
    # With the same token: a mend that is cut short here can be done again.
    logs_path(new).replace(logs_path(path))
    new.replace(path)
    return Mended(mended.kept, mended.dropped, mended.lost, aside)


def _files(path: Path) -> list[Path]:
    """Return the names of all files that a store may have."""
    return [Path(f"{file}{end}") for file in (path, logs_path(path)) for end in ENDS]


def _remove(path: Path) -> None:
    for file in _files(path):
        file.unlink(missing_ok=True)
