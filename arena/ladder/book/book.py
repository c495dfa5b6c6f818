"""What a ladder knows: its versions, checks, seasons, answers to orders, and its log."""

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from secrets import token_hex
from typing import NamedTuple

from arena.bots.names import looks_like
from arena.io.errors import ArenaError, FindingError, did_you_mean
from arena.ladder.book.book_file import BookFile, BookFileUser
from arena.ladder.book.schema import LADDER
from arena.ladder.book.tables import (
    WAITING,
    Check,
    CheckResult,
    Comparison,
    Deed,
    Event,
    Order,
    SeasonRow,
    State,
    Upload,
    Version,
    decoded_check,
    entered,
)
from arena.ladder.folder import Folder

_UNDECIDED = (*WAITING, State.REFUSED)
"""States in which a version may be that never passed a check."""
_SALT = 16
"""Bytes with which a line is hashed: without them nobody can guess a name that was taken out."""
_SHOWN = ", ".join(Event._fields)
_OWNERS = """SELECT DISTINCT bot, author FROM versions WHERE state NOT IN (?, ?, ?) OR EXISTS (
    SELECT 1 FROM checks
    WHERE version = versions.id AND json_extract(CAST(result AS TEXT), '$.ok')
)"""


def check_spelling(bot: str, name: str) -> None:
    """Raise ArenaError if a bot's name is another of its author's names in another case."""
    if bot != name and bot.lower() == name.lower():
        raise ArenaError(f"'{bot}' is written '{name}' here", "bot.yaml", "write it so")


def named_version(versions: Iterable[Version], name: str, folder: Folder) -> Version:
    """Return the version of a ladder that is called `name@number`; raises ArenaError if none is."""
    by_name = {version.name.lower(): version for version in versions}
    if version := by_name.get(name.lower()):
        return version
    names = [version.name for version in by_name.values()]
    near = did_you_mean(name, names) if names else ""
    listed = f"arena ladder list {folder.root} names those that are there"
    hint = near if near.startswith("did") else listed
    raise ArenaError(f"there is no version '{name}'", str(folder.root), hint)


class _Line(NamedTuple):
    """What a line of the log says."""

    at: float
    author: str
    version: str
    text: str
    who: str

    def digest(self, salt: str) -> str:
        """Return the hash of a line."""
        return sha256(f"{salt}{json.dumps(self, default=repr)}".encode()).hexdigest()


def _chained(before: str, digest: str) -> str:
    """Return the hash of the log up to a line, by that before it and the line's own."""
    return sha256(f"{before}{digest}".encode()).hexdigest()


class Book(BookFileUser):
    """The database of a ladder, which the ladder alone writes; a context manager."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = BookFile(folder.ladder, LADDER, writes=writes)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write everything inside at once, or nothing of it."""
        with self._file.transaction():
            yield

    # ------------------------------------------------------------ versions

    def add(self, upload: Upload, state: State, why: str) -> None:
        """Enter a submission as a version."""
        version = entered(upload, state, time.time(), why)
        with self.together():
            self._file.insert("versions", **version._asdict())
            self.note(f"received: {why}", upload.author, upload.version, upload.received_at)

    def versions(self, states: Collection[State] = tuple(State)) -> list[Version]:
        """Return the versions in some states, the oldest first."""
        marks = ", ".join("?" * len(states))
        query = f"SELECT * FROM versions WHERE state IN ({marks}) ORDER BY id"  # noqa: S608 - `marks` are only question marks
        rows = self._file.rows(query, *states)
        return [
            Version(**{**row, "state": State(row["state"]), "held": bool(row["held"])})
            for row in rows
        ]

    def version(self, name: str) -> Version:
        """Return a version by `name@number`; raises ArenaError if it is not there."""
        return named_version(self.versions(), name, self._folder)

    def last_upload(self) -> int:
        """Return the id of the last submission that was entered."""
        return int(self._file.value("SELECT coalesce(max(id), 0) FROM versions"))

    def check_owner(self, author: str, bot: str) -> None:
        """Raise ArenaError if a bot's name is another author's, or looks like one that is.

        A name is the author's whose version passed its check first.
        """
        owners = dict(self._file.rows(_OWNERS, *_UNDECIDED))
        if owners.get(bot) == author:
            return
        others = [name for name, owner in owners.items() if owner != author]
        if twin := looks_like(bot, others):
            is_same = twin.lower() == bot.lower()
            what = "is taken" if is_same else f"looks like '{twin}', which is taken"
            raise ArenaError(f"the name '{bot}' {what}", "bot.yaml", "choose another in bot.yaml")
        for name in owners:
            check_spelling(bot, name)

    def has_author(self, name: str) -> bool:
        """Tell whether a version is an author's, whose name is given in any case."""
        query = "SELECT count(*) FROM versions WHERE author = ? COLLATE NOCASE"
        return bool(self._file.value(query, name))

    def refused(self, author: str) -> set[int]:
        """Return the ids of an author's versions that were refused."""
        query = "SELECT id FROM versions WHERE author = ? AND state = ?"
        return {row["id"] for row in self._file.rows(query, author, State.REFUSED)}

    def set_state(self, version: Version, state: State, why: str, *, held: bool = False) -> None:
        """Move a version to a state, and say so in the log; `held` as of `Version`."""
        update = "UPDATE versions SET state = ?, since = ?, why = ?, held = ? WHERE id = ?"
        with self.together():
            self._file.execute(update, state, time.time(), why, held, version.id)
            self.note(f"{state}: {why}", version.author, version.name)

    def rename_author(self, name: str, pseudonym: str) -> None:
        """Put a pseudonym in place of an author's name; their notes and checks go."""
        self._file.execute(
            "UPDATE checks SET result = NULL WHERE version IN "
            "(SELECT id FROM versions WHERE author = ?)",
            name,
        )
        self._file.execute(
            "UPDATE versions SET author = ?, note = '', why = replace(why, ?, ?) WHERE author = ?",
            pseudonym,
            f"by {name}",
            f"by {pseudonym}",
            name,
        )
        self._file.execute(
            "UPDATE events SET salt = '', author = ?, text = replace(text, ?, ?) "
            "WHERE author = ? OR version IN "
            "(SELECT bot || '@' || number FROM versions WHERE author = ?)",
            pseudonym,
            f"by {name}",
            f"by {pseudonym}",
            name,
            pseudonym,
        )
        self._file.execute("DELETE FROM quotas WHERE author = ?", name)

    def set_digest(self, version: Version, digest: str) -> None:
        """Note which file a version has."""
        self._file.execute("UPDATE versions SET digest = ? WHERE id = ?", digest, version.id)

    # ------------------------------------------------------------ checks

    def begin_check(self, version: Version, lease: float) -> Check:
        """Begin a check that may take so many seconds."""
        now = time.time()
        last = "SELECT coalesce(max(try), 0) FROM checks WHERE version = ?"
        number = self._file.value(last, version.id) + 1
        self._file.insert(
            "checks",
            version=version.id,
            **{"try": number},
            began=now,
            lease_until=now + lease,
        )
        return Check(version.id, number, now, now + lease, ended=None, result=None)

    def end_check(self, check: Check, result: bytes | None) -> None:
        """End a check; without a result it did not come to its end."""
        update = "UPDATE checks SET ended = ?, result = ? WHERE version = ? AND try = ?"
        self._file.execute(update, time.time(), result, check.version, check.number)

    def checks(self, version: Version) -> list[Check]:
        """Return the checks of a version, the first first."""
        columns = "version, try AS number, began, lease_until, ended, result"
        query = f"SELECT {columns} FROM checks WHERE version = ? ORDER BY try"  # noqa: S608 - ours
        return [Check(**row) for row in self._file.rows(query, version.id)]

    def newest_result(self, version: int) -> CheckResult | None:
        """Return the result of the last check of a version that came to its end."""
        query = (
            "SELECT result FROM checks WHERE version = ? AND result IS NOT NULL "
            "ORDER BY try DESC LIMIT 1"
        )
        results = [decoded_check(row["result"]) for row in self._file.rows(query, version)]
        return results[0] if results else None

    def outcomes(self) -> dict[str, int]:
        """Return how many checks passed, failed, and did not come to their end."""
        query = (
            "SELECT CASE WHEN result IS NULL THEN 'died' "
            "WHEN json_extract(CAST(result AS TEXT), '$.ok') THEN 'passed' "
            "ELSE 'failed' END, count(*) FROM checks WHERE ended IS NOT NULL GROUP BY 1"
        )
        return {"passed": 0, "failed": 0, "died": 0, **dict(self._file.rows(query))}

    def drop_check(self, check: Check) -> None:
        """Drop a check that could not be made."""
        delete = "DELETE FROM checks WHERE version = ? AND try = ?"
        self._file.execute(delete, check.version, check.number)

    def forget_begun_checks(self) -> None:
        """Drop the checks that no ladder is at any more: their versions are checked again."""
        self._file.execute("DELETE FROM checks WHERE ended IS NULL")

    def last_check(self) -> Mapping[str, int]:
        """Return the number of the last check of each author: a later one has a higher number."""
        query = (
            "SELECT author, max(checks.rowid) FROM checks JOIN versions ON version = id "
            "GROUP BY author"
        )
        return dict(self._file.rows(query))

    # ------------------------------------------------------------ comparisons

    def compare(self, comparison: Comparison) -> None:
        """Keep how a version did beside the one before it."""
        self._file.replace("comparisons", **comparison._asdict())

    def comparisons(self) -> Mapping[int, Comparison]:
        """Return how versions did beside the ones before them, by id."""
        rows = self._file.rows("SELECT * FROM comparisons")
        return {row["version"]: Comparison(**row) for row in rows}

    # ------------------------------------------------------------ orders

    def set_quota(self, author: str, uploads: int) -> None:
        """Let an author make so many submissions in 24 hours, whatever ladder.yaml says."""
        self._file.replace("quotas", author=author, uploads=uploads)

    def quota(self, author: str) -> int | None:
        """Return the quota that was ordered for an author, if there was such an order."""
        rows = [*self._file.rows("SELECT uploads FROM quotas WHERE author = ?", author)]
        return rows[0]["uploads"] if rows else None

    def answer(self, order: Order, text: str, *, done: bool) -> None:
        """Note what became of an order."""
        with self.together():
            self._file.insert("answers", id=order.id, at=time.time(), done=done, text=text)
            verdict = "done" if done else "refused"
            why = f" ({order.why})" if order.why else ""
            told = f"{order.what} by {order.who}{why}: {verdict}: {text}"
            self.note(told, order.author, order.version)

    def last_order(self) -> int:
        """Return the number of the last order that was answered."""
        return int(self._file.value("SELECT coalesce(max(id), 0) FROM answers"))

    # ------------------------------------------------------------ the log

    def note(self, text: str, author: str = "", version: str = "", at: float | None = None) -> None:
        """Add a line to the log."""
        at = time.time() if at is None else at
        self._enter(_Line(at, author, version, text, who=""), deed=None)

    def enter_deeds(self, deeds: Sequence[Deed]) -> None:
        """Add to the log what people did."""
        with self.together():
            for deed in deeds:
                line = _Line(deed.at, deed.author, "", deed.what, who=deed.who)
                self._enter(line, deed=deed.id)

    def last_deed(self) -> int:
        """Return the id of the last deed that the log has."""
        return int(self._file.value("SELECT coalesce(max(deed), 0) FROM events"))

    def rename_deeds(self, deeds: Sequence[Deed]) -> None:
        """Put the names that deeds have now in place of those that the log has."""
        update = "UPDATE events SET who = ?, author = ?, salt = '' WHERE deed = ?"
        for deed in deeds:
            self._file.execute(update, deed.who, deed.author, deed.id)

    def _enter(self, line: "_Line", deed: int | None) -> None:
        salt = token_hex(_SALT)
        digest = line.digest(salt)
        with self.together():
            last = [*self._file.rows("SELECT hash FROM events ORDER BY n DESC LIMIT 1")]
            chained = _chained(last[0]["hash"] if last else "", digest)
            about = {"deed": deed, "salt": salt, "digest": digest, "hash": chained}
            self._file.insert("events", **line._asdict(), **about)

    def check_log(self) -> None:
        """Raise FindingError if a line of the log was changed or taken away since it was written.

        Lines in which a pseudonym took the place of a name count as they were, and those at the
        end may be missing.
        """
        before = ""
        for row in self._file.rows("SELECT * FROM events ORDER BY n"):
            line = _Line(**{name: row[name] for name in _Line._fields})
            whole = not row["salt"] or line.digest(row["salt"]) == row["digest"]
            if not whole or _chained(before, row["digest"]) != row["hash"]:
                what = f"line {row['n']} of the log is not as it was written, or one before is gone"
                hint = "put back a backup: arena ladder restore"
                raise FindingError(what, str(self._folder.ladder), hint)
            before = row["hash"]

    def events(
        self, version: str = "", after: int = 0, author: str = "", since: float = 0.0
    ) -> list[Event]:
        """Return the log after a line's number; of one version or author, if one is named.

        `since` is in seconds since 1970.
        """
        query = (
            f"SELECT {_SHOWN} FROM events WHERE n > ? AND at >= ? AND (? = '' OR version = ?) "  # noqa: S608 - ours
            "AND (? = '' OR author = ? OR who = ?) ORDER BY n"
        )
        wanted = (version, version, author, author, author)
        return [Event(**row) for row in self._file.rows(query, after, since, *wanted)]

    def newest_of(self, author: str, begins: Sequence[str], most: int) -> list[Event]:
        """Return the newest lines of an author's log that begin in one of some ways."""
        any_of = " OR ".join("substr(text, 1, ?) = ?" for _ in begins)
        query = (
            f"SELECT {_SHOWN} FROM events WHERE author = ? AND ({any_of}) ORDER BY n DESC LIMIT ?"  # noqa: S608 - ours
        )
        told = (value for begin in begins for value in (len(begin), begin))
        return [Event(**row) for row in self._file.rows(query, author, *told, most)]

    def last_event(self) -> int:
        """Return the number of the last line of the log."""
        return int(self._file.value("SELECT coalesce(max(n), 0) FROM events"))

    def last_news(self) -> int:
        """Return the number of the last line that is not about people alone: pages have those."""
        return int(self._file.value("SELECT coalesce(max(n), 0) FROM events WHERE deed IS NULL"))

    # ------------------------------------------------------------ seasons and facts

    def open_season(self, number: int, terms: bytes, commitment: str) -> None:
        """Note that a season began, under these terms."""
        season = {"number": number, "terms": terms, "commitment": commitment}
        with self.together():
            self._file.insert("seasons", opened_at=time.time(), **season)
            self.note(f"season {number} begins; SHA-256 of its master seed: {commitment}")

    def close_season(self, number: int, seed: str, root: str) -> None:
        """Note that a season is over, with what was kept secret."""
        update = "UPDATE seasons SET closed_at = ?, seed = ?, root = ? WHERE number = ?"
        with self.together():
            self._file.execute(update, time.time(), seed, root, number)
            self.note(f"season {number} is closed; its master seed: {seed}; its root: {root}")

    def seasons(self) -> list[SeasonRow]:
        """Return the seasons, the first first."""
        rows = self._file.rows("SELECT * FROM seasons ORDER BY number")
        return [SeasonRow(**row) for row in rows]

    def set_fact(self, key: str, value: str) -> None:
        """Store a fact, replacing any earlier value."""
        self._file.replace("facts", key=key, value=value)

    def facts(self) -> Mapping[str, str]:
        """Return the facts by their keys."""
        return dict(self._file.rows("SELECT key, value FROM facts"))
