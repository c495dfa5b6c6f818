"""The manual as data: its pages, what it says of a word, and a search over all of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from arena.io import shipped

_PART = re.compile(r"## (.+)")
_TOPIC = re.compile(r"- \[(\w+)\]\((.+?)\): (.+)")
_FENCE = re.compile(r" *```")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CELLS = re.compile(r"(?<!\\)\|")
_NAMED = re.compile(r"`([^`]+)`")
_ITEM = re.compile(r"- (?P<names>`[^`]+`(?:, `[^`]+`)*): (?P<text>.+)")
_YAML_KEY = re.compile(r"(?:# )?(?P<key>[a-z_]+): .*?(?: # | (?=optional: ))(?P<text>.+)")
_MEANINGS = {"", "meaning", "what happened"}
"""Titles of columns that say nothing which the cell does not say."""
_NO_REFERENCE = ("Start", "Evidence")
"""Parts of the manual that explain no key or option."""

_SMALL_WORDS = re.compile(r"(?:an?|and|do|does|for|how|i|in|is|it|my|of|on|or|the|to|what|why)")
_ENDING = re.compile("(?:es|ed|s)$")
_SHORT = 4
"""Letters of words that are searched for as they are."""
PAGES = {
    "new": "languages",
    "play": "check",
    "judge": "rules",
    "puzzle": "coach",
    "watch": "check",
    "rerun": "debug",
    "submit": "serve",
    "run": "league",
    "status": "store",
    "card": "report",
    "animate": "report",
    "export": "store",
    "verify": "store",
    "backup": "store",
    "mend": "store",
    "prune": "store",
    "exploit": "equilibrium",
    "perft": "rules",
    "demo": "operators",
    "class": "teaching",
    "doctor": "sandboxes",
    "images": "sandboxes",
    "upgrade": "upgrading",
    "help": "install",
}
"""The page on a command that has another name."""


class Topic(NamedTuple):
    """A page of the manual: the part that it belongs to, its file, what it is about."""

    part: str
    path: Path
    about: str


class Block(NamedTuple):
    """A paragraph, a row of a table or an item of a list, without links."""

    topic: str
    section: str
    """The heading above it."""
    names: tuple[str, ...]
    """What it explains: keys, options, causes; empty for a paragraph."""
    text: str


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


def page_of(command: str) -> str:
    """Return the topic of a command's page."""
    return PAGES.get(command, command)


def explained(word: str) -> list[Block]:
    """Return the blocks that explain a key, an option, a switch or a cause of a fault.

    Any part of a key will do: `answer` or `limits` for `limits.answer`. A key that is not explained
    by itself is by the key that it belongs to. Options are those of the page of commands: guides
    repeat some of them.
    """
    word = word.lstrip("-").lower()
    found = [
        block
        for block in _blocks()
        if any(word in _called(name.lower()) for name in block.names)
        and (block.topic == "commands" or block.names[0][0] != "-")
        and not topics()[block.topic].part.startswith(_NO_REFERENCE)
    ]
    outer = word.rpartition(".")[0]
    return found or (explained(outer) if outer else [])


def _called(name: str) -> set[str]:
    """Return the words under which `limits.answer` or `-o, --out path` is found."""
    words = [word.strip("-,") for word in name.split() if word[0] == "-"] or [
        name.split(maxsplit=1)[0]
    ]
    return {name, *words, *(part for word in words for part in word.split("."))}


def search(words: Sequence[str]) -> list[Block]:
    """Return the blocks that have all words, at most one of each section.

    Sections whose heading has one come first, then those with most of such blocks. Words that say
    nothing by themselves are left out, and `crashes` also finds `crashed`.
    """
    asked = [word.lower() for each in words for word in each.split()]
    telling = [word for word in asked if not _SMALL_WORDS.fullmatch(word)] or asked
    stems = [_ENDING.sub("", word) if len(word) > _SHORT else word for word in telling]
    wanted = [re.compile(rf"\b{re.escape(stem)}") for stem in stems]
    found: dict[tuple[str, str], list[Block]] = {}
    for block in _blocks():
        text = f"{block.topic} {block.section} {block.text}".lower()
        if all(word.search(text) for word in wanted):
            found.setdefault((block.topic, block.section), []).append(block)

    def rank(section: tuple[str, str]) -> tuple[int, int]:
        heading = " ".join(section).lower()
        return -sum(bool(word.search(heading)) for word in wanted), -len(found[section])

    def closest(blocks: list[Block]) -> Block:
        return max(
            blocks, key=lambda block: sum(bool(w.search(block.text.lower())) for w in wanted)
        )

    return [closest(found[section]) for section in sorted(found, key=rank)]


@cache
def _blocks() -> tuple[Block, ...]:
    return tuple(block for name, topic in topics().items() for block in _read(name, topic.path))


def _read(topic: str, path: Path) -> Iterator[Block]:
    """Yield the blocks of a page, in its order."""
    section = ""
    lines = _COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines()
    for kind, group in groupby(_with_kinds(lines), key=lambda row: row[0]):
        inside = [line for _, line in group]
        match kind:
            case "heading":
                section = _plain(inside[-1].lstrip("# "))
            case "table":
                head, _, *rows = (_cells(line) for line in inside)
                yield from (_row(topic, section, head, row) for row in rows)
            case "code":
                yield from _code(topic, section, inside)
            case "text":
                yield from _paragraphs(topic, section, inside)


def _with_kinds(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield lines with what they belong to; the marks around code with none."""
    in_code = False
    for line in lines:
        if _FENCE.match(line):
            in_code = not in_code
            yield "", line
        elif in_code:
            yield "code", line
        elif line.startswith("#"):
            yield "heading", line
        elif line.startswith("|"):
            yield "table", line
        else:
            yield "text" if line.strip() else "", line


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|"))]


def _row(topic: str, section: str, head: Sequence[str], cells: Sequence[str]) -> Block:
    """Return a row of a table: what it means first, then the other cells with their columns."""
    first, *others = zip(head, cells, strict=False)
    told = [text for name, text in others if name in _MEANINGS]
    told += [f"{name} {text}" for name, text in others if text and name not in _MEANINGS]
    return Block(topic, section, _names(first[1]), _plain(f"{first[1]}: {'; '.join(told)}"))


def _code(topic: str, section: str, lines: Sequence[str]) -> Iterator[Block]:
    """Yield the keys of YAML with their comments, and the whole of any other code."""
    keys = [key for line in lines if (key := _YAML_KEY.fullmatch(line))]
    for key in keys:
        yield Block(topic, section, (key["key"],), f"{key['key']}: {key['text']}")
    if not keys:
        yield Block(topic, section, (), " ".join(line.strip() for line in lines))


def _paragraphs(topic: str, section: str, lines: Iterable[str]) -> Iterator[Block]:
    """Yield the items of a list, or the one paragraph that lines are."""
    for text in re.split(r"\n(?=- )", "\n".join(lines)):
        whole = " ".join(text.split())
        item = _ITEM.fullmatch(whole)
        names = _names(item["names"]) if item else ()
        yield Block(topic, section, names, _plain(whole.removeprefix("- ")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(_NAMED.findall(text))


def _plain(text: str) -> str:
    """Return Markdown as one reads it in a terminal."""
    return _LINK.sub(r"\1", text).replace("\\|", "|").replace("**", "").replace("`", "")
