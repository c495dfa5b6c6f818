"""How the machine of a ladder is: its disk, its workers, its backups; what the ladder noted."""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.io.files import stat_of
from arena.ladder.book.tables import HEALTH, Health
from arena.ladder.folder import Folder
from arena.ladder.web.live.snapshot import Snapshot

_decoded = msgspec.json.Decoder(Health).decode


class Machine(Struct, frozen=True, kw_only=True):
    """What an operator looks at; ages in seconds, None for what never was."""

    health: Health | None
    """What the ladder noted of itself; None before its first note."""
    running: bool
    disk_free: int
    """Bytes."""
    disk_size: int
    published: float | None
    publishes_in: float | None
    """Seconds to the next publication; None if nothing new is to be published."""
    backed_up: float | None
    verified: float | None
    """Since when a backup was read again and found whole."""

    @property
    def backup_is_late(self) -> bool:
        """Whether the last backup is older than ladder.yaml allows."""
        allowed = self.health.backup_interval if self.health else float("inf")
        return self.backed_up is None or self.backed_up > allowed


def machine_of(folder: Folder, facts: Mapping[str, str], now: Snapshot) -> Machine:
    """Return how the machine of a ladder is, as far as the door's user may see."""
    disk = shutil.disk_usage(folder.root)
    health = _decoded(facts[HEALTH]) if HEALTH in facts else None
    due = health.next_publication if health and now.running else None
    published = facts.get("published_at")
    return Machine(
        health=health,
        running=now.running,
        disk_free=disk.free,
        disk_size=disk.total,
        published=_since(float(published)) if published else None,
        publishes_in=None if due is None else max(0.0, due - time.time()),
        backed_up=_age(folder.last_backup),
        verified=_age(folder.last_verified),
    )


def _age(mark: Path) -> float | None:
    """Return how long ago a file was touched."""
    return _since(found.st_mtime) if (found := stat_of(mark)) else None


def _since(at: float) -> float:
    return max(0.0, time.time() - at)
