"""`arena help`: the pages of the manual, in the terminal."""

import sys
from pathlib import Path

import click

from arena.cli.options import json_option
from arena.cli.output import print_json
from arena.io import shipped
from arena.io.errors import ArenaError, did_you_mean

TOPICS = {
    "authors": ("docs/authors.md", "from nothing to a ranked bot"),
    "protocol": ("protocol/README.md", "what bots read and write; Perudo in 30 seconds"),
    "languages": ("docs/languages.md", "runtimes, builds and packages"),
    "check": ("docs/check.md", "the steps of arena check"),
    "coach": ("docs/coach.md", "what the decisions of a bot cost it"),
    "compare": ("docs/compare.md", "whether a new version is better, and how it differs"),
    "alike": ("docs/alike.md", "bots that are alike, by source and by what they decide"),
    "teaching": ("docs/teaching.md", "four weeks of exercises, and what to say about luck"),
    "equilibrium": ("docs/equilibrium.md", "optimal play for two, and how far a bot is from it"),
    "submissions": ("docs/submissions.md", "archives, names and limits"),
    "league": ("docs/league.md", "league.yaml, key by key"),
    "rules": ("docs/rules.md", "the rule books, clause by clause"),
    "sandboxes": ("docs/sandboxing.md", "what each sandbox promises, and how to get it"),
    "security": ("docs/security.md", "what is promised to whom, what strangers may choose"),
    "cluster": ("docs/cluster.md", "playing on several machines"),
    "report": ("docs/report.md", "how to read a report, and to debug a fault"),
    "site": ("docs/site.md", "the pages and data files of a report"),
    "publishing": ("docs/publishing.md", "how to publish a report"),
    "ratings": ("docs/ratings.md", "what the numbers mean, and how often they hold"),
    "store": ("docs/store.md", "the files of a league: verify, back up, mend, export"),
    "ladder": ("docs/ladder.md", "running a ladder: submissions, checks, seasons"),
    "serve": ("docs/serve.md", "the web door of a ladder: links, uploads, HTTPS"),
    "course": ("docs/course.md", "marking a class: deadlines, marks, pages, exports"),
    "lab": ("docs/lab.md", "policies that learn: environments, kits, data sets"),
    "judge": ("docs/judge.md", "the format of arena judge"),
    "completion": ("docs/completion.md", "completion for bash, zsh and fish"),
}
"""By topic, its page and what it is about."""


@click.command()
@click.argument("topic", required=False)
@json_option
def command(topic: str | None, *, as_json: bool) -> None:
    """Show the page of the manual on TOPIC, or list the topics."""
    if topic is None:
        _list_topics(as_json=as_json)
        return
    if topic not in TOPICS:
        hint = did_you_mean(topic, TOPICS)
        raise ArenaError(f"there is no page on '{topic}'", "arena help", hint)
    text = page(topic).read_text(encoding="utf-8")
    if as_json:
        print_json({"topic": topic, "text": text})
    elif sys.stdout.isatty():
        _show(text)
    else:
        click.echo(text, nl=False)


def page(topic: str) -> Path:
    """Return the page of a topic."""
    folder, _, name = TOPICS[topic][0].partition("/")
    return shipped.folder(folder) / name


def _list_topics(*, as_json: bool) -> None:
    if as_json:
        print_json({topic: about for topic, (_, about) in TOPICS.items()})
        return
    for topic, (_, about) in TOPICS.items():
        click.echo(f"{topic:<13}{about}")
    click.echo("\nThe options of a command: arena COMMAND --help")


def _show(text: str) -> None:
    """Show a page with a pager."""
    # Slow to import, and only terminals need it.
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))
