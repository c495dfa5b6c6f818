"""The master seed of a league: one that none of its bots can guess."""

import re
import secrets
from collections.abc import Sequence

from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.game.records import Conditions
from arena.game.seeds import commitment
from arena.io.errors import ArenaError
from arena.league.changes import everyone
from arena.league.store.store import Store
from arena.league.terms.config import League

_SALTED = re.compile(r"(?:(?P<named>.*)/)?[0-9a-f]{32,}", re.DOTALL)
"""A master seed that ends with at least 128 bits in hex."""
_DIGITS = 8
"""Digits of a hash that are enough to distinguish two."""


def choose(named: str | None, bots: Sequence[Bot], *, trusted: bool) -> str:
    """Return the master seed of new games; `named` is the seed in league.yaml, if any.

    If some of the bots could guess it, the result is `NAMED/SALT`, with a salt drawn now. A named
    seed that has a salt is taken as it is: that repeats a league.
    """
    if named and (is_salted(named) or not _must_not_guess(bots, trusted=trusted)):
        return named
    return _draw(named)


def master_seed(league: League, store: Store, *, trusted: bool) -> str:
    """Return the master seed of the games that a league plays next.

    It is the seed in the store; but the author of a bot that joined after games may know that seed
    by now, so a new salt is drawn for its games. Raises ArenaError if another seed is named after
    games, or if bots could guess the dice to come.
    """
    stored, named = store.league, league.seed or None
    if stored is None:
        return choose(named, league.bots, trusted=trusted)
    before, played = stored.seed, bool(store.finished())
    if named not in (None, before, _named_part(before)):
        if played:
            # Its hash was published before the first game, so that nobody can pick dice.
            hashes = f"{commitment(str(named))[:_DIGITS]}, not {stored.commitment[:_DIGITS]}"
            raise ArenaError(
                f"the master seed cannot change: its SHA-256 is {hashes} as before the first game",
                str(league.path),
                "omit `seed` to continue with the one in the store, "
                f"or start over with another --store than {store.path}",
            )
        return choose(named, league.bots, trusted=trusted)
    if named and is_salted(named):
        return before
    known = {bot.digest for bot in everyone(stored)} if played else set()
    joined = [bot for bot in league.bots if bot.info.digest not in known]
    safe = is_salted(before) or not _must_not_guess(league.bots, trusted=trusted)
    if _must_not_guess(joined, trusted=trusted) and (played or not safe):
        return _draw(_named_part(before))
    if safe:
        return before
    raise ArenaError(
        "the master seed has no salt: bots that did not come with the arena could guess it",
        str(league.path),
        "continue with --trust-bots if none of them would, "
        f"or start over with another --store than {store.path}",
    )


def describe(master: str, named: str | None, bots: Sequence[Bot]) -> str:
    """Return a sentence that says whether anyone could know the dice before they are rolled."""
    if is_salted(master) and named != master:
        drawn = "the master seed was drawn at random"
        if _named_part(master):
            drawn = "a random salt is mixed into the master seed"
        return f"{drawn}; it is published after the last game"
    if all(bot.shipped for bot in bots):
        return "no salt is mixed into the master seed: all bots came with the arena"
    return (
        "warning: no salt is mixed into the master seed:"
        " whoever knows or guesses it knows every die before it is rolled"
    )


def is_salted(master: str) -> bool:
    """Tell whether nobody can find a master seed by trying words."""
    return _SALTED.fullmatch(master) is not None


def seeds_of(conditions: Conditions) -> set[str]:
    """Return all master seeds of a league, past and present."""
    return {conditions.seed} | {earlier.seed for earlier in conditions.earlier_seeds}


def withheld(conditions: Conditions) -> Conditions:
    """Return conditions without the seeds, which decide the dice."""
    earlier_seeds = tuple(replace(earlier, seed="") for earlier in conditions.earlier_seeds)
    return replace(conditions, seed="", earlier_seeds=earlier_seeds)


def _must_not_guess(bots: Sequence[Bot], *, trusted: bool) -> bool:
    return not trusted and not all(bot.shipped for bot in bots)


def _draw(named: str | None) -> str:
    salt = secrets.token_hex(16)
    return f"{named}/{salt}" if named else salt


def _named_part(master: str) -> str | None:
    """Return the part of a master seed that a person named, None if all of it was drawn."""
    salted = _SALTED.fullmatch(master)
    return salted["named"] if salted else master
