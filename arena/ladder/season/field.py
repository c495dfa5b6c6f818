"""Which versions play: those that passed their check, until they are replaced, ordered out or left.

A bot has one version in the field: the newest that passed its check, or the better of two.
"""

import shutil
import threading
from collections.abc import Sequence

import msgspec

from arena.io.errors import ArenaError, ShortageError
from arena.ladder.book.book import Book
from arena.ladder.book.tables import (
    PLAYING,
    WAITING,
    Action,
    Comparison,
    Order,
    State,
    Version,
    allowed,
)
from arena.ladder.config import Config, Keep
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.season.season import Season, TwinResult

_FAULTED_GAMES = 50
_FAULTED_SHARE = 0.1
"""A version rests that faulted in so many games, if they are more than this share of all."""
_LEFT = "its author left"


class Field:
    """The versions that play a season, as the book says and as far as they can be started."""

    def __init__(self, season: Season, folder: Folder, config: Config, book: Book) -> None:
        self._season = season
        self._folder = folder
        self._config = config
        self._book = book
        self._versions: list[Version] = []
        self._seen = 0
        """The last line of the log when the versions were compared with the book."""
        self.changed = True
        """Whether the book may have other versions play than these."""

    def names(self) -> list[str]:
        """Return the names of the versions that play."""
        return [version.name for version in self._versions]

    def struck(self) -> list[str]:
        """Return the names of the versions whose games count no more."""
        return [version.name for version in self._book.versions({State.STRUCK})]

    def humans(self) -> dict[str, bool | None]:
        """Return whether each version plays against people; None if its bot.yaml does not say."""
        return {name: self._season.humans(name) for name in self.names()}

    def take(self, stop: threading.Event) -> bool:
        """Make the versions ready that the book has play; False if `stop` was set before all were.

        One that cannot be started any more rests.
        """
        self.changed = False
        for version in self._book.versions(PLAYING):
            if stop.is_set():
                return False
            if self._season.is_ready(version):
                continue
            try:
                self._season.enter(version, self._folder.version(version.digest))
            except ShortageError:
                raise
            except ArenaError as error:
                why = f"it cannot be started any more: {error}"
                self._book.set_state(version, State.RESTING, why)
        self._versions = self._book.versions(PLAYING)
        return True

    def compare(self) -> None:
        """Let versions rest that have met the next one, or the next one if it is worse."""
        self._drop_ordered_out()
        named = {version.name: version for version in self._versions}
        keep = self._config.file.keep
        for met in self._season.compared(named):
            rests = settle(self._book, named[met.new], named[met.old], met.result, keep)
            self._drop(rests)

    def judge(self) -> None:
        """Move versions on that have met the one before, played enough, or faulted too often."""
        self.compare()
        enough = self._config.file.ratings.provisional
        for number, version in enumerate(self._versions):
            games = self._season.games[version.name]
            faulted = self._season.faulted[version.name]
            if faults_too_often(games, faulted):
                why = f"it faulted in {faulted} of {games} games"
                self._book.set_state(version, State.RESTING, why, held=True)
                self._drop(version)
                return
            if version.state is State.PROVISIONAL and games >= enough:
                self._book.set_state(version, State.RATED, f"after its first {games} games")
                self._versions[number] = version._replace(state=State.RATED)

    def _drop_ordered_out(self) -> None:
        """Drop the versions that an order or a newer version took out since they were taken."""
        if (last := self._book.last_event()) == self._seen:
            return
        self._seen = last
        playing = {version.id: version for version in self._book.versions(PLAYING)}
        left = [playing[version.id] for version in self._versions if version.id in playing]
        self.changed |= len(left) < len(self._versions)
        self._versions = left

    def _drop(self, version: Version) -> None:
        self._versions = [other for other in self._versions if other.id != version.id]
        self.changed = True


def faults_too_often(games: int, faulted: int) -> bool:
    """Tell whether a version must rest that faulted in so many of its games."""
    return faulted >= _FAULTED_GAMES and faulted > _FAULTED_SHARE * games


def admit(book: Book, version: Version, why: str) -> None:
    """Let a version play that passed its check, unless a newer one of the bot plays.

    The one before it plays on, until they have met on the same dice.
    """
    others = sorted(_siblings(book, version), key=lambda other: other.number)
    if others and others[-1].number > version.number:
        book.set_state(version, State.RESTING, f"{why}, but {others[-1].name} is newer")
        return
    for old in others[:-1]:
        book.set_state(old, State.RESTING, f"{version.name} plays in its place")
    for predecessor in others[-1:]:
        book.set_state(predecessor, predecessor.state, f"it meets {version.name} on the same dice")
    book.set_state(version, State.PROVISIONAL, why)


def settle(
    book: Book, new: Version, old: Version, result: TwinResult | None, keep: Keep
) -> Version:
    """Let one of two versions rest that have met, or could not; returns which."""
    worse = result is not None and result.rivals_beaten.above < 0.5
    with book.together():
        if result:
            book.compare(Comparison(new.id, old.name, msgspec.json.encode(result)))
            book.note(verdict(result, old.name), new.author, new.name)
        if keep is Keep.BETTER and worse:
            book.set_state(new, State.RESTING, f"{old.name} is better, and plays on")
            book.set_state(old, old.state, f"it is better than {new.name}")
            return new
        book.set_state(old, State.RESTING, f"{new.name} plays in its place")
        return old


def verdict(result: TwinResult, predecessor: str) -> str:
    """Say how a version compares with the one before it."""
    above = result.rivals_beaten.above
    games = f"({result.games} twin games)"
    if above == 0.5:
        return f"as good as {predecessor} {games}"
    word = "better" if above > 0.5 else "worse"
    sure = max(above, 1 - above)
    percent = "over 99.9 %" if sure > 0.999 else f"{100 * sure:.1f} %"
    return f"{word} than {predecessor} with {percent} {games}"


def place_in_field(book: Book, version: Version, why: str) -> None:
    """Let a version play in place of every other one of the bot."""
    for other in _siblings(book, version):
        book.set_state(other, State.RESTING, f"{version.name} plays in its place")
    book.set_state(version, State.PROVISIONAL, why)


def _resume(book: Book, version: Version, why: str) -> None:
    """Let a version play that rests; one that rested before its check was passed is checked."""
    result = book.newest_result(version.id)
    if result and result.ok:
        place_in_field(book, version, why)
    else:
        book.set_state(version, State.QUEUED, why)


def _siblings(book: Book, version: Version) -> list[Version]:
    return [
        other
        for other in book.versions(PLAYING)
        if other.bot == version.bot and other.id != version.id
    ]


def carry_out(order: Order, book: Book) -> None:
    """Do what was ordered, and answer; what cannot be done is answered, too."""
    if order.uploads is not None:
        with book.together():
            book.set_quota(order.author, order.uploads)
            answer = f"{order.author} may make {order.uploads} submissions in 24 hours"
            book.answer(order, answer, done=True)
        return
    try:
        version = book.version(order.version)
    except ArenaError as error:
        book.answer(order, error.what, done=False)
        return
    if not allowed(version, order.what):
        book.answer(order, f"it is {version.state}: {version.why}", done=False)
        return
    reason = f": {order.why}" if order.why else ""
    why = f"ordered by {order.who}{reason}"
    with book.together():
        if order.what is Action.APPROVE:
            admit(book, version, f"approved by {order.who}{reason}")
        elif order.what in {Action.RESUME, Action.PLAY}:
            _resume(book, version, why)
        else:
            held = order.what is Action.REST
            book.set_state(version, _ORDERED[order.what], why, held=held)
        book.answer(order, f"{version.name} is {book.version(version.name).state}", done=True)


_ORDERED = {
    Action.REST: State.RESTING,
    Action.WITHDRAW: State.RESTING,
    Action.STRIKE: State.STRUCK,
    Action.RECHECK: State.QUEUED,
}
"""The states to which orders move a version."""


def delete_account(order: Order, folder: Folder, door: Door, book: Book) -> None:
    """Let the versions of an author who left rest under the pseudonym that the door gave them.

    The door knows their submissions by the pseudonym alone; the book still has the name.
    """
    ids = {upload.id for upload in door.uploads() if upload.author == order.author}
    versions = [version for version in book.versions() if version.id in ids]
    names = {version.author for version in versions} - {order.author}
    with book.together():
        for version in versions:
            renamed = version._replace(author=order.author)
            if version.state in WAITING:
                book.set_state(renamed, State.REFUSED, _LEFT)
            elif version.state in PLAYING | {State.AWAITING}:
                book.set_state(renamed, State.RESTING, _LEFT, held=True)
        for name in names:
            book.rename_author(name, order.author)
        book.rename_deeds(
            [deed for deed in door.deeds() if order.author in {deed.who, deed.author}]
        )
        book.answer(order, "an author left: results stay under a pseudonym", done=True)
    for name in names:
        shutil.rmtree(folder.private / name, ignore_errors=True)
    _remove_files(folder, book, versions)


def _remove_files(folder: Folder, book: Book, versions: Sequence[Version]) -> None:
    """Remove what was submitted as some versions, but for files that others submitted, too."""
    left = {version.id for version in versions}
    others = [version for version in book.versions() if version.id not in left]
    kept = {version.digest for version in others} | {version.sha256 for version in others}
    for version in versions:
        if version.digest and version.digest not in kept:
            folder.version(version.digest).unlink(missing_ok=True)
        if version.sha256 not in kept:
            folder.upload(version.sha256, version.ending).unlink(missing_ok=True)
