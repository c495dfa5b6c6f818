"""The door of a ladder: authors, submissions, orders. It opens and runs nothing that it takes in.

A submission is acknowledged when its bytes and then its row are on the disk.
"""

import shutil
import time
from collections.abc import Callable, Collection, Iterable
from functools import cached_property, partial
from hashlib import sha256
from secrets import token_hex
from typing import NamedTuple

from msgspec.structs import replace

from arena.bots.names import looks_like
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import write_file
from arena.io.text import size_text, stamp
from arena.ladder.book.book import Book, check_spelling
from arena.ladder.book.book_file import BookFile, BookFileUser
from arena.ladder.book.caps import Caps
from arena.ladder.book.names import check_name
from arena.ladder.book.quota import DAY, HOUR, MOST, Allowance, Quotas, allowance
from arena.ladder.book.schema import DOOR
from arena.ladder.book.tables import (
    ALLOWED,
    OF_AUTHORS,
    Action,
    Author,
    Deed,
    Order,
    State,
    Upload,
    Version,
    allowed,
    entered,
)
from arena.ladder.folder import Folder

_NOT_TAKEN_IN = "the ladder has not looked at it yet"
_MOST_OWN_ORDERS = 20
"""Orders of an author in 24 hours, at most."""
MOST_NOTE = 200
"""Characters of a note on a submission, at most."""
MAX_UPLOAD = 16 * 1024**2
"""Bytes of a submission, at most: `deploy/Caddyfile` lets them pass, and the manual names them."""


_NAMED = (
    ("authors", "name"),
    ("orders", "who"),
    ("orders", "author"),
    ("deeds", "who"),
    ("deeds", "author"),
)
"""Where the names of authors are, in tables and their columns, beside their submissions."""
DOOR_WAIT = 10.0
"""Seconds to wait while another process writes to the file of the door."""


class Sent(NamedTuple):
    """What is known of the bytes of a submission."""

    sha256: str
    ending: str
    """`.tar`, `.zip` and so on."""
    bytes: int
    note: str = ""
    """The author's own words on it."""


class QuotaError(ArenaError):
    """An author submitted as much as they may for now."""

    def __init__(self, what: str, where: str, hint: str, until: float) -> None:
        super().__init__(what, where, hint)
        self.until = until
        """When they may submit again, in seconds since 1970."""


class NoRoomError(ArenaError):
    """There is no room for more submissions for now."""

    def __init__(self, what: str, where: str, hint: str, *, of_sender: bool) -> None:
        super().__init__(what, where, hint)
        self.of_sender = of_sender
        """Whether those of others would be taken."""


def door_file(folder: Folder, *, writes: bool) -> BookFile:
    """Open the file of a ladder's door."""
    return BookFile(folder.door, DOOR, writes=writes, wait=DOOR_WAIT)


class Door(BookFileUser):
    """What comes in: a context manager. Times are in seconds since 1970."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = door_file(folder, writes=writes)

    def close(self) -> None:
        """Close the files."""
        if "_book" in vars(self):
            self._book.close()
        super().close()

    @cached_property
    def _book(self) -> Book:
        """The ladder's own file, opened when it is asked for the first time."""
        return Book(self._folder)

    def versions(self, book: Book) -> list[Version]:
        """Return the versions of a ladder's book, and those that it has not taken in yet."""
        versions = book.versions()
        arrived = self.uploads(versions[-1].id if versions else 0)
        new = (entered(one, State.QUEUED, one.received_at, _NOT_TAKEN_IN) for one in arrived)
        return [*versions, *new]

    def changes(self) -> int:
        """Return a number that differs after something came in."""
        return self._file.changes()

    # ------------------------------------------------------------ authors

    def invite(self, name: str, role: str = "author") -> bool:
        """Let someone submit; returns whether they are new. Raises as `check_authors` does."""
        insert = (
            "INSERT INTO authors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role "
            "WHERE excluded.role = 'administrator'"
        )
        with self._file.transaction():
            self.check_authors([name])
            before = len(self.authors())
            self._file.execute(insert, name, role, time.time())
            return len(self.authors()) > before

    def check_authors(self, names: Iterable[str]) -> None:
        """Raise ArenaError for a name that no author can have, and one that looks like another."""
        known = {author.name.lower(): author.name for author in self.authors()}
        for name in names:
            check_name(name, "the name of an author")
            if name.lower() not in known:
                self._check_left(name)
            if name.lower() not in known and (twin := looks_like(name, known.values())):
                what = f"the name '{name}' looks like '{twin}', another author's"
                raise ArenaError(what, str(self._folder.root), "choose another name")
            known.setdefault(name.lower(), name)

    def _check_left(self, name: str) -> None:
        """Raise ArenaError if the ladder has yet to delete the account of an author of a name."""
        if not self._folder.ladder.exists():  # the operator of a new ladder
            return
        if self._book.has_author(name):
            what = f"what an author called '{name}' left is still to be removed"
            hint = "the ladder does it when it runs: try again then"
            raise ArenaError(what, str(self._folder.root), hint)

    def authors(self) -> list[Author]:
        """Return who may submit, by name."""
        return [Author(**row) for row in self._file.rows("SELECT * FROM authors ORDER BY name")]

    def find(self, name: str) -> Author | None:
        """Return an author by their name in any case; None for one who was not invited."""
        return next((one for one in self.authors() if one.name.lower() == name.lower()), None)

    def author(self, name: str) -> Author:
        """Return an author; raises ArenaError for one who was not invited."""
        if author := self.find(name):
            return author
        near = did_you_mean(name, [author.name for author in self.authors()])
        hint = f"arena ladder invite {self._folder.root} {name}, or submit with --author NAME"
        raise ArenaError(
            f"unknown author '{name}'", str(self._folder.root), f"{hint}; {near}" if near else hint
        )

    def note_deed(self, who: str, author: str, what: str) -> None:
        """Note for the log of the ladder what somebody did to an author."""
        note_deed(self._file, who, author, what)

    def deeds(self, after: int = 0) -> list[Deed]:
        """Return what people did after a deed's id, in the order in which it was done."""
        rows = self._file.rows("SELECT * FROM deeds WHERE id > ? ORDER BY id", after)
        return [Deed(**row) for row in rows]

    # ------------------------------------------------------------ submissions

    def submit(
        self, author: str, bot: str, content: bytes, ending: str, quotas: Quotas, note: str = ""
    ) -> tuple[Upload, bool]:
        """Take a submission in, durably, as `receive` does."""
        sent = Sent(sha256(content).hexdigest(), ending, len(content), note)
        path = self._folder.upload(sent.sha256, ending)
        return self.receive(
            author, bot, sent, partial(write_file, path, content, durable=True), quotas
        )

    def receive(
        self, author: str, bot: str, sent: Sent, place: Callable[[], None], quotas: Quotas
    ) -> tuple[Upload, bool]:
        """Take a submission in, whose bytes `place` puts into the inbox, durably.

        Returns it, and whether it is new: the same bytes again are the same version, and use up
        nothing. Raises ArenaError for an unknown author, a name that is another author's or looks
        like it, bytes that another author submitted under the name, a quota that is used up, and
        too many bytes; nothing is changed then.
        """
        name = self.author(author).name
        check_note(sent.note)
        if known := self.known(name, bot, sent.sha256):
            return known, False
        self.check(name, bot, sent.bytes, quotas)
        place()
        with self._file.transaction():
            if known := self.known(name, bot, sent.sha256):
                return known, False
            self.check(name, bot, sent.bytes, quotas)
            same = "SELECT count(*) FROM uploads WHERE bot = ? AND sha256 = ?"
            if self._file.value(same, bot, sent.sha256):
                what = f"these files were submitted as '{bot}' already, and not by you"
                hint = "submit a bot of your own, or choose another name"
                raise ArenaError(what, "bot.yaml", hint)
            last = "SELECT coalesce(max(number), 0) FROM uploads WHERE bot = ?"
            upload = Upload(
                id=0,
                sha256=sent.sha256,
                ending=sent.ending,
                author=name,
                bot=bot,
                number=self._file.value(last, bot) + 1,
                bytes=sent.bytes,
                received_at=time.time(),
                note=sent.note,
            )
            id_ = self._file.insert("uploads", **{**upload._asdict(), "id": None})
            return upload._replace(id=id_), True

    def uploads(self, after: int = 0) -> list[Upload]:
        """Return the submissions after an id, in the order in which they came."""
        rows = self._file.rows("SELECT * FROM uploads WHERE id > ? ORDER BY id", after)
        return [Upload(**row) for row in rows]

    def allowance(self, author: str, quotas: Quotas) -> Allowance:
        """Return what an author may still submit now."""
        now = time.time()
        refused = self._book.refused(author)
        own = self._book.quota(author)
        quotas = quotas if own is None else replace(quotas, uploads=own)
        query = "SELECT id, received_at FROM uploads WHERE author = ? AND received_at > ?"
        times = dict(self._file.rows(query, author, now - max(DAY, HOUR)))
        accepted = [at for id_, at in times.items() if id_ not in refused]
        in_vain = [at for id_, at in times.items() if id_ in refused]
        return allowance(now, accepted, in_vain, quotas)

    def known(self, author: str, bot: str, digest: str) -> Upload | None:
        """Return the submission of these bytes, if they came before."""
        query = "SELECT * FROM uploads WHERE author = ? AND bot = ? AND sha256 = ?"
        rows = [*self._file.rows(query, author, bot, digest)]
        return Upload(**rows[0]) if rows else None

    def check(self, author: str, bot: str, size: int, quotas: Quotas) -> None:
        """Raise ArenaError if an author may not submit a bot of so many bytes now."""
        where = str(self._folder.root)
        check_name(bot.removeprefix(f"{author}/"), "on a ladder the name of a bot")
        if size > MAX_UPLOAD:
            what = f"a submission has at most {MAX_UPLOAD // 1024**2} MiB, not {size:,} bytes"
            raise ArenaError(what, where, "leave out what the bot does not need")
        self._book.check_owner(author, bot)
        refused = self._book.refused(author)
        query = "SELECT id, bot FROM uploads WHERE bot = ? AND author = ?"
        for id_, name in [*self._file.rows(query, bot, author)]:
            if id_ not in refused:
                check_spelling(bot, name)
        allowed = self.allowance(author, quotas)
        if allowed.blocked_until is not None:
            most = f"{allowed.of} submissions in 24 hours, {quotas.refused} refused ones an hour"
            what = f"the quota of {author} is used up until {stamp(allowed.blocked_until)}"
            raise QuotaError(what, where, f"at most {most}", allowed.blocked_until)

    def check_room(
        self, author: str, size: int, caps: Caps, of_address: Collection[str] = ()
    ) -> None:
        """Raise NoRoomError if an author may not add so many bytes to the inbox now.

        `of_address` has the files of the inbox that came from the author's address.
        """
        where = str(self._folder.root)
        free = shutil.disk_usage(self._folder.inbox).free
        if free < caps.free:
            what = f"the disk of the ladder is full: {size_text(free)} are free"
            hint = "try again later, and tell the operator"
            raise NoRoomError(what, where, hint, of_sender=False)
        waiting = self._folder.in_inbox()
        query = "SELECT sha256, ending FROM uploads WHERE author = ?"
        own = {f"{sha256}{ending}" for sha256, ending in self._file.rows(query, author)}
        for whose, names, most in (
            (f"of {author}", own, caps.inbox_of_author),
            ("of this address", of_address, caps.inbox_of_address),
            ("of all authors", waiting, caps.inbox),
        ):
            taken = sum(bytes_ for name, bytes_ in waiting.items() if name in names)
            if taken + size > most:
                what = f"submissions {whose} that are checked or wait take {size_text(taken)}"
                hint = f"at most {size_text(most)}: send it again when they are checked"
                raise NoRoomError(what, where, hint, of_sender=names is not waiting)

    # ------------------------------------------------------------ orders

    def order(self, who: str, what: Action, version: Version | None, why: str) -> int:
        """Leave an order for the ladder; returns its number.

        Raises ArenaError if the version is in no state for it.
        """
        name = version.name if version else ""
        if version and not allowed(version, what):
            states = ", ".join(sorted(ALLOWED[what]))
            problem = f"{name} is {version.state}: {version.why}"
            hint = "ask the operator" if version.held else f"{what} is for: {states}"
            raise ArenaError(problem, str(self._folder.root), hint)
        return self._leave(who, what, version=name, why=why, author="", uploads=None)

    def order_own(self, author: str, what: Action, version: Version) -> int:
        """Leave an order of an author for a version of theirs, as `order` does.

        Raises ArenaError also for one too many: each changes what is to be played.
        """
        query = "SELECT count(*) FROM orders WHERE who = ? AND what IN (?, ?) AND at > ?"
        since = time.time() - DAY
        if self._file.value(query, author, *sorted(OF_AUTHORS), since) >= _MOST_OWN_ORDERS:
            most = f"{_MOST_OWN_ORDERS} times in 24 hours"
            raise ArenaError(f"you withdrew versions or had them play {most}", hint="wait")
        return self.order(author, what, version, "")

    def order_quota(self, who: str, author: str, uploads: int, why: str) -> int:
        """Leave an order for an author's quota, in submissions in 24 hours; returns its number.

        Raises ArenaError for an author who was not invited, and for a number that is no quota.
        """
        name = self.author(author).name
        if not 1 <= uploads <= MOST:
            what = f"a quota is 1 to {MOST:,} submissions in 24 hours, not {uploads:,}"
            hint = f"to keep {name} out: arena ladder revoke"
            raise ArenaError(what, str(self._folder.root), hint)
        return self._leave(who, Action.QUOTA, version="", why=why, author=name, uploads=uploads)

    def forget(self, author: str) -> str:
        """Put a pseudonym in place of an author, and leave the order to do so; returns it."""
        pseudonym = f"former-{token_hex(4)}"
        with self._file.transaction():
            for table, column in _NAMED:
                update = f"UPDATE {table} SET {column} = ? WHERE {column} = ? COLLATE NOCASE"  # noqa: S608 - ours
                self._file.execute(update, pseudonym, author)
            update = "UPDATE uploads SET author = ?, note = '' WHERE author = ?"
            self._file.execute(update, pseudonym, author)
            self._file.execute("UPDATE authors SET role = 'author' WHERE name = ?", pseudonym)
            about = {"version": "", "why": "", "author": pseudonym, "uploads": None}
            self._leave(pseudonym, Action.FORGET, **about)
        return pseudonym

    def _leave(self, who: str, what: Action, **about: object) -> int:
        return self._file.insert("orders", at=time.time(), who=who, what=what, **about)

    def orders(self, after: int = 0) -> list[Order]:
        """Return the orders after a number, in the order in which they came."""
        rows = self._file.rows("SELECT * FROM orders WHERE id > ? ORDER BY id", after)
        return [Order(**{**row, "what": Action(row["what"])}) for row in rows]


def note_deed(file: BookFile, who: str, author: str, what: str) -> None:
    """Note for the log of the ladder what somebody did to an author."""
    file.insert("deeds", at=time.time(), who=who, author=author, what=what)


def check_note(note: str) -> None:
    """Raise ArenaError for a note that is not a short line of text."""
    if len(note) > MOST_NOTE or not note.isprintable():
        hint = f"write {MOST_NOTE} characters at most"
        raise ArenaError("the note is not a line of text", hint=hint)
