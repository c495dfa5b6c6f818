"""Options that several commands share, and the paths they stand for."""

from pathlib import Path

import click

from arena.errors import ArenaError

league_argument = click.argument("league", type=click.Path(path_type=Path))
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Where the games are kept, and NAME.logs.sqlite beside it [default: beside league.yaml,"
    " named after it, .sqlite].",
)
site_option = click.option(
    "--site",
    type=click.Path(path_type=Path),
    default=Path("site"),
    show_default=True,
    help="Folder that the report is written to.",
)
sandbox_option = click.option(
    "--sandbox",
    metavar="NAME",
    help="auto, docker, bubblewrap or process [default: as in league.yaml].",
)
trust_option = click.option(
    "--trust-bots", is_flag=True, help="Run unvetted bots without isolation, as your own user."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")


def store_path(league: Path, store: Path | None) -> Path:
    """Return where a league's games are kept; raises ArenaError where the league is a folder."""
    if store is None and league.is_dir():
        raise ArenaError("a folder is no league", str(league), "name the league.yaml in it")
    return store or league.with_suffix(".sqlite")
