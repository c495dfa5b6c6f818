"""Who gets in: requests for an invitation; invitations, sessions and tokens.

Secrets have 256 random bits, and only their SHA-256 is kept. A fast hash is enough: nobody can try
them all.
"""

import time
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from typing import NamedTuple

from arena.io.errors import ArenaError
from arena.ladder.book.book_file import BookFileUser
from arena.ladder.book.quota import DAY
from arena.ladder.door.door import Door, door_file, note_deed
from arena.ladder.folder import Folder

_BITS = 256
_DAY = 86_400.0
FRESH = 43_200.0
"""Seconds after an administrator's invitation was made in which it lets them administrate."""
MOST_TOKENS = 20
"""Tokens of an author, at most."""
MAX_MAIL = 254
MAX_WHY = 500
"""Characters of a mail address and of a reason, at most."""


class SecretKind(StrEnum):
    """What a secret is for."""

    INVITATION = "invitation"
    """Gives one session, once."""
    SESSION = "session"
    """Is in the cookie of a browser."""
    TOKEN = "token"  # noqa: S105 - a kind of secret
    """For programs: submits or reads, and nothing else."""
    FEED = "feed"
    """The end of the address of an author's feed."""


LASTS = {
    SecretKind.INVITATION: 14 * _DAY,
    SecretKind.SESSION: 30 * _DAY,
    SecretKind.TOKEN: 365 * _DAY,
    SecretKind.FEED: 3_650 * _DAY,
}
"""The seconds for which each is valid."""


class Scope(StrEnum):
    """What a secret lets its owner do."""

    AUTHOR = "author"
    ADMINISTRATOR = "administrator"
    SUBMIT = "submit"
    """A token that submits, and reads what its author may read."""
    READ = "read"
    """A token or a feed that only reads."""


TOKEN_SCOPES = (Scope.SUBMIT, Scope.READ)


class Secret(NamedTuple):
    """What is known of a secret; times in seconds since 1970."""

    author: str
    kind: SecretKind
    scope: Scope
    made: float
    """When the invitation was made; a session has that of the invitation it was given for."""
    expires: float

    @property
    def administrates(self) -> bool:
        """Whether it lets its owner administrate now."""
        return self.scope is Scope.ADMINISTRATOR and time.time() < self.made + FRESH


class Held(NamedTuple):
    """A session, a token or a feed, as its author sees it; times in seconds since 1970."""

    id: str
    """Names it when it is ended; it opens nothing."""
    kind: SecretKind
    scope: Scope
    name: str
    began: float
    expires: float


class Secrets(BookFileUser):
    """The secrets in the door's database; a context manager."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._file = door_file(folder, writes=writes)

    def make(
        self,
        author: str,
        kind: SecretKind,
        scope: Scope = Scope.AUTHOR,
        name: str = "",
        made: float | None = None,
    ) -> str:
        """Make a secret and return it: it cannot be read again."""
        now = time.time()
        word = token_urlsafe(_BITS // 8)
        self._file.insert(
            "secrets",
            sha256=id_of(word),
            author=author,
            kind=kind,
            scope=scope,
            made=now if made is None else made,
            expires=now + LASTS[kind],
            name=name,
        )
        return word

    def find(self, word: str, kind: SecretKind) -> Secret | None:
        """Return what a secret stands for; None if it is unknown, used, revoked or too old."""
        query = (
            "SELECT author, scope, made, expires FROM secrets "
            "WHERE sha256 = ? AND kind = ? AND used IS NULL AND expires > ?"
        )
        for row in [*self._file.rows(query, id_of(word), kind, time.time())]:
            return Secret(**{**row, "kind": kind, "scope": Scope(row["scope"])})
        return None

    def spend(self, invitation: str, browser: str = "") -> str | None:
        """Return the session that an invitation gives a browser, once; None if it gives none."""
        with self._file.transaction():
            secret = self.find(invitation, SecretKind.INVITATION)
            if secret is None:
                return None
            update = "UPDATE secrets SET used = ? WHERE sha256 = ?"
            self._file.execute(update, time.time(), id_of(invitation))
            note_deed(self._file, secret.author, secret.author, "logged in")
            kind = SecretKind.SESSION
            return self.make(secret.author, kind, secret.scope, browser, secret.made)

    def drop(self, word: str) -> None:
        """Forget a secret."""
        self._end(id_of(word))

    def held(self, author: str) -> list[Held]:
        """Return the sessions, tokens and feeds of an author that are valid, the newest first."""
        query = (
            "SELECT sha256, kind, scope, name, expires FROM secrets "
            "WHERE author = ? AND kind != ? AND expires > ?"
        )
        held = []
        for row in self._file.rows(query, author, SecretKind.INVITATION, time.time()):
            kind = SecretKind(row["kind"])
            held.append(
                Held(
                    id=row["sha256"],
                    kind=kind,
                    scope=Scope(row["scope"]),
                    name=row["name"],
                    began=row["expires"] - LASTS[kind],
                    expires=row["expires"],
                )
            )
        return sorted(held, key=lambda secret: -secret.began)

    def end(self, author: str, id_: str) -> None:
        """Forget one of an author's secrets by its id, if it is there."""
        self._end(id_, author)

    def _end(self, id_: str, author: str = "") -> None:
        delete = (
            "DELETE FROM secrets WHERE sha256 = ? AND (? = '' OR author = ?) RETURNING author, kind"
        )
        with self._file.transaction():
            for row in [*self._file.rows(delete, id_, author, author)]:
                note_deed(self._file, row["author"], row["author"], f"ended a {row['kind']}")

    def make_token(self, author: str, name: str, scope: Scope) -> str:
        """Return a new token; raises ArenaError if the author has as many as they may."""
        with self._file.transaction():
            tokens = [one for one in self.held(author) if one.kind is SecretKind.TOKEN]
            if len(tokens) >= MOST_TOKENS:
                raise ArenaError(f"you have {MOST_TOKENS} tokens", hint="end one of them first")
            note_deed(self._file, author, author, f"made a token: {scope}")
            return self.make(author, SecretKind.TOKEN, scope, name)

    def renew_feed(self, author: str) -> str:
        """Return the end of a feed's address; the one that the author had leads nowhere."""
        return self._renew(author, SecretKind.FEED, Scope.READ, "feed")

    def renew_invitation(self, author: str, scope: Scope) -> str:
        """Return an invitation; those that the author had are not valid any more."""
        return self._renew(author, SecretKind.INVITATION, scope)

    def _renew(self, author: str, kind: SecretKind, scope: Scope, name: str = "") -> str:
        with self._file.transaction():
            delete = "DELETE FROM secrets WHERE author = ? AND kind = ?"
            self._file.execute(delete, author, kind)
            return self.make(author, kind, scope, name)

    def revoke(self, author: str, by: str = "") -> int:
        """Forget all secrets of an author; returns how many there were.

        `by` says who does that for the log; "" if the author leaves, of which the log has no name.
        """
        with self._file.transaction():
            count = self._file.value("SELECT count(*) FROM secrets WHERE author = ?", author)
            self._file.execute("DELETE FROM secrets WHERE author = ?", author)
            if by:
                what = f"all {count} links, sessions and tokens revoked"
                note_deed(self._file, by, author, what)
            return int(count)


def invite(folder: Folder, name: str, scope: Scope, by: str = "") -> tuple[str, bool]:
    """Let someone submit; returns the secret of their link, and whether they are new.

    Their older links are not valid any more. `by` says who invites them: themselves if they join.
    """
    with Door(folder, writes=True) as door:
        new = door.invite(name, scope)
        author = door.author(name).name
        what = "invited" if new else "given a new link"
        as_what = " that administrates" if scope is Scope.ADMINISTRATOR else ""
        door.note_deed(by, author, "joined" if by == author else f"{what}{as_what}")
    with Secrets(folder, writes=True) as secrets:
        return secrets.renew_invitation(author, scope), new


def id_of(word: str) -> str:
    """Return what is kept of a secret: it names the secret when it is ended, and opens nothing."""
    return sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


class Request(NamedTuple):
    """What somebody asked for."""

    id: int
    at: float
    """In seconds since 1970."""
    name: str
    mail: str
    """"" if they gave none."""
    why: str


class Requests(BookFileUser):
    """The requests that wait; a context manager."""

    def __init__(self, folder: Folder, *, writes: bool = False) -> None:
        self._folder = folder
        self._file = door_file(folder, writes=writes)

    def waiting(self) -> list[Request]:
        """Return the requests, the first first."""
        return [Request(**row) for row in self._file.rows("SELECT * FROM requests ORDER BY id")]

    def add(self, name: str, mail: str, why: str, most: int) -> None:
        """Add a request; raises ArenaError if the name cannot be had, or if too many wait."""
        with self._file.transaction():
            waiting = self.waiting()
            check_free(self._folder, name, [request.name for request in waiting])
            if len(waiting) >= most:
                hint = "try again tomorrow, or ask the operator"
                raise ArenaError("too many requests wait already", hint=hint)
            self._file.insert("requests", at=time.time(), name=name, mail=mail, why=why)

    def take(self, number: int) -> Request | None:
        """Take a request that is decided off the list; None if it was decided before."""
        with self._file.transaction():
            request = next((one for one in self.waiting() if one.id == number), None)
            self._file.execute("DELETE FROM requests WHERE id = ?", number)
            return request


def check_free(folder: Folder, name: str, wanted: list[str]) -> None:
    """Raise ArenaError for a name that nobody can have, or that somebody has or asked for."""
    with Door(folder) as door:
        door.check_authors([name])
        taken = door.find(name) is not None
    if taken or name.lower() in {other.lower() for other in wanted}:
        raise ArenaError(f"the name '{name}' is taken", hint="choose another name")


def joined_today(folder: Folder) -> int:
    """Return how many authors joined in the last 24 hours."""
    with Door(folder) as door:
        return sum(author.since > time.time() - DAY for author in door.authors())
