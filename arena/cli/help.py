"""`arena help`: the pages of the manual, in the terminal."""

import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import click

from arena.cli.options import json_option
from arena.cli.output import print_json
from arena.io import shipped
from arena.io.errors import check_known

_PART = re.compile(r"## (.+)")
_TOPIC = re.compile(r"- \[(\w+)\]\((.+?)\): (.+)")


class Topic(NamedTuple):
    """A page of the manual: the part that it belongs to, its file, what it is about."""

    part: str
    path: Path
    about: str


@click.command()
@click.argument("topic", required=False)
@json_option
def command(topic: str | None, *, as_json: bool) -> None:
    """Show the page of the manual on TOPIC, or list the topics."""
    if topic is None:
        _list_topics(as_json=as_json)
        return
    check_known(topic, topics(), f"there is no page on '{topic}'", "arena help")
    text = topics()[topic].path.read_text(encoding="utf-8")
    if as_json:
        print_json({"topic": topic, "text": text})
    elif sys.stdout.isatty():
        # Slow to import, and only terminals need it.
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        click.echo(text, nl=False)


@cache
def topics() -> dict[str, Topic]:
    """Return the pages that `docs/index.md` lists, by topic, in its order."""
    return dict(_listed(shipped.folder("docs") / "index.md"))


def _listed(index: Path) -> Iterator[tuple[str, Topic]]:
    part = ""
    for line in index.read_text(encoding="utf-8").splitlines():
        if heading := _PART.fullmatch(line):
            part = heading[1]
        elif row := _TOPIC.fullmatch(line):
            yield row[1], Topic(part, (index.parent / row[2]).resolve(), row[3])


def _list_topics(*, as_json: bool) -> None:
    if as_json:
        print_json({name: topic.about for name, topic in topics().items()})
        return
    for part, inside in groupby(topics().items(), key=lambda row: row[1].part):
        click.echo(part)
        for name, topic in inside:
            click.echo(f"  {name:<13}{topic.about}")
        click.echo()
    click.echo("A page: arena help TOPIC. The options of a command: arena COMMAND --help")
