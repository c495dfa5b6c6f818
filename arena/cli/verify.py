"""`arena verify`: replay a stored league and prove it."""

import os
from pathlib import Path

import click

from arena.cli.options import json_option, league_argument, store_option, store_path
from arena.cli.output import harmless, print_json, say
from arena.league.verify import Verified, verify
from arena.store.lock import is_locked
from arena.store.store import Store


@click.command()
@league_argument
@store_option
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes [default: cores].")
@click.option("--root", metavar="HASH", help="The root that was published with the results.")
@json_option
def command(
    league: Path, store: Path | None, workers: int | None, root: str | None, *, as_json: bool
) -> int:
    """Prove what is stored of LEAGUE: no bit has changed, and every game comes out the same again.

    Prints the root: one hash over the conditions and all games. Exit code 1 when anything differs.
    """
    path = store_path(league, store)
    playing = is_locked(path)
    cores = len(os.sched_getaffinity(0))
    with Store(path) as kept:
        verified = verify(kept, workers=workers or cores, published=root, playing=playing)
    if as_json:
        print_json(verified)
    else:
        _print(verified)
    return 1 if verified.findings else 0


def _print(verified: Verified) -> None:
    for finding in verified.findings:
        click.echo(harmless(f"{finding.where}: {finding.what}"))
    click.echo(
        f"{verified.games} games in {verified.fixtures} of {verified.scheduled} fixtures: "
        + ("all replay byte for byte" if not verified.findings else "NOT verified")
    )
    if verified.root:
        click.echo(f"root: {verified.root}")
    if not verified.hashed:
        say("an older arena wrote this store, without hashes: what no replay shows is not proved")
