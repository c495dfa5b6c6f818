"""`arena report`: write the site of a stored league."""

import webbrowser
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from arena.cli.main import OK
from arena.cli.options import (
    json_option,
    league_argument,
    site_option,
    store_option,
    store_path,
)
from arena.cli.output import print_json, say, say_report
from arena.cli.replays import replays_option
from arena.cli.watch import watch
from arena.errors import ArenaError
from arena.league.config import gives_seed, load_ratings
from arena.publish.pseudonyms import Pseudonyms, secret_of, who_is_who, write_private
from arena.publish.replay.selection import ReplayChoice
from arena.publish.report import Report, write_report
from arena.records import LeagueInfo, RatingsInfo
from arena.store.store import Store

NOTHING = "nothing was played yet"
"""What a store says before its first game."""


@click.command()
@league_argument
@store_option
@site_option
@replays_option
@click.option("--open", "opening", is_flag=True, help="Show the report in the browser.")
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Write it anew while the league is played, until it is finished or Ctrl-C.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Call bots and authors by pseudonyms, the same in every report of the league.",
)
@click.option(
    "--anonymous-key",
    "key",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write who is who to this file (CSV); the report is anonymous.",
)
@json_option
def command(
    league: Path,
    store: Path | None,
    site: Path,
    key: Path | None,
    *,
    replays: ReplayChoice,
    opening: bool,
    watching: bool,
    anonymous: bool,
    as_json: bool,
) -> int:
    """Write the report of LEAGUE from its stored games, finished or not.

    What did not change since the last report is left alone. Digests of the games are kept beside
    the store; they may be deleted.
    """
    path = store_path(league, store)
    anonymous = anonymous or key is not None
    if anonymous and league.is_file() and gives_seed(league):
        say(f"warning: {league} gives the seed: who reads it there can find out who is who")
    write = partial(_write, league, path, site, replays, key=key, anonymous=anonymous)
    show = _Show(wanted=opening)
    if watching:
        report = _watched(league, path, write, show)
    else:
        show(report := write())
    if report is None:
        return OK
    if as_json:
        print_json(report.data())
    say_report(report)
    return OK


def _write(
    league: Path,
    store: Path,
    site: Path,
    replays: ReplayChoice,
    *,
    key: Path | None,
    anonymous: bool,
) -> Report:
    """Write the report; raises ArenaError where nothing was played yet."""
    with Store(store) as kept:
        info = kept.league
        if info is None:
            raise ArenaError(NOTHING, str(kept.path), f"arena run {league}")
        names = Pseudonyms(info, secret_of(store)) if anonymous else None
        if names and key:
            _write_key(key, names)
        return write_report(kept, info, _options(league, info), site, replays, names=names)


def _write_key(path: Path, names: Pseudonyms) -> None:
    """Write who is who, for nobody else to read."""
    try:
        write_private(path, who_is_who(names))
    except OSError as error:
        what = f"the key cannot be written: {error.strerror or error}"
        raise ArenaError(
            what, str(path), "name a file in a folder that you may write to"
        ) from error


def _watched(
    league: Path, store: Path, write: Callable[[], Report], show: Callable[[Report], None]
) -> Report | None:
    """Write the report whenever the store changed; return the last, None before the first game."""
    last: list[Report] = []

    def again() -> bool:
        try:
            report = write()
        except ArenaError as error:
            if error.what != NOTHING or last:
                raise
            say(f"waiting for the first game in {store}: arena run {league}")
            return False
        last[:] = [report]
        show(report)
        finished = not report.left
        if not finished:
            say(f"written: {report.front} ({report.games} games; {report.left} fixtures are left)")
        return finished

    with suppress(KeyboardInterrupt):
        watch(store, again)
    return last[0] if last else None


class _Show:
    """Shows a report in the browser, the first time only: a browser has a button for the rest."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted

    def __call__(self, report: Report) -> None:
        """Show it, or say where it is."""
        if not self._wanted:
            return
        self._wanted = False
        if not webbrowser.open(report.front.resolve().as_uri()):
            say(f"no browser was found: open {report.front.resolve()}")


def _options(league: Path, info: LeagueInfo) -> RatingsInfo:
    """Return what the league asks of its ratings now: they may change after the games."""
    if not league.is_file():
        return info.ratings
    return load_ratings(league, [bot.name for bot in info.bots])
