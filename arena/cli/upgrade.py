"""`arena upgrade --check`: what this version says of a league, a ladder or a course."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
from msgspec import Struct

from arena import __version__
from arena.cli.exit_codes import FINDINGS, OK
from arena.cli.options import PathType, json_option
from arena.cli.output import harmless, print_json
from arena.course.config import load_course
from arena.course.lock import read_lock
from arena.course.marks import GRADING
from arena.io.errors import ArenaError
from arena.ladder.folder import existing
from arena.ladder.season.season import STORE
from arena.ladder.status import restart
from arena.league.keeping.status import status
from arena.league.store.files import logs_path
from arena.league.store.store import Store
from arena.league.terms.config import load_league


class Checked(Struct, frozen=True):
    """What this version says of one file."""

    path: str
    ok: bool
    says: str


@click.command()
@click.argument("folder", type=PathType())
@click.option("--check", is_flag=True, required=True, help="Read all of it, and change nothing.")
@json_option
def command(folder: Path, *, as_json: bool, check: bool) -> int:
    """Say whether this version reads the league, ladder or course in FOLDER and goes on with it.

    Nothing is written. The exit code is 1 if something is refused. To replay the games: `arena
    verify`.
    """
    del check  # there is nothing to change: a version reads what earlier ones wrote
    found = list(_checked(folder))
    if not found:
        hint = "name a folder with a league.yaml, a ladder.yaml or a course.yaml"
        raise ArenaError("no league, ladder or course", str(folder), hint)
    if as_json:
        print_json({"version": __version__, "files": found})
    else:
        for one in found:
            click.echo(harmless(f"{'ok' if one.ok else 'REFUSED'}: {one.path}: {one.says}"))
    return OK if all(one.ok for one in found) else FINDINGS


def _checked(folder: Path) -> Iterator[Checked]:
    if (folder / "ladder.yaml").exists():
        yield _said(folder / "ladder.yaml", partial(_ladder, folder))
        yield from _stores(sorted((folder / "seasons").glob(f"*/{STORE}")))
    if (folder / "course.yaml").exists():
        yield _said(folder / "course.yaml", partial(_course, folder))
        yield from _stores(sorted((folder / GRADING).glob("*.sqlite")))
    others = {folder / "ladder.yaml", folder / "course.yaml"}
    for path in sorted({*folder.glob("*.yaml")} - others):
        store = path.with_suffix(".sqlite")
        if path.name == "league.yaml" or store.exists():
            yield _said(path, partial(_league, path))
            yield from _stores([store] if store.exists() else [])


def _said(path: Path, read: Callable[[], str]) -> Checked:
    try:
        return Checked(str(path), ok=True, says=read())
    except ArenaError as error:
        return Checked(str(path), ok=False, says=str(error))


def _ladder(folder: Path) -> str:
    after = restart(existing(folder))
    return f"season {after.season} {'begins' if after.begins else 'goes on'}"


def _course(folder: Path) -> str:
    course = load_course(folder)
    lock = read_lock(folder)
    graded = f"{len(lock.hand_ins)} hand-ins are graded" if lock else "nothing is graded yet"
    return f"{len(course.students)} students; {graded}"


def _league(path: Path) -> str:
    return f"{len(load_league(path).bots)} bots"


def _stores(paths: list[Path]) -> Iterator[Checked]:
    logs = {logs_path(path) for path in paths}
    for path in paths:
        if path not in logs:
            yield _said(path, partial(_store, path))


def _store(path: Path) -> str:
    with Store(path) as store:
        state, made_by = status(store, playing=False), store.conditions().arena_version
    rest = "finished" if state.finished else "goes on"
    return f"{state.games} games, begun by version {made_by}; {rest}"
