"""`arena coach`: a bot's leaks and what mends them, and what its decisions cost it."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from arena.cli import options
from arena.cli.author.coached import Hearer, coach_bot, coached_options
from arena.cli.author.output.coach_report import print_coaching
from arena.cli.exit_codes import OK
from arena.cli.output import print_json, say
from arena.io.files import new_file


@click.command()
@coached_options
@click.option(
    "--decisions",
    type=options.PathType(),
    help="Also write every decision to this new file, a JSON object per line.",
)
@click.option(
    "--site",
    type=options.PathType(),
    help="Also write the league's report with all games to this folder, and a page of this.",
)
@options.json_option
def command(
    *, bot: str, site: Path | None, decisions: Path | None, as_json: bool, **games: Any
) -> int:
    """Say which leaks BOT has, which change mends each, and which decisions cost it most.

    With --league BOT is a name, and its stored games are judged. Otherwise it is a folder, an
    archive or sample:NAME, and first plays a quick table.
    """
    with new_file(decisions) if decisions else nullcontext() as file:
        coaching, store = coach_bot(bot, Hearer(file), timed=True, **games)
    if as_json:
        print_json(coaching)
    else:
        print_coaching(coaching)
    if site:
        from arena.author.coach.page import write_page  # slow to import, and few ask for it

        say(f"page: {write_page(coaching, store, site)}")
    return OK
