"""The page of a comparison: the pairs that stand out, with the source of both side by side."""

from pathlib import Path

from arena.author.alike.alike import Alike
from arena.author.alike.by_text import MOST_COMPARED
from arena.author.alike.ranking import MOST_SHOWN
from arena.io.files import write_file
from arena.publish.pages.templates import environment


def render_page(alike: Alike) -> str:
    """Return a page that needs no other file."""
    out = [pair for pair in alike.pairs if pair.stands_out]
    shown = out[:MOST_SHOWN]
    template = environment().get_template("alike.html")
    return template.render(alike=alike, out=out, shown=shown, compared=MOST_COMPARED)


def write_page(alike: Alike, path: Path) -> None:
    """Write the page; raises ArenaError if it cannot be written."""
    write_file(path, render_page(alike).encode(), mode=None)
