"""`arena report`: write the site of a stored league."""

import re
from contextlib import suppress
from pathlib import Path

import click
import msgspec

from arena.cli import options
from arena.cli.output import SEED_WARNING, print_json, say, say_report, show_page
from arena.cli.report_progress import reporting
from arena.publish.report import Report, ReportRequest, report, watch


def _web_address(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Return the address; a usage error if it is not one of the web."""
    if url and not re.fullmatch(r"https?://[!-~]+", url):
        raise click.BadParameter("an address begins with https:// or http:// and has no spaces")
    return url


@click.command()
@options.league_argument
@options.store_option
@options.site_option
@options.replays_option
@click.option("--open", "opening", is_flag=True, help="Show the report in the browser.")
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Update it while the league is played, until it is finished or Ctrl-C.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Replace the names of bots and authors with pseudonyms, the same in every report of the"
    " league.",
)
@click.option(
    "--anonymous-key",
    "key",
    type=options.PathType(dir_okay=False),
    help="Write who is who to this file (CSV); the report is anonymous.",
)
@click.option(
    "--url",
    default="",
    callback=_web_address,
    help="Where the site will be published (https://...): its pages then have absolute links and a"
    " picture for sites that link to them.",
)
@options.json_option
def command(
    league: Path,
    store: Path | None,
    *,
    opening: bool,
    watching: bool,
    as_json: bool,
    **values: object,
) -> None:
    """Write the report of LEAGUE from its stored games, finished or not.

    What did not change since the last report is left alone. Summaries of the games are cached
    beside the store; they may be deleted.
    """
    paths = {"league": league, "store": options.store_path(league, store)}
    request = msgspec.convert({**paths, **values}, ReportRequest)
    if request.reveals_seed():
        say(SEED_WARNING)
    if watching:
        last = _watch(request, opening=opening)
    else:
        with reporting() as tell:
            last = report(request, tell)
    if last is None:
        return
    if opening and not watching:
        show_page(last.front_page)
    if as_json:
        print_json(last.data())
    say_report(last)


def _watch(request: ReportRequest, *, opening: bool) -> Report | None:
    """Announce each report but the last, and return that; Ctrl-C ends watching."""
    last: Report | None = None
    with suppress(KeyboardInterrupt):
        for last in watch(request, reporting):
            if last is None:
                say(f"waiting for the first game in {request.store}: arena run {request.league}")
                continue
            if opening:  # only once: the page has a button for newer ones
                show_page(last.front_page)
                opening = False
            if last.left:
                left = f"{last.games} games; {last.left} fixtures are left"
                say(f"written: {last.front_page} ({left})")
    return last
