"""A final: a knock-out or one table of a league's best, in a file of its own.

Its games are those of the league: the same referee, rules, limits and sandbox. No rating knows of
them. The file has the terms in its first line and a game in each further one, as JSON.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.models.config import Model
from arena.bots.models.gateway import Access
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Conditions, Fixture, LimitsInfo, PlayedFixture, game_result
from arena.game.rules.books import MAX_PLAYERS, Rules
from arena.game.rules.round import max_rounds
from arena.game.seeds import fixture_seed
from arena.io.errors import ArenaError
from arena.io.files import os_errors
from arena.league.schedule.knockout import (
    Contest,
    draw_knockout,
    draw_table,
    next_contest,
    round_name,
    rounds,
)
from arena.league.table.play_fixture import play_fixture

WINS = 2
"""The games that win a match, if nobody says otherwise."""
BOTS = 8
"""The bots of a knock-out, if nobody says otherwise."""


class FinalTerms(Struct, frozen=True):
    """What decides a final: it stays the same until there is a winner."""

    league: str
    """The name of the league or the ladder."""
    seed: str
    """Decides the draw and the dice."""
    draw: tuple[str, ...]
    """The bots, neighbours meet; `BYE` for no rival in the first round."""
    players: int
    """How many sit at a table: 2, or all of them."""
    wins: int
    """The games that win a match."""
    digests: Mapping[str, str]
    """The files of each bot."""
    variant: str
    rules: Rules
    limits: LimitsInfo
    max_rounds: int | UnsetType = UNSET


class Wish(Struct, frozen=True):
    """What is asked for a final; None where nobody said anything."""

    bots: int | None = None
    """How many of the best take part."""
    table: bool | None = None
    """Whether all of them sit at one table."""
    wins: int | None = None
    seed: str | None = None


def terms_of(wish: Wish, conditions: Conditions, ranked: Sequence[str], seed: str) -> FinalTerms:
    """Return the terms of a new final; raises ArenaError if too few or too many would play.

    `ranked` are the bots that can take part, the best first; `seed` holds if the wish has none.
    """
    if len(ranked) < 2:
        found = f"only {ranked[0]}" if ranked else "none"
        hint = "play the league first: arena run"
        raise ArenaError(
            f"a final needs two rated bots, and there is {found}", conditions.name, hint
        )
    most = MAX_PLAYERS if wish.table else BOTS
    if wish.table and wish.bots and wish.bots > MAX_PLAYERS:
        what = f"at most {MAX_PLAYERS} sit at a table, not {wish.bots}"
        raise ArenaError(what, "--bots", "leave --table out for a knock-out")
    chosen = ranked[: wish.bots or most]
    seed = seed if wish.seed is None else wish.seed
    digest = {bot.name: bot.digest for bot in conditions.bots}
    variant, rules = next(iter(conditions.variants.items()))
    players = len(chosen) if wish.table else 2
    per_die = conditions.rounds_per_die
    return FinalTerms(
        league=conditions.name,
        seed=seed,
        draw=(draw_table if wish.table else draw_knockout)(chosen, seed),
        players=players,
        wins=wish.wins or WINS,
        digests={name: digest[name] for name in chosen},
        variant=variant,
        rules=rules,
        limits=conditions.limits,
        max_rounds=max_rounds(rules, players, per_die) if per_die else UNSET,
    )


class Final:
    """A final as far as it was played."""

    def __init__(self, path: Path, terms: FinalTerms, games: Sequence[PlayedFixture] = ()) -> None:
        self.path = path
        self.terms = terms
        self.games = [*games]
        """In the order in which they were played; the index of a fixture is its place here."""

    @property
    def rounds(self) -> list[list[Contest]]:
        """All matches, round by round."""
        winners: dict[int, list[str]] = {}
        for played in self.games:
            winners.setdefault(played.fixture.block, []).append(winner_of(played))
        terms = self.terms
        return rounds(terms.draw, terms.players, terms.wins, winners)

    @property
    def winner(self) -> str | None:
        """Who has won the final."""
        [last] = self.rounds[-1]
        return last.winner

    def contest(self, number: int) -> Contest:
        """Return a match by its number."""
        return next(match for match in chain(*self.rounds) if match.number == number)

    def round_of(self, number: int) -> str:
        """Return what the round of a match is called."""
        of = self.rounds
        at = next(
            at for at, matches in enumerate(of) if any(one.number == number for one in matches)
        )
        return round_name(2 ** (len(of) - 1 - at))

    def due(self) -> Fixture | None:
        """Return the game that is played next; None once there is a winner.

        Who sat first in a game sits last in the next one of the match.
        """
        match = next_contest(self.rounds)
        if match is None or match.players is None:
            return None
        terms, played = self.terms, len(match.winners)
        first = played % len(match.players)
        seats = match.players[first:] + match.players[:first]
        id_ = sha256(f"{terms.seed}/{match.number}/{played}/{seats}".encode()).hexdigest()[:16]
        return Fixture(
            id=id_,
            index=len(self.games),
            variant=terms.variant,
            seats=seats,
            seed=fixture_seed(terms.seed, id_),
            games=1,
            block=match.number,
            max_rounds=terms.max_rounds,
        )

    def play(
        self,
        fixture: Fixture,
        bots: Mapping[str, StagedBot],
        sandbox: Sandbox,
        models: Mapping[str, Model] = MappingProxyType({}),
    ) -> PlayedFixture:
        """Play the game that is due, and store it before anybody hears of it."""
        programs = [bots[name].program for name in fixture.seats]
        asks = any(program.models for program in programs)
        gateway = Access(dict(models)).gateway(fixture.seats, fixture.id) if asks else None
        with (
            gateway or nullcontext(),
            Multiplexer(programs, sandbox, self.terms.limits, gateway=gateway) as multiplexer,
        ):
            played = play_fixture(fixture, self.terms.rules, multiplexer)
        # What a bot wrote is for its author.
        played = replace(played, stderr=(), answered=())
        if not self.games:
            _append(self.path, self.terms)
        _append(self.path, played)
        self.games.append(played)
        return played


def winner_of(played: PlayedFixture) -> str:
    """Return who won the one game of a fixture of a final."""
    return played.fixture.seats[game_result(played.games[0]).places.index(1)]


def read_final(path: Path) -> Final | None:
    """Return the final in a file; None if there is none, or none of its games.

    What was being written when the command was killed is left out. Raises ArenaError for a file
    that is something else.
    """
    try:
        with os_errors("it cannot be read", path):
            content = path.read_bytes()
    except ArenaError:
        if path.exists():
            raise
        return None
    whole, _, rest = content.rpartition(b"\n")
    if rest:
        with os_errors("it cannot be mended", path):
            os.truncate(path, len(content) - len(rest))
    head, *games = whole.splitlines() or [b""]
    if not head:
        return None
    try:
        terms = msgspec.json.decode(head, type=FinalTerms)
        return Final(path, terms, [msgspec.json.decode(game, type=PlayedFixture) for game in games])
    except (msgspec.MsgspecError, ValueError):
        raise ArenaError("it is not the file of a final", str(path), "move it away") from None


def check_same(final: Final, wish: Wish, known: Mapping[str, str]) -> None:
    """Raise ArenaError if a final that was begun is not the one that is asked for.

    `known` are the digests of the bots that can play now.
    """
    terms, hint = final.terms, "leave it out to go on, or remove the file for a new final"
    for option, wanted, has in (
        ("seed", wish.seed, terms.seed),
        ("wins", wish.wins, terms.wins),
        ("bots", wish.bots, len(terms.digests)),
        ("table", wish.table or None, terms.players > 2 or len(terms.digests) == 2),
    ):
        if wanted is not None and wanted != has:
            what = f"the final that was begun there has another --{option}"
            raise ArenaError(what, str(final.path), hint)
    for name, digest in terms.digests.items():
        if final.winner is None and known.get(name) != digest:
            gone = "has other files now" if name in known else "plays no more"
            what = f"'{name}' is in the final that was begun there, and {gone}"
            raise ArenaError(what, str(final.path), "bring it back, or remove the file")


def _append(path: Path, line: FinalTerms | PlayedFixture) -> None:
    """Write a line; nobody else may read the file, which has the key of dice to come."""
    with os_errors("it cannot be written", path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(msgspec.json.encode(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())
