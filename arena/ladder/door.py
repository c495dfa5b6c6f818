"""The door of a ladder: authors, submissions, orders. It opens and runs nothing that it takes in.

A submission is acknowledged when its bytes and then its row are on the disk.
"""

import re
import time
from hashlib import sha256
from typing import Self

from arena.errors import ArenaError, did_you_mean
from arena.ladder.database import Database
from arena.ladder.folder import Folder, write_durably
from arena.ladder.quota import DAY, HOUR, Allowance, Quotas, allowance
from arena.ladder.tables import ALLOWED, Action, Author, Order, State, Upload, Version
from arena.ladder.times import stamp

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_NAME_HINT = "1 to 32 letters of the English alphabet, digits, - and _"
MAX_BYTES = 16 * 1024 * 1024
"""Of a submission."""


class Door:
    """What comes in: a context manager. Times are in seconds since 1970."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = Database(folder.door, writes=writes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.__exit__()

    def changes(self) -> int:
        """Return a number that differs after something came in."""
        return self._file.changes()

    # ------------------------------------------------------------ authors

    def invite(self, name: str, role: str = "author") -> bool:
        """Let someone submit; returns whether they are new. Raises ArenaError for a bad name."""
        check_name(name, "the name of an author")
        insert = "INSERT OR IGNORE INTO authors VALUES (?, ?, ?)"
        with self._file.transaction():
            before = len(self.authors())
            self._file.execute(insert, name, role, time.time())
            return len(self.authors()) > before

    def authors(self) -> list[Author]:
        """Return who may submit, by name."""
        return [Author(*row) for row in self._file.rows("SELECT * FROM authors ORDER BY name")]

    def author(self, name: str) -> Author:
        """Return an author; raises ArenaError for one who was not invited."""
        found = {one.name.lower(): one for one in self.authors()}
        if author := found.get(name.lower()):
            return author
        near = did_you_mean(name, [one.name for one in found.values()])
        hint = f"arena ladder invite {self._folder.root} {name}, or submit with --author NAME"
        raise ArenaError(
            f"unknown author '{name}'", str(self._folder.root), f"{hint}; {near}" if near else hint
        )

    # ------------------------------------------------------------ submissions

    def submit(
        self, author: str, bot: str, content: bytes, ending: str, quotas: Quotas
    ) -> tuple[Upload, bool]:
        """Take a submission in, durably; returns it, and whether it is new.

        The same bytes again are the same version, and use up nothing. Raises ArenaError for an
        unknown author, a name that is another author's, a quota that is used up, and too many
        bytes; nothing is changed then.
        """
        name = self.author(author).name
        digest = sha256(content).hexdigest()
        if known := self._known(name, bot, digest):
            return known, False
        self._check(name, bot, len(content), quotas)
        write_durably(self._folder.upload(digest, ending), content)
        with self._file.transaction():
            if known := self._known(name, bot, digest):
                return known, False
            self._check(name, bot, len(content), quotas)
            [(number,)] = self._file.rows(
                "SELECT 1 + coalesce(max(number), 0) FROM uploads WHERE bot = ?", bot
            )
            values = digest, ending, name, bot, number, len(content), time.time()
            marks = ", ".join("?" * len(values))
            columns = "sha256, ending, author, bot, number, bytes, received_at"
            insert = f"INSERT INTO uploads ({columns}) VALUES ({marks})"  # noqa: S608 - ours
            return Upload(self._file.execute(insert, *values), *values), True

    def uploads(self, after: int = 0) -> list[Upload]:
        """Return the submissions after an id, in the order in which they came."""
        found = self._file.rows("SELECT * FROM uploads WHERE id > ? ORDER BY id", after)
        return [Upload(*row) for row in found]

    def allowance(self, author: str, quotas: Quotas) -> Allowance:
        """Return what an author may still submit now."""
        now = time.time()
        query = "SELECT id, received_at FROM uploads WHERE author = ? AND received_at > ?"
        refused = self._refused(author)
        found = self._file.rows(query, author, now - max(DAY, HOUR))
        accepted = [at for id_, at in found if id_ not in refused]
        return allowance(now, accepted, [at for id_, at in found if id_ in refused], quotas)

    def _known(self, author: str, bot: str, digest: str) -> Upload | None:
        query = "SELECT * FROM uploads WHERE author = ? AND bot = ? AND sha256 = ?"
        found = self._file.rows(query, author, bot, digest)
        return Upload(*found[0]) if found else None

    def _refused(self, author: str) -> set[int]:
        with Database(self._folder.ladder) as ladder:
            query = "SELECT id FROM versions WHERE author = ? AND state = ?"
            return {id_ for (id_,) in ladder.rows(query, author, State.REFUSED)}

    def _check(self, author: str, bot: str, size: int, quotas: Quotas) -> None:
        """Raise ArenaError if an author may not submit a bot now."""
        where = str(self._folder.root)
        check_name(bot, "on a ladder the name of a bot")
        if size > MAX_BYTES:
            what = f"a submission has at most {MAX_BYTES // 1024**2} MiB, not {size:,} bytes"
            raise ArenaError(what, where, "leave out what the bot does not need")
        owners = self._file.rows("SELECT DISTINCT author, bot FROM uploads WHERE bot = ?", bot)
        for owner, name in owners:
            if owner != author:
                what = f"the name '{name}' is taken by {owner}"
                raise ArenaError(what, where, "choose another in bot.yaml")
            if name != bot:
                raise ArenaError(f"'{bot}' is written '{name}' here", where, "correct bot.yaml")
        if (until := self.allowance(author, quotas).blocked_until) is not None:
            most = (
                f"{quotas.uploads} submissions in 24 hours, {quotas.refused} refused ones an hour"
            )
            what = f"the quota of {author} is used up until {stamp(until)}"
            raise ArenaError(what, where, f"at most {most}")

    # ------------------------------------------------------------ orders

    def order(self, who: str, what: Action, version: Version | None, why: str) -> int:
        """Leave an order for the ladder; returns its number.

        Raises ArenaError if the version is in no state for it.
        """
        name = version.name if version else ""
        if version and version.state not in ALLOWED[what]:
            states = ", ".join(sorted(ALLOWED[what]))
            problem = f"{name} is {version.state}: {version.why}"
            raise ArenaError(problem, str(self._folder.root), f"{what} is for: {states}")
        insert = "INSERT INTO orders (at, who, what, version, why) VALUES (?, ?, ?, ?, ?)"
        return self._file.execute(insert, time.time(), who, what, name, why)

    def orders(self, after: int = 0) -> list[Order]:
        """Return the orders after a number, in the order in which they came."""
        found = self._file.rows("SELECT * FROM orders WHERE id > ? ORDER BY id", after)
        return [Order(id_, at, who, Action(what), *rest) for id_, at, who, what, *rest in found]


def check_name(name: str, whose: str) -> None:
    """Raise ArenaError for a name that files, addresses and tables could not all have."""
    if not _NAME.fullmatch(name):
        raise ArenaError(f"{whose} cannot be {name[:40]!a}", hint=_NAME_HINT)
