"""Bots that join, rest, are struck or play again: league.yaml compared with the store."""

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import BotInfo, LeagueInfo
from arena.io.errors import ArenaError, did_you_mean
from arena.league.changes import everyone, version_name, version_of
from arena.league.terms.config import League

_DIGITS = 8
"""Digits of a hash that are enough to distinguish two."""


class FieldChanges(Struct, frozen=True):
    """The changes of a league's field of bots."""

    names: dict[str, str]
    """The name in the league of each bot of league.yaml."""
    joined: tuple[BotInfo, ...]
    rested: tuple[str, ...]
    struck: tuple[str, ...]
    resumed: tuple[str, ...]
    playing: int
    """How many bots play after the changes."""
    texts: list[str]
    """The changes in words, sorted by name."""


def new_field(asked: LeagueInfo, league: League) -> None:
    """Raise ArenaError if bots are struck before anything was played."""
    if league.struck:
        _check_known(league, {bot.name: bot for bot in asked.bots})
        what = f"'{league.struck[0]}' cannot be struck: nothing was played yet"
        raise ArenaError(what, league.lines["struck"], "leave it out of `bots`")


def next_field(asked: LeagueInfo, now: LeagueInfo, league: League) -> FieldChanges:
    """Return the changes of the field: bots that are not listed rest, struck ones do not play.

    Raises ArenaError if an unknown bot is struck, or if too few are left.
    """
    known = {bot.name: bot for bot in everyone(now)}
    names: dict[str, str] = {}
    for bot in asked.bots:
        names[bot.name] = version_name(bot, known)
        known.setdefault(names[bot.name], replace(bot, name=names[bot.name]))
    _check_known(league, known)
    struck = set(league.struck)
    playing = set(names.values()) - struck
    if len(playing) < (need := max(asked.players)):
        what = f"{len(playing)} bots are left to play, too few for tables of {need}"
        raise ArenaError(what, league.lines["struck"], "strike fewer, or name more bots")
    old = {bot.name for bot in everyone(now)}
    was_struck, rested = {bot.name for bot in now.struck}, set(now.resting)
    was_playing = old - was_struck - rested
    changes = FieldChanges(
        names=names,
        joined=tuple(bot for name, bot in sorted(known.items()) if name not in old),
        rested=tuple(sorted((was_playing | was_struck) - playing - struck)),
        struck=tuple(sorted(struck - was_struck)),
        resumed=tuple(sorted((rested | was_struck) & playing)),
        playing=len(playing),
        texts=[],
    )
    return replace(changes, texts=_texts(changes, known))


def bot_changes(before: LeagueInfo, now: LeagueInfo) -> list[str]:
    """Name the bots that differ from those before, of a league of which nothing was played."""
    old = {bot.name: bot for bot in before.bots}
    new = {bot.name: bot for bot in now.bots}
    texts = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            texts.append(f"'{name}' joined")
        elif name not in new:
            texts.append(f"'{name}' left")
        elif old[name] != new[name]:
            texts.append(f"'{name}' has other files ({_digests(new[name], old[name])})")
    return texts


def _check_known(league: League, known: dict[str, BotInfo]) -> None:
    for name in league.struck:
        if name not in known:
            what = f"'{name}' is to be struck, but never played in this league"
            raise ArenaError(what, league.lines["struck"], did_you_mean(name, known))


def _texts(field: FieldChanges, known: dict[str, BotInfo]) -> list[str]:
    """Return a sentence for each bot that changes; a bot with other files gets one for both."""
    texts = {bot.name: f"'{bot.name}' joined" for bot in field.joined}
    texts |= {name: f"'{name}' rests" for name in field.rested}
    texts |= {name: f"'{name}' plays again" for name in field.resumed}
    texts |= {name: f"'{name}' is struck" for name in field.struck}
    new = {bot.name for bot in field.joined}
    for name, version in field.names.items():
        if version in new and version != name:
            before = [rested for rested in field.rested if version_of(rested)[0] == name]
            digests = _digests(known[version], known[before[0] if before else name])
            texts[version] = f"'{name}' has other files ({digests}) and plays as '{version}'"
            for rested in before:
                del texts[rested]
    return [text for _, text in sorted(texts.items())]


def _digests(new: BotInfo, old: BotInfo) -> str:
    return f"{new.digest[:_DIGITS]}, not {old.digest[:_DIGITS]}"
