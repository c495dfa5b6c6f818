"""Rate a league again with the `trueskill` package, so that nobody need trust our arithmetic."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.io.errors import ArenaError
from arena.ratings.leaderboard_rows import LeaderboardRow
from arena.ratings.league_ratings import rate_results
from arena.ratings.model.trueskill import BETA, MU, SIGMA, Rating, rate_all

TOLERANCE = 1e-4
"""How far two values of mu or sigma may be apart. The package ends its iterations earlier than the
fold, which puts them up to 1e-5 apart (docs/reference/statistics.md); pages show two decimals."""
LIMIT = 20_000
"""Games that are rated with the package at most: of six players they take it half a minute."""


class Published(Struct, frozen=True, kw_only=True):
    """A bot's published ratings."""

    mu: float
    sigma: float
    mu_sequential: float

    def __str__(self) -> str:
        """Return them in one phrase."""
        return f"{self.mu:.5f} ± {self.sigma:.5f}, sequential {self.mu_sequential:.5f}"


class BotCheck(Struct, frozen=True):
    """A bot's ratings in a division: by the usual pass, twice, and as they are published."""

    bot: str
    games: int
    mu: float
    """The arena's, after the games that were rated with the package; 25 without any."""
    sigma: float
    package_mu: float
    """The package's, after the same games."""
    package_sigma: float
    published: Published
    """The ratings in a report of all games, relative to the mean of the field."""


class DivisionCheck(Struct, frozen=True):
    """The ratings of a division."""

    variant: str
    players: int
    games: int
    rated: int
    """How many of its games were rated with the package: the first of the schedule."""
    bots: list[BotCheck]

    @property
    def name(self) -> str:
        """The name of the division in findings."""
        return f"{self.variant}, {self.players} players"

    def mismatches(self) -> Iterator[tuple[str, str]]:
        """Yield the bots whose ratings differ between the arena and the package, with a message."""
        for bot in self.bots:
            ours, package = (bot.mu, bot.sigma), (bot.package_mu, bot.package_sigma)
            if not _close(ours, package):
                what = f"the arena rates it {_show(*ours)}, the trueskill package {_show(*package)}"
                yield f"{self.name}, bot '{bot.bot}'", what


class PublishedRow(Published, frozen=True):
    """A bot's line on a published leaderboard; mu is relative to the field's mean or a bot's."""

    bot: str
    games: int


class PublishedLeaderboard(Struct, frozen=True):
    """The compared fields of a leaderboard's data file."""

    variant: str
    players: int
    rows: list[PublishedRow]


_leaderboards = msgspec.json.Decoder(PublishedLeaderboard)


def read_leaderboards(site: Path) -> list[PublishedLeaderboard]:
    """Read the leaderboards of a site; raises ArenaError if none is found or one is damaged."""
    paths = sorted((site / "data").glob("leaderboard-*.json"))
    if not paths:
        raise ArenaError("no leaderboard found", str(site / "data"), "name a report's folder")
    boards = []
    for path in paths:
        try:
            boards.append(_leaderboards.decode(path.read_bytes()))
        except (OSError, UnicodeError, msgspec.MsgspecError) as error:
            what = f"the leaderboard cannot be read: {error}"
            raise ArenaError(what, str(path), "write it again with: arena report") from None
    return boards


def draw_sample(
    games: Mapping[Division, int], seed: str, limit: int = LIMIT
) -> dict[Division, int]:
    """Return how many games of each division to rate with the package: all, if `limit` allows.

    Else divisions are drawn until it is reached; the last may have a part of its games rated.
    """
    drawn = list(games)
    if sum(games.values()) > limit:
        Random(f"rerating/{seed}").shuffle(drawn)  # noqa: S311 - can be drawn again
    sample, left = {}, limit
    for division in drawn:
        sample[division] = min(games[division], left)
        left -= sample[division]
    return {division: sample[division] for division in games}


def check_division(
    division: Division, results: Sequence[FixtureResult], rated: int
) -> DivisionCheck:
    """Rate a division anew, and its first games also with the package."""
    from arena.ratings.model.games import as_arrays  # numpy is slow to import

    games = as_arrays(results)
    orders = list(islice(games.orders(), rated))
    ours, package = rate_all(orders), rate_with_package(orders)
    new = Rating()
    [board] = rate_results({division: results}, RatingsInfo(alpha=0.0)).boards
    bots = [
        BotCheck(
            bot=row.bot,
            games=row.games,
            mu=ours.get(row.bot, new).mu,
            sigma=ours.get(row.bot, new).sigma,
            package_mu=package.get(row.bot, new).mu,
            package_sigma=package.get(row.bot, new).sigma,
            published=_published(row),
        )
        for row in sorted(board.rows, key=lambda row: row.bot)
    ]
    return DivisionCheck(*division, len(games.order), rated, bots)


def _published(row: LeaderboardRow | Published, zero: Published | None = None) -> Published:
    """Return a row's ratings, relative to those of the bot whose mu is to be 0, if any."""
    mu, sequential = (zero.mu, zero.mu_sequential) if zero else (0.0, 0.0)
    return Published(mu=row.mu - mu, sigma=row.sigma, mu_sequential=row.mu_sequential - sequential)


def rate_with_package(orders: Sequence[Sequence[str]]) -> dict[str, Rating]:
    """Rate games, given as the bots in finishing order, with the package alone."""
    with warnings.catch_warnings():
        # It warns of its own source when it is compiled; the category changed with Python 3.12.
        for category in (SyntaxWarning, DeprecationWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        import trueskill  # slow
    model = trueskill.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, draw_probability=0.0)
    skill: dict[str, Any] = {}
    for order in orders:
        for team in model.rate([{bot: skill.get(bot, model.create_rating())} for bot in order]):
            skill.update(team)
    return {bot: Rating(rating.mu, rating.sigma) for bot, rating in skill.items()}


def compare_ratings(
    checks: Sequence[DivisionCheck], boards: Sequence[PublishedLeaderboard] | None
) -> Iterator[tuple[str, str]]:
    """Yield differences of the package's ratings and published leaderboards: place, message."""
    yield from chain.from_iterable(check.mismatches() for check in checks)
    if boards is None:
        return
    published = {(board.variant, board.players): board for board in boards}
    for check in checks:
        board = published.pop((check.variant, check.players), None)
        if board is None:
            yield check.name, "no leaderboard of it is published"
        else:
            yield from _compare(check, board)
    for variant, players in published:
        yield f"{variant}, {players} players", "its published leaderboard is of no stored game"


def _compare(check: DivisionCheck, board: PublishedLeaderboard) -> Iterator[tuple[str, str]]:
    rows = {row.bot: row for row in board.rows}
    ratings = {bot.bot: bot for bot in check.bots}
    if not rows.keys() & ratings.keys():
        yield check.name, "the published bots have other names: is it a report with pseudonyms?"
        return
    # Both mu of the anchor, if any, are published as exactly 0; else the means of the field are.
    anchors = {row.bot for row in board.rows if row.mu == row.mu_sequential == 0.0}
    zero = next((bot.published for bot in check.bots if bot.bot in anchors), None)
    for name in sorted(rows.keys() | ratings.keys()):
        where = f"{check.name}, bot '{name}'"
        row, bot = rows.get(name), ratings.get(name)
        if row is None or bot is None:
            yield where, "it is not on the published leaderboard" if bot else "it played no game"
        elif row.games != bot.games:
            what = f"published after {row.games} games, but {bot.games} are stored"
            yield where, f"{what}: write the report again with arena report"
        elif not _close(astuple(_published(row)), astuple(_published(bot.published, zero))):
            expected = _published(bot.published, zero)
            yield where, f"published as {_published(row)}, its games give {expected}"


def _close(values: tuple[float, ...], others: tuple[float, ...]) -> bool:
    return all(abs(a - b) <= TOLERANCE for a, b in zip(values, others, strict=True))


def _show(mu: float, sigma: float) -> str:
    return f"{mu:.5f} ± {sigma:.5f}"
