"""The ranks of the last days, one publication of each, to say who rose and who fell."""

import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.io.files import read_json, write_file
from arena.ladder.folder import Folder

DAYS = 7
"""Ranks are compared with those of so many days ago, or with the first that are known since."""
_DAY = 86_400.0


class RanksThen(Struct, frozen=True):
    """The ranks of a publication."""

    season: int
    at: float
    """In seconds since 1970."""
    ranks: Mapping[str, int]
    """The best rank that each version might have."""


def keep_ranks(folder: Folder, season: int, ranks: Mapping[str, int]) -> None:
    """Keep the ranks of a publication unless some of the last day are kept already."""
    now = time.time()
    kept = [then for then in _kept(folder) if then.season == season]
    if kept and now - kept[-1].at < _DAY:
        return
    kept = [then for then in kept if now - then.at < (DAYS + 1) * _DAY]
    data = msgspec.json.encode([*kept, RanksThen(season, now, ranks)])
    write_file(_file(folder), data, 0o644)


def ranks_moved(folder: Folder, ranks: Mapping[str, int]) -> dict[str, int]:
    """Return how many ranks each version gained, below zero if it lost them; not those that stay.

    A version that was not there then is left out.
    """
    kept = _kept(folder)
    if not kept:
        return {}
    then = kept[0].ranks
    moved = {version: then[version] - now for version, now in ranks.items() if version in then}
    return {version: ranks for version, ranks in moved.items() if ranks}


def _kept(folder: Folder) -> list[RanksThen]:
    """Return what is kept, the oldest first."""
    return read_json(_file(folder), list[RanksThen]) or []


def _file(folder: Folder) -> Path:
    return folder.root / "sites" / "ranks.json"
