"""`arena final`: a knock-out or a table of a league's best, told as it is played."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import click
import msgspec
from msgspec.structs import replace

from arena.bots.bot import Bot
from arena.bots.models.config import Model
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, check_freezing, make_sandbox
from arena.bots.workshop import check_trust, open_workshop
from arena.cli import options
from arena.cli.exit_codes import FINDINGS, OK, stop_if_lost
from arena.cli.output import harmless, print_json, reporting, say
from arena.game.records import Conditions, PlayedFixture, game_result
from arena.game.rules.books import MAX_PLAYERS
from arena.ladder.config import load_config, sandbox_of
from arena.ladder.finalists import finalists
from arena.ladder.folder import existing
from arena.league.changes import version_name
from arena.league.play.final import (
    BOTS,
    WINS,
    Final,
    Wish,
    check_same,
    read_final,
    terms_of,
    winner_of,
)
from arena.league.schedule.knockout import BYE, Contest
from arena.league.store.store import Store
from arena.league.table.preparation import prepare
from arena.league.terms.config import load_league
from arena.publish.commentary import commentary
from arena.publish.pages.final import final_files
from arena.publish.pages.front import standings
from arena.publish.replay_steps import replay
from arena.publish.report import ReportRequest, report
from arena.publish.site_folder import FRONT, check_folder, replace_site

_MOST_BOTS = 64


class _Field(NamedTuple):
    """What a final is played of: a league's, or a ladder's."""

    conditions: Conditions
    bots: Sequence[Bot]
    """Those that can take part, the best first."""
    sandbox: Sandbox
    trusted: bool
    packages: bool
    models: Mapping[str, Model]
    file: Path


@click.command()
@options.league_argument
@click.option(
    "--bots",
    type=click.IntRange(2, _MOST_BOTS),
    help=f"How many of the best take part [default: {BOTS}, or {MAX_PLAYERS} with --table].",
)
@click.option("--table", is_flag=True, help="All sit at one table, instead of a knock-out.")
@click.option(
    "--wins",
    type=click.IntRange(1, 50),
    help=f"Games that win a match [default: {WINS}].",
)
@click.option(
    "--seed", callback=options.printable, help="Decides the draw and the dice [default: drawn]."
)
@click.option(
    "--pace",
    type=click.FloatRange(0, 60),
    default=1.0,
    show_default=True,
    help="Seconds between lines; 0 prints all at once.",
)
@click.option(
    "--into",
    type=options.PathType(),
    help="Folder for the pages: one for the wall of the room, and the winner's.",
)
@options.store_option
@options.site_option
@options.sandbox_option
@options.trust_option
@options.json_option
def command(
    league: Path,
    *,
    pace: float,
    into: Path | None,
    store: Path | None,
    site: Path,
    sandbox: str | None,
    trust_bots: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Play a final of the best bots of LEAGUE: a league.yaml, or the folder of a ladder.

    Matches are won by --wins games. Ratings know nothing of them. Each game is stored before it is
    told: the same command goes on after a stop, and tells the last game again.
    """
    wish = msgspec.convert(asked, Wish)
    if into:
        check_folder(into)
    if (league / "ladder.yaml").exists():
        field = _of_ladder(league)
    else:
        field = _of_league(league, store, site, sandbox, trusted=trust_bots)
    final = _begun(field, wish)
    told = _Teller(final, 0.0 if as_json else pace, silent=as_json)
    told.opening()
    if final.winner is None:
        _play(final, field, told.game)
    told.result()
    if into:
        day = datetime.now(UTC).date().isoformat()
        replace_site(into, final_files(final, field.conditions, day))
        say(f"for the wall: {into / FRONT}")
    if as_json:
        print_json(_data(final))
    say(f"stored: {final.path}; remove it for another final")
    faulted = any(game_result(played.games[0]).faulted for played in final.games)
    return FINDINGS if faulted else OK


def _of_league(
    path: Path, store: Path | None, site: Path, sandbox: str | None, *, trusted: bool
) -> _Field:
    stored_at = options.store_path(path, store)
    league = load_league(path)
    with reporting() as tell:
        written = report(ReportRequest(path, stored_at, site), tell)
    with Store(stored_at) as stored:
        conditions = stored.conditions()
    known = {bot.name: bot for bot in conditions.bots}
    now = {version_name(bot.info, known): bot for bot in league.bots}
    main = standings(written.ratings)
    ranked = [row.bot for row in main.rows] if main else []
    bots = [
        replace(bot, info=known[name])
        for name in ranked
        if (bot := now.get(name)) and bot.info.digest == known[name].digest
    ]
    name = sandbox or (conditions.sandbox if league.sandbox == AUTO else league.sandbox)
    runtimes = {bot.info.runtime for bot in bots}
    return _Field(
        conditions=conditions,
        bots=bots,
        sandbox=make_sandbox(name, runtimes, league.images, league.sandbox_paths),
        trusted=trusted,
        packages=league.packages,
        models=league.models,
        file=stored_at.with_suffix(".final.jsonl"),
    )


def _of_ladder(root: Path) -> _Field:
    folder = existing(root)
    config = load_config(folder.config)
    conditions, bots = finalists(folder)
    return _Field(
        conditions=conditions,
        bots=bots,
        sandbox=sandbox_of(config),
        trusted=config.file.trust_bots,
        packages=config.league.packages,
        models=config.league.models,
        file=root / "final.jsonl",
    )


def _begun(field: _Field, wish: Wish) -> Final:
    """Return the final that was begun, or a new one."""
    known = {bot.name: bot.info.digest for bot in field.bots}
    if final := read_final(field.file):
        check_same(final, wish, known)
        return final
    return Final(field.file, terms_of(wish, field.conditions, [*known], token_hex(8)))


def _play(final: Final, field: _Field, tell: Callable[[PlayedFixture], None]) -> None:
    """Play what is left, and tell each game; the last one that is stored is told again."""
    bots = [bot for bot in field.bots if bot.name in final.terms.digests]
    check_trust(field.sandbox, bots, trusted=field.trusted)
    check_freezing(field.sandbox, final.terms.limits)
    if final.games:
        tell(final.games[-1])
    with open_workshop(field.sandbox, packages=field.packages) as workshop:
        staged = prepare(workshop, bots, final.terms.rules, final.terms.limits)
        by_name = {bot.name: bot for bot in staged}
        while fixture := final.due():
            tell(final.play(fixture, by_name, field.sandbox, field.models))


class _Teller:
    """Tells a final in lines, with a pause after each."""

    def __init__(self, final: Final, pace: float, *, silent: bool) -> None:
        self._final = final
        self._pace = pace
        self._silent = silent

    def opening(self) -> None:
        """Tell who meets whom first."""
        terms = self._final.terms
        names = [name for name in terms.draw if name != BYE]
        how = "a knock-out" if terms.players == 2 else "one table"
        games = "1 game wins" if terms.wins == 1 else f"{terms.wins} games win"
        self._line(f"final of {terms.league}: {how} of {len(names)}, {games} a match")
        self._line(f"seed: {terms.seed}")
        for match in self._final.rounds[0]:
            self._line(f"  {_round(self._final, match)}: {' - '.join(match.players or ())}")

    def game(self, played: PlayedFixture) -> None:
        """Tell a game, and how its match stands."""
        final, fixture = self._final, played.fixture
        match = final.contest(fixture.block)
        number = 1 + sum(
            other.fixture.block == fixture.block for other in final.games[: fixture.index]
        )
        self._line("")
        self._line(f"{_round(final, match)}, game {number}: {' - '.join(fixture.seats)}")
        record = replay(played.games[0], fixture.seats, final.terms.rules, fixture.max_rounds)
        for line in commentary(record, fixture.seats):
            self._line(line)
        self._line(f"{winner_of(played)} wins game {number}: {_score(match)}")
        if match.winner:
            self._line(f"{match.winner} wins the match")

    def result(self) -> None:
        """Tell all matches and the winner."""
        self._line("")
        for matches in self._final.rounds:
            for match in matches:
                self._line(f"{_round(self._final, match)}: {_score(match)}")
        self._line(f"{self._final.winner} wins the final of {self._final.terms.league}")

    def _line(self, text: str) -> None:
        if self._silent:
            return
        click.echo(harmless(text.replace("\u202f", " ")))
        stop_if_lost()
        time.sleep(self._pace)


def _round(final: Final, match: Contest) -> str:
    return final.round_of(match.number) if final.terms.players == 2 else "table"


def _score(match: Contest) -> str:
    return ", ".join(f"{name} {won}" for name, won in match.score.items())


def _data(final: Final) -> dict[str, object]:
    """Return what `--json` prints."""
    matches = [
        {"round": _round(final, match), "score": match.score, "winner": match.winner}
        for of in final.rounds
        for match in of
    ]
    seed, winner = final.terms.seed, final.winner
    return {"seed": seed, "draw": final.terms.draw, "matches": matches, "winner": winner}
