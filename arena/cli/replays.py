"""The option that says which games a report lets people watch."""

import click

from arena.publish.replay.selection import NEWEST, ReplayChoice


def _choice(_context: click.Context, _option: click.Parameter, word: str) -> ReplayChoice:
    """Return what a word stands for: `all`, `none`, or a whole number from 0."""
    if word == "all":
        return "all"
    if word == "none":
        return "none"
    if not (word.isascii() and word.isdigit()):
        raise click.BadParameter(f"'{word}' is neither all, none nor a whole number")
    return int(word)


replays_option = click.option(
    "--replays",
    metavar="all|none|N",
    default=str(NEWEST),
    callback=_choice,
    show_default=True,
    help="Games to watch: all, none, or those with faults, upsets and each bot's newest N.",
)
