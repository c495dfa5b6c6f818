"""`arena help`: what the manual says, in the terminal."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby
from shlex import quote

import click

from arena.cli.groups import CommandGroup
from arena.cli.manual import Block, explained, page_of, search, topics
from arena.cli.options import json_option
from arena.cli.output import print_json, say, wrapped
from arena.io.errors import ArenaError

_MOST = 8
"""Places that a search shows."""
_SHOWN = 300
"""Characters of a place that a search shows."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[WORD]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--search", "searching", is_flag=True, help="Search the manual for the WORDs.")
@json_option
@click.pass_context
def command(
    context: click.Context, words: tuple[str, ...], *, searching: bool, as_json: bool
) -> None:
    """Say what the manual has on a WORD; without one, list its pages.

    A WORD is a page, a command (`ladder init`), an option, a key of bot.yaml, league.yaml,
    ladder.yaml or course.yaml, a switch of the rules, or a cause of faults. Any other is searched.
    """
    word = " ".join(words)
    if not words:
        _list_topics(as_json=as_json)
    elif not searching and word in topics():
        _show_page(word, as_json=as_json)
        if word in _commands(context):
            say(f"its options: arena {word} --help")
    elif not searching and ((helped := _helped(context, words)) or explained(word)):
        _show_word(word, helped, explained(word), as_json=as_json)
    elif found := search(words):
        _show_found(words, found, as_json=as_json)
    else:
        near = get_close_matches(word, {**topics(), **_commands(context)}, n=1)
        hint = f"did you mean '{near[0]}'?" if near else "arena help lists its pages"
        raise ArenaError(f"the manual does not have '{word}'", hint=hint)


def _commands(context: click.Context) -> dict[str, click.Context]:
    """Return all commands by their words, each with the context of its group.

    Commands are not imported, so the one that closes a season is missing.
    """
    return dict(_inside(context.find_root(), ""))


def _inside(parent: click.Context, before: str) -> Iterator[tuple[str, click.Context]]:
    group = parent.command
    if not isinstance(group, CommandGroup):
        return
    for name in group.list_commands(parent):
        yield f"{before}{name}", parent
        if group.is_group(name) and (inner := group.get_command(parent, name)):
            inside = click.Context(inner, info_name=name, parent=parent)
            yield from _inside(inside, f"{before}{name} ")


def _helped(context: click.Context, words: Sequence[str]) -> dict[str, str]:
    """Return the help of the command with these words, or of those that end with them."""
    if exact := _help_of(context.find_root(), words):
        return {" ".join(words): exact}
    ending = [name for name in _commands(context) if name.split()[-len(words) :] == list(words)]
    return {name: _help_of(context.find_root(), name.split()) for name in ending}


def _help_of(parent: click.Context, words: Sequence[str]) -> str:
    """Return the help of a command, "" if there is none with these words."""
    for word in words:
        group = parent.command
        if not isinstance(group, click.Group) or word not in group.list_commands(parent):
            return ""
        if inner := group.get_command(parent, word):
            parent = click.Context(inner, info_name=word, parent=parent)
    return parent.get_help()


def _show_page(topic: str, *, as_json: bool) -> None:
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


def _show_word(
    word: str, helped: dict[str, str], blocks: Sequence[Block], *, as_json: bool
) -> None:
    if as_json:
        print_json({"word": word, "commands": helped, "places": [_data(block) for block in blocks]})
        return
    for text in helped.values():
        click.echo(f"{text}\n")
    _print_blocks(blocks)
    pages = {page_of(name.split()[0]) for name in helped} | {block.topic for block in blocks}
    _say_pages(pages)
    say(f"all places with this word: arena help --search {quote(word)}")


def _show_found(words: Sequence[str], found: Sequence[Block], *, as_json: bool) -> None:
    if as_json:
        print_json({"search": " ".join(words), "places": [_data(block) for block in found]})
        return
    shown = found[:_MOST]
    _print_blocks(shown)
    if len(found) > _MOST:
        say(f"and {len(found) - _MOST} more places (--json prints all): name another word, too")
    _say_pages(block.topic for block in shown)


def _data(block: Block) -> dict[str, str]:
    return {"page": block.topic, "section": block.section, "text": block.text}


def _print_blocks(blocks: Iterable[Block]) -> None:
    for (topic, section), inside in groupby(blocks, key=lambda block: block[:2]):
        click.echo(f"{topic}: {section}")
        for block in inside:
            more = "" if block.names or len(block.text) <= _SHOWN else " ..."
            text = block.text if block.names else block.text[:_SHOWN]
            click.echo(wrapped(f"  {text}{more}"))
        click.echo()


def _say_pages(pages: Iterable[str]) -> None:
    """Say how to read on."""
    say(f"the whole page: {', '.join(f'arena help {page}' for page in dict.fromkeys(pages))}")


def _list_topics(*, as_json: bool) -> None:
    if as_json:
        print_json({name: topic.about for name, topic in topics().items()})
        return
    for part, inside in groupby(topics().items(), key=lambda row: row[1].part):
        click.echo(part)
        for name, topic in inside:
            click.echo(f"  {name:<13}{topic.about}")
        click.echo()
    click.echo("A page, a command, an option, a key, or a search: arena help WORD")
