"""`arena verify`, `mend`: replay and re-rate a stored league, and drop what is damaged in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.options import (
    PathType,
    json_option,
    league_argument,
    store_option,
    store_path,
    workers_option,
)
from arena.cli.output import print_result
from arena.io.cores import core_count
from arena.league.keeping.mend import Mended, mend
from arena.league.keeping.rerating import TOLERANCE, DivisionCheck
from arena.league.keeping.verify import Verified, verify
from arena.league.store.store import Store


@click.command()
@league_argument
@store_option
@workers_option
@click.option("--root", metavar="HASH", help="The root that was published with the results.")
@click.option(
    "--site",
    type=PathType(),
    help="Folder of a report, whose leaderboards are compared with the games.",
)
@json_option
def verify_(
    league: Path,
    store: Path | None,
    workers: int | None,
    root: str | None,
    site: Path | None,
    *,
    as_json: bool,
) -> int:
    """Check that no stored bit of LEAGUE has changed and that every game replays the same.

    Rates the games again with the trueskill package. Prints the root: one hash over the conditions
    and all games. The exit code is 1 if anything differs.
    """
    with Store(store_path(league, store)) as opened:
        verified = verify(opened, workers=workers or core_count(), root=root, site=site)
    print_result(verified, *_lines(verified, site), as_json=as_json)
    return FINDINGS if verified.findings else OK


def _lines(verified: Verified, site: Path | None) -> Iterator[str]:
    for finding in verified.findings:
        yield f"{finding.where}: {finding.what}"
    verdict = "all replay byte for byte"
    if verified.findings:
        verdict = "NOT verified"
    elif verified.pruned:
        kept = verified.games - verified.pruned
        verdict = f"{kept} replay byte for byte; {verified.pruned} logs pruned, rows proved"
    stored = f"{verified.fixtures} of {verified.scheduled} fixtures"
    yield f"{verified.games} games in {stored}: {verdict}"
    if verified.ratings:
        yield _rerated(verified.ratings)
    if site and not verified.findings:
        yield f"site: the leaderboards in {site} match"
    if verified.root:
        yield f"root: {verified.root}"


def _rerated(divisions: Sequence[DivisionCheck]) -> str:
    """Return how much was rated again, and whether it agrees."""
    rated = sum(division.rated for division in divisions)
    games = sum(division.games for division in divisions)
    count = sum(division.rated > 0 for division in divisions)
    agree = not any([*division.mismatches()] for division in divisions)
    return (
        f"ratings: {rated} of {games} games in {count} of {len(divisions)} leaderboards"
        f"{' (drawn with the root as seed)' if rated < games else ''}"
        " rated again with the trueskill package: "
        + (f"mu and sigma agree within {TOLERANCE}" if agree else "NOT confirmed")
    )


@click.command()
@league_argument
@store_option
@json_option
def mend_(league: Path, store: Path | None, *, as_json: bool) -> None:
    """Drop the damaged fixtures of LEAGUE; `arena run` plays them again.

    Does the same for fixtures that are gone. The damaged store is kept beside the mended one.
    """
    mended = mend(store_path(league, store))
    print_result(mended, *_mended(mended), as_json=as_json)


def _mended(mended: Mended) -> Iterator[str]:
    if mended.aside is None:
        yield f"{mended.kept} fixtures are sound: there is nothing to mend"
        return
    yield (
        f"{mended.kept} fixtures are sound, {len(mended.dropped)} were damaged"
        f" and {mended.lost} gone: play what is missing with arena run"
    )
    if mended.dropped:
        yield f"dropped: {', '.join(mended.dropped)}"
    yield f"the damaged store is kept: {mended.aside}"
