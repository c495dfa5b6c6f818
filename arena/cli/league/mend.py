"""`arena mend`: drop what is damaged of a stored league, so that it can be played again."""

from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.options import json_option, league_argument, store_option, store_path
from arena.cli.output import print_result
from arena.league.keeping.mend import Mended, mend


@click.command()
@league_argument
@store_option
@json_option
def command(league: Path, store: Path | None, *, as_json: bool) -> None:
    """Drop the damaged fixtures of LEAGUE; `arena run` plays them again.

    Does the same for fixtures that are gone. The damaged store is kept beside the mended one.
    """
    mended = mend(store_path(league, store))
    print_result(mended, *_lines(mended), as_json=as_json)


def _lines(mended: Mended) -> Iterator[str]:
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
