"""Pseudonyms for bots and authors, for a site whose readers must not know who is who.

They are drawn from a secret that stays beside the store, so they are the same in every report of a
league, and nobody can find them out by trying names. The master seed is left out: with it and the
bots' names, the schedule says who sat at which table. What bots and authors wrote is left out too,
not searched for names: a name can be written in many ways, and if a bot is called by a word that
the arena uses itself, the gap would reveal it. The store itself holds all names.
"""

import hmac
import os
import secrets
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from arena.game.records import (
    BotInfo,
    Cause,
    Conditions,
    Faulted,
    Fixture,
    FixtureResult,
    PlayedFixture,
    QuarantinedFixture,
    RatingsInfo,
)
from arena.io.errors import ArenaError
from arena.io.text import csv_of
from arena.league.changes import everyone
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.terms.master_seed import withheld
from arena.publish.data.schema import csv_cell

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
"""Enough words that two bots rarely share both."""
_QUOTING = frozenset({Cause.CRASH, Cause.MALFORMED_LINE})
"""Causes whose details show a bot's own bytes, or how its program works."""
WITHHELD = "withheld"
"""The text in place of such a detail."""


class Pseudonyms:
    """The pseudonyms of all bots and authors that are or were in a league."""

    def __init__(self, conditions: Conditions, secret: bytes, named: Collection[str] = ()) -> None:
        """Draw them by a secret; the bots that are `named` keep their names."""
        everybody = everyone(conditions)
        self.bots = _drawn([bot.name for bot in everybody], secret, "bot", named)
        self.authors = _drawn([bot.author for bot in everybody if bot.author], secret, "author")
        self._secret = secret

    @property
    def fingerprint(self) -> str:
        """A hash that differs as soon as any pseudonym does."""
        return _keyed(self._secret, "fingerprint", repr((self.bots, self.authors)))

    def info(self, conditions: Conditions) -> Conditions:
        """Return the conditions of a league, with its bots in an order that reveals nothing."""
        conditions = withheld(conditions)
        return replace(
            conditions,
            bots=self._bots(conditions.bots),
            resting=tuple(sorted(self.bots[name] for name in conditions.resting)),
            struck=self._bots(conditions.struck),
            ratings=self.ratings(conditions.ratings),
        )

    def ratings(self, options: RatingsInfo) -> RatingsInfo:
        """Return the options of a league's ratings, with the anchor's pseudonym."""
        return replace(options, anchor=self.bots.get(options.anchor or ""))

    def played(self, played: PlayedFixture) -> PlayedFixture:
        """Return a fixture in which nobody is named."""
        return replace(
            played,
            fixture=self.fixture(played.fixture),
            games=[
                replace(
                    record,
                    events=[
                        replace(event, detail=WITHHELD)
                        if isinstance(event, Faulted) and event.cause in _QUOTING
                        else event
                        for event in record.events
                    ],
                )
                for record in played.games
            ],
            stderr=(),
            exchanges=(),
        )

    def result(self, result: FixtureResult) -> FixtureResult:
        """Return a result in which nobody is named."""
        return replace(result, fixture=self.fixture(result.fixture))

    def quarantined(self, entry: QuarantinedFixture) -> QuarantinedFixture:
        """Return a quarantined fixture in which nobody is named."""
        return replace(entry, fixture=self.fixture(entry.fixture))

    def playoff(self, verdict: PlayoffVerdict) -> PlayoffVerdict:
        """Return the state of a playoff in which nobody is named."""
        return replace(verdict, left=tuple(self.bots[bot] for bot in verdict.left))

    def fixture(self, fixture: Fixture) -> Fixture:
        """Return a fixture in which nobody is named."""
        return replace(fixture, seats=tuple(self.bots[bot] for bot in fixture.seats))

    def _bots(self, bots: Iterable[BotInfo]) -> tuple[BotInfo, ...]:
        hidden = {"version": "", "runtime": "", "tags": (), "digest": ""}
        authors = self.authors
        renamed = [
            replace(bot, name=self.bots[bot.name], author=authors.get(bot.author, ""), **hidden)
            for bot in bots
        ]
        return tuple(sorted(renamed, key=lambda bot: bot.name))


def who_is_who(names: Pseudonyms) -> str:
    """Return a CSV table of all names and their pseudonyms."""
    kinds = {"bot": names.bots, "author": names.authors}
    rows = [(kind, *pair) for kind, pseudonyms in kinds.items() for pair in pseudonyms.items()]
    return csv_of([["kind", "name", "pseudonym"], *(map(csv_cell, row) for row in rows)])


def secret_of(store: Path) -> bytes:
    """Return the secret beside a store, drawn on first use; raises ArenaError."""
    path = store.with_name(f"{store.name}.pseudonyms")
    try:
        if not path.exists():
            draft = path.with_name(f"{path.name}.{os.getpid()}")
            draft.touch(0o600)
            draft.write_text(secrets.token_hex(32), encoding="ascii")
            with suppress(FileExistsError):  # the first secret stays
                path.hardlink_to(draft)
            draft.unlink()
        return path.read_bytes()
    except OSError as error:
        what = f"the secret of the pseudonyms cannot be kept: {error.strerror or error}"
        raise ArenaError(what, str(path), "make the store's folder writable") from error


def _drawn(
    names: Sequence[str], secret: bytes, kind: str, named: Collection[str] = ()
) -> dict[str, str]:
    first, second = _FIRST.split(), _SECOND.split()
    pseudonyms = {name: name for name in names if name in named}
    for name in dict.fromkeys(names):
        if name in named:
            continue
        number = int(_keyed(secret, kind, name), 16)
        number, adjective = divmod(number, len(first))
        number, animal = divmod(number, len(second))
        stem = f"{'author-' * (kind == 'author')}{first[adjective]}-{second[animal]}"
        while (pseudonym := f"{stem}-{number % 100:02}") in pseudonyms.values():
            number += 1
        pseudonyms[name] = pseudonym
    return pseudonyms


def _keyed(secret: bytes, kind: str, text: str) -> str:
    data = f"{kind} {text}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, data, sha256).hexdigest()
