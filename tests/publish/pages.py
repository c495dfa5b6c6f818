"""Reading a written site: its files, links, ids and tables."""

import base64
import gzip
import re
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import html5lib
import msgspec

from arena.publish.links import FIXTURES, GAMES_PER_SHARD, REPLAY, Links
from arena.publish.replays import Shard
from arena.publish.site_folder import MANIFEST

XHTML = "{http://www.w3.org/1999/xhtml}"
SCRIPTS = {"shared.js", "pairs.js", "replay.js", "tables.js", "fixtures.js"}


def content(script: str) -> bytes:
    """The JSON that a script hands over."""
    return gzip.decompress(base64.b64decode(script.split('"')[3]))


def unpacked(script: str) -> Shard:
    """The replays that a script holds."""
    return msgspec.json.decode(content(script), type=Shard)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        self.tags.append((tag, found))
        self.links += [found[key] for key in ("href", "src") if key in found]
        self.ids += [found["id"]] if "id" in found else []


def read(path: Path) -> _Reader:
    return _read(path.read_bytes())


@lru_cache(maxsize=1024)
def _read(page: bytes) -> _Reader:
    """Read a page; many stay what they are from one report to the next."""
    reader = _Reader()
    reader.feed(page.decode())
    reader.close()
    return reader


@lru_cache(maxsize=1024)
def _steps(shard: bytes) -> dict[str, int]:
    """Return how many steps each game of a shard has."""
    return {number: len(game.steps) for number, game in unpacked(shard.decode()).games.items()}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a site, hidden ones too."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}


def everything(folder: Path) -> str:
    """All that a site says, hidden files, paths and unpacked replays among them."""
    files = tree(folder)
    texts = [f"{name}\n{data.decode()}" for name, data in files.items()]
    packed = [data.decode() for name, data in files.items() if name.startswith("replays/")]
    return "\n".join([*texts, *(repr(unpacked(one)) for one in packed)])


def timeless(folder: Path) -> dict[str, bytes]:
    """Every file of a site, without what says when and on what machine it was played."""
    files = tree(folder)
    del files["conditions.html"]
    files[MANIFEST] = re.sub(rb'"(inputs|size)": [^,]+,', b"", files[MANIFEST])
    files["index.html"] = re.sub(rb" \xc2\xb7 <time.*?</time>", b"", files["index.html"])
    for name in files:
        if name.startswith("cards/"):
            files[name] = re.sub(rb" \xc2\xb7 \d{4}-\d\d-\d\d<", b"<", files[name])
    feed = re.sub(rb"<updated>.*?</updated>", b"", files["feed.xml"])
    # The newest entries come first.
    files["feed.xml"] = b"".join(sorted(re.split(rb"(?=<entry>)|(?<=</entry>\n)", feed)))
    return files


def broken_links(folder: Path) -> list[str]:
    """Links to files or anchors that are not there; data: links are no links."""
    pages = {path.resolve(): read(path) for path in folder.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].ids if target in pages else []
            whole = target.is_file() and target.is_relative_to(folder.resolve())
            found = parts.fragment in known or _is_step(folder, target, parts.fragment)
            found = found or _is_search(folder, target, parts.fragment)
            if parts.scheme or not whole or (parts.fragment and not found):
                broken.append(f"{path.name}: {link}")
    return broken


def _is_search(folder: Path, target: Path, fragment: str) -> bool:
    """Tell whether a link asks the list of fixtures for bots and tables that there are."""
    if target.name != FIXTURES or "=" not in fragment:
        return False
    asked = dict(part.split("=") for part in fragment.split("&"))
    bots = [asked.pop(key) for key in ("bot", "with") if key in asked]
    tables = [asked.pop("table")] if "table" in asked else []
    there = [f"bots/{bot}.html" for bot in bots] + [f"tables/{table}.html" for table in tables]
    return not asked and all((folder / path).is_file() for path in there)


def _is_step(folder: Path, target: Path, fragment: str) -> bool:
    """Tell whether a link names a step of a game that can be watched."""
    if target.name != REPLAY or not fragment:
        return False
    fixture, game, step = map(int, fragment.partition("&")[0].split("."))
    path = folder / Links.shard(fixture, game // GAMES_PER_SHARD)
    return path.is_file() and step < _steps(path.read_bytes())[str(game)]


def document(path: Path) -> Any:
    return html5lib.HTMLParser(strict=True).parse(path.read_bytes(), transport_encoding="utf-8")


def table_text(path: Path, caption: str) -> list[list[str]]:
    """The text of each cell in the body of the table with that caption's id."""
    for table in document(path).iter(f"{XHTML}table"):
        if table.find(f"{XHTML}caption").get("id") == caption:
            rows = table.find(f"{XHTML}tbody").iter(f"{XHTML}tr")
            return [["".join(cell.itertext()).strip() for cell in row] for row in rows]
    raise AssertionError(f"no table {caption}")
