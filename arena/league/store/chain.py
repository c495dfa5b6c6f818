"""The conditions of a league and their changes: a chain, whose hashes cover those before."""

from typing import NamedTuple

from arena.league.store.format.hashes import link_hash, row_hash
from arena.league.store.store_file import StoreFile


class Chain(NamedTuple):
    """What is stored, as it was encoded."""

    info: bytes
    """The conditions at the start."""
    changes: list[bytes]
    """The changes before the first that is damaged."""
    problem: str
    """What is damaged; "" if nothing is."""


def read_chain(rows: StoreFile) -> Chain | None:
    """Read the chain from a store's rows; returns None if nothing was played."""
    row = next(rows.rows("SELECT info, hash, last FROM league"), None)
    if row is None:
        return None
    info, link, last = row
    changes = list[bytes]()
    problem = ""
    if link != row_hash([info]):
        problem = "the stored conditions are not what was written there"
    for n, change, digest in rows.rows("SELECT * FROM changes ORDER BY n"):
        number = len(changes) + 1
        if (n, digest) != (number, link_hash(link, change)):
            broken = f"change {number} is missing, or not what was written there"
            return Chain(info, changes, problem or broken)
        changes.append(change)
        link = digest
    if link != last:
        problem = problem or f"change {len(changes) + 1} is missing"
    return Chain(info, changes, problem)


def begin_chain(rows: StoreFile, info: bytes) -> None:
    """Write the conditions at the start, in place of any others and their changes."""
    digest = row_hash([info])
    rows.execute("DELETE FROM league")
    rows.execute("DELETE FROM changes")
    rows.execute("INSERT INTO league VALUES (?, ?, ?)", info, digest, digest)


def lengthen(rows: StoreFile, change: bytes) -> None:
    """Add a change."""
    last = rows.value("SELECT last FROM league")
    digest = link_hash(last, change)
    rows.execute("INSERT INTO changes (change, hash) VALUES (?, ?)", change, digest)
    rows.execute("UPDATE league SET last = ?", digest)
