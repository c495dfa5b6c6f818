"""`arena backup`, `prune`: copy a stored league, and remove its oldest logs."""

from pathlib import Path

import click

from arena.cli.options import PathType, json_option, league_argument, store_option, store_path
from arena.cli.output import print_result
from arena.io.text import parse_size, size_text
from arena.league.keeping.prune import NEWEST, plan_pruning, prune
from arena.league.store.backup import backup
from arena.league.store.files import logs_path
from arena.league.store.store import Store


@click.command()
@league_argument
@click.argument("file", type=PathType(dir_okay=False))
@store_option
@json_option
def backup_(league: Path, file: Path, store: Path | None, *, as_json: bool) -> None:
    """Copy the games of LEAGUE to FILE, and their logs beside it, even while it is played.

    The copy is a store: name it to other commands with --store FILE.
    """
    fixtures = backup(store_path(league, store), file)
    files = [str(file), str(logs_path(file))]
    line = f"{fixtures} fixtures: {', '.join(files)}"
    print_result({"fixtures": fixtures, "files": files}, line, as_json=as_json)


def _size_of(_: click.Context, __: click.Parameter, value: str) -> int:
    return parse_size(value, "--logs")


@click.command()
@league_argument
@click.option(
    "--logs",
    callback=_size_of,
    required=True,
    metavar="SIZE",
    help="How much the logs may take, standard error included: 500MiB, 5GiB.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be pruned.")
@store_option
@json_option
def prune_(league: Path, logs: int, store: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Replace the logs of the oldest fixtures of LEAGUE by their hashes until SIZE is enough.

    Results and ratings stay, and arena verify proves the rows; games without logs can no longer be
    replayed. Standard error is kept of fixtures with faults and of each bot's newest games only.
    """
    path = store_path(league, store)
    with Store(path) as opened:
        opened.conditions()
        pruned = plan_pruning(opened, logs) if dry_run else None
    if pruned is None:
        with Store(path, create=True) as opened:
            pruned = prune(opened, logs)
    said = "would prune" if dry_run else "pruned"
    about = "about " if dry_run else ""
    line = (
        f"{said} the logs of {pruned.games} games in {pruned.fixtures} fixtures"
        f" and the standard error of {pruned.stderr} more"
        f" (not of faults, nor of the newest {NEWEST} games of each bot):"
        f" {size_text(pruned.before)} before,"
        f" {about}{size_text(pruned.after)} after"
    )
    if not (pruned.fixtures or pruned.stderr):
        line = f"nothing to prune: the logs take {size_text(pruned.before)}"
    print_result(pruned, line, as_json=as_json)
