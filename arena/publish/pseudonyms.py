"""Names that stand for bots and authors in a site whose readers must not know who is who.

They are drawn from a secret that stays beside the store, so they are the same in every report of a
league, and nobody finds them out by trying names. The master seed is left out: the schedule is
drawn from it and the bots' names, and tells who sat where. What bots and authors wrote is left out
too, not searched for names: a name can be written in many ways, and where a bot is called by a word
that the arena uses itself, what is missing would tell. Whoever has the store knows who is who.
"""

import hmac
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from arena.errors import ArenaError
from arena.publish.data.tables import csv_cell, csv_of
from arena.records import (
    BotInfo,
    Cause,
    Epoch,
    Event,
    Faulted,
    GameRecord,
    LeagueInfo,
    PlayedFixture,
    QuarantinedFixture,
    RatingsInfo,
)

_FIRST = (
    "amber ashen azure brisk bronze calm cobalt copper coral crimson dapper dusky eager early "
    "ebony fabled fleet frosty gentle gilded golden hazel humble indigo ivory jade jolly keen "
    "lilac lively lunar mellow merry misty modest mossy nimble noble olive opal pearly placid "
    "plucky polar proud quiet rapid ruby rustic sandy scarlet silver solar spry stout sunny "
    "swift tawny teal tidy umber velvet vivid witty"
)
_SECOND = (
    "adder badger beaver bison bobcat camel cicada condor cougar crane curlew dingo dipper "
    "dormouse eagle egret falcon ferret finch gannet gecko gibbon grouse heron hornet ibex ibis "
    "jackal jay kestrel kiwi lemur linnet lynx magpie marmot marten merlin mole newt ocelot "
    "osprey otter owl petrel plover puffin puma quail raven robin sable seal shrew skink snipe "
    "stoat swan tapir tern toucan viper vole wombat"
)
"""So many words each that two bots seldom share both."""
_QUOTING = frozenset({Cause.CRASH, Cause.MALFORMED_LINE})
"""Causes whose details show a bot's own bytes, or how its program works."""
WITHHELD = "withheld"
"""What stands for such a detail."""


class Pseudonyms:
    """Who is called what: everybody who is or was in a league."""

    def __init__(self, info: LeagueInfo, secret: bytes) -> None:
        everybody = [bot for stage in info.earlier for bot in stage.bots] + list(info.bots)
        self.bots = _drawn([bot.name for bot in everybody], secret, "bot")
        self.authors = _drawn([bot.author for bot in everybody if bot.author], secret, "author")
        self._secret = secret

    @property
    def fingerprint(self) -> str:
        """What is the same only where all pseudonyms are."""
        return _keyed(self._secret, "fingerprint", repr((self.bots, self.authors)))

    def info(self, info: LeagueInfo) -> LeagueInfo:
        """Return the conditions of a league, with its bots in an order that tells nothing."""
        return replace(
            info,
            seed="",
            bots=self._bots(info.bots),
            earlier=tuple(self._stage(stage) for stage in info.earlier),
            ratings=self.ratings(info.ratings),
        )

    def ratings(self, options: RatingsInfo) -> RatingsInfo:
        """Return what a league asks of its ratings."""
        return replace(options, anchor=self.bots.get(options.anchor or ""))

    def played(self, played: PlayedFixture) -> PlayedFixture:
        """Return a fixture in which nobody is named."""
        seats = tuple(self.bots[bot] for bot in played.fixture.seats)
        return replace(
            played,
            fixture=replace(played.fixture, seats=seats),
            games=[_game(record) for record in played.games],
            stderr=(),
        )

    def aside(self, one: QuarantinedFixture) -> QuarantinedFixture:
        """Return a fixture that was set aside, without names."""
        seats = tuple(self.bots[bot] for bot in one.fixture.seats)
        return replace(one, fixture=replace(one.fixture, seats=seats))

    def _bots(self, bots: Iterable[BotInfo]) -> tuple[BotInfo, ...]:
        return tuple(sorted(map(self._bot, bots), key=lambda bot: bot.name))

    def _bot(self, bot: BotInfo) -> BotInfo:
        return replace(
            bot,
            name=self.bots[bot.name],
            author=self.authors.get(bot.author, ""),
            version="",
            runtime="",
            tags=(),
            digest="",
        )

    def _stage(self, stage: Epoch) -> Epoch:
        return replace(stage, bots=self._bots(stage.bots))


def who_is_who(names: Pseudonyms) -> str:
    """Return a CSV table of the names and what stands for them."""
    kinds = {"bot": names.bots, "author": names.authors}
    rows = [(kind, *pair) for kind, found in kinds.items() for pair in found.items()]
    return csv_of(["kind", "name", "pseudonym"], (map(csv_cell, row) for row in rows))


def secret_of(store: Path) -> bytes:
    """Return the secret beside a store, drawn when it is first asked for."""
    path = store.with_name(f"{store.name}.pseudonyms")
    try:
        if not path.exists():
            _write_once(path, secrets.token_hex(32))
        return path.read_bytes()
    except OSError as error:
        what = f"the secret of the pseudonyms cannot be kept: {error.strerror or error}"
        raise ArenaError(what, str(path), "make the store's folder writable") from error


def _write_once(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all; the first one stays."""
    making = path.with_name(f"{path.name}.{os.getpid()}")
    write_private(making, text)
    with suppress(FileExistsError):
        path.hardlink_to(making)
    making.unlink()


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read; raises OSError."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(text)


def _game(record: GameRecord) -> GameRecord:
    if not any(isinstance(event, Faulted) for event in record.events):
        return record
    return replace(record, events=[_event(event) for event in record.events])


def _event(event: Event) -> Event:
    if not isinstance(event, Faulted) or event.cause not in _QUOTING:
        return event
    return replace(event, detail=WITHHELD)


def _drawn(names: Iterable[str], secret: bytes, kind: str) -> dict[str, str]:
    """Return a pseudonym for each name, no two the same."""
    first, second = _FIRST.split(), _SECOND.split()
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        number = int(_keyed(secret, kind, name), 16)
        number, one = divmod(number, len(first))
        number, other = divmod(number, len(second))
        stem = f"{'author-' * (kind == 'author')}{first[one]}-{second[other]}"
        while (drawn := f"{stem}-{number % 100:02}") in found.values():
            number += 1
        found[name] = drawn
    return found


def _keyed(secret: bytes, kind: str, text: str) -> str:
    data = f"{kind} {text}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, data, sha256).hexdigest()
