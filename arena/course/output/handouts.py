"""Handouts: the Markdown of a course's pack as pages and slides that print well."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

from arena.course.config import Course
from arena.course.moments import parse_moment
from arena.io.errors import ArenaError
from arena.io.files import read_limited, write_file
from arena.publish.templates import render

PACK = "pack"
_MAX_BYTES = 4 << 20
_DEADLINE = re.compile(r"the\s+deadline\s+of\s+week\s+(\d{1,3})")
_OTHER_SHEET = re.compile(r"([\w-]+)\.md(#.*)?")


class Handout(Struct, frozen=True):
    """What the page of a sheet, or of slides, shows."""

    title: str
    course: str
    parts: list[str]
    """HTML: one part for a sheet, one for each slide."""
    slides: bool


def write_handouts(weeks: Sequence[Course]) -> list[Path]:
    """Write an HTML file beside each Markdown file of a course's pack; returns their paths.

    `weeks` are as `load_weeks` returns them: where a file says "the deadline of week 2", the page
    has the date. Horizontal rules (`---`) make slides of a file; others are sheets. HTML in a file
    is shown as text. Raises ArenaError if there is no Markdown file, or one cannot be read or
    written.
    """
    folder, course = weeks[0].base / PACK, weeks[0].file.name
    deadlines = {one.week.number: _day(one.file.deadline) for one in weeks if one.week}
    sources = sorted(folder.glob("*.md"))
    if not sources:
        raise ArenaError("no Markdown files", str(folder), "arena course init makes a pack")
    return [_write(source, course, deadlines) for source in sources]


def _day(deadline: str) -> str:
    """Return a deadline as people say it: `Friday, 20 November 2026, 23:59 (Europe/Berlin)`."""
    moment = parse_moment(deadline, "deadline")
    return f"{moment:%A}, {moment.day} {moment:%B %Y, %H:%M} ({moment.tzinfo})"


def _write(source: Path, course: str, deadlines: Mapping[int, str]) -> Path:
    try:
        text = read_limited(source, _MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArenaError(f"not UTF-8: {error}", str(source), "save it as UTF-8") from None
    text = _DEADLINE.sub(lambda found: deadlines.get(int(found[1]), found[0]), text)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    _link_pages(tokens)
    parts = [markdown.renderer.render(part, markdown.options, {}) for part in _split(tokens)]
    title = next((two.content for one, two in pairwise(tokens) if one.type == "heading_open"), "")
    handout = Handout(title or source.stem, course, parts, slides=len(parts) > 1)
    target = source.with_suffix(".html")
    write_file(target, render("handout.html", handout).encode())
    return target


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the parts between horizontal rules."""
    part: list[Token] = []
    for token in tokens:
        if token.type == "hr":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _link_pages(tokens: list[Token]) -> None:
    """Make links to other Markdown files lead to their pages."""
    for token in tokens:
        for inner in token.children or ():
            target = inner.attrGet("href") if inner.type == "link_open" else None
            if match := _OTHER_SHEET.fullmatch(str(target or "")):
                inner.attrSet("href", f"{match[1]}.html{match[2] or ''}")
