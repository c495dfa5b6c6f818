"""`arena verify`: replay a stored league and prove it."""

from pathlib import Path

import click

from arena.cli.options import json_option, league_argument, store_option, store_path
from arena.cli.output import harmless, print_json
from arena.league.verify import verify
from arena.store.store import Store


@click.command()
@league_argument
@store_option
@json_option
def command(league: Path, store: Path | None, *, as_json: bool) -> int:
    """Replay every stored game of LEAGUE from its seed and its actions; it must come out the same.

    Exit code 1 when anything differs.
    """
    with Store(store_path(league, store)) as kept:
        verified = verify(kept)
    if as_json:
        print_json(verified)
    else:
        for finding in verified.findings:
            click.echo(harmless(f"{finding.where}: {finding.what}"))
        click.echo(
            f"{verified.games} games in {verified.fixtures} of {verified.scheduled} fixtures: "
            + ("all replay byte for byte" if not verified.findings else "NOT verified")
        )
    return 1 if verified.findings else 0
