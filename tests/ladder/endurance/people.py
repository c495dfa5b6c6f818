"""Those who come to a ladder: authors, visitors who play, readers, listeners, operators."""

import io
import json
import re
import subprocess
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from random import Random
from textwrap import dedent
from threading import Event
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from tests.cli.command import HANG, arena, environment
from tests.e2e.kills import CHEAT
from tests.ladder import club as clubs
from tests.ladder.web.doors import SAME_SITE, Answer, Door, answered

FORM = {"Content-Type": "application/x-www-form-urlencoded", **SAME_SITE}
NOISY = "import os, sys; sys.stderr.write(os.urandom(1 << 15).hex())\n" + dedent(clubs.REUSABLE)
SILENT = "import time; time.sleep(1000)"
SOURCES = {
    "good": (clubs.REUSABLE, 10),
    "noisy": (NOISY, 2),
    "crashes": (clubs.CRASHES, 1),
    "cheats": (CHEAT, 1),
    "silent": (SILENT, 1),
}
"""What authors submit as bots, and how often in relation to each other."""
ARCHIVES = {"no archive": 1, "climbs": 1, "bomb": 1}
"""What they submit that is none."""
MOVES = ("dudo", "pass", "skip", "next", "bid 1 2")
"""What visitors choose first, if they may."""
_RETRY = 0.5
"""Seconds until the door is asked again."""
_PAUSE = 0.2
"""Seconds of a reader between two pages, on the average."""
_CHANGES = 0.3
"""The part of submissions that are withdrawn, or brought back, when they are checked."""
_RETURNS = 0.1
"""How often a reader begins anew."""


class Submission(NamedTuple):
    """An archive that an author sent."""

    author: str
    sha256: str


class Street:
    """What all who come to the door share: where it is, when all is over, and what they saw."""

    def __init__(self, base: Callable[[], str], club: Path, seed: str) -> None:
        self.base = base
        """Returns where the door is."""
        self.club = club
        self.seed = seed
        self.over = Event()
        self.times: dict[str, list[float]] = defaultdict(list)
        """The seconds that answers took, by what was asked for."""
        self.statuses = Counter[tuple[str, int]]()
        self.accepted: dict[Submission, str] = {}
        """The versions that the door has said were received."""
        self.sent = set[Submission]()
        self.missing = Counter[str]()
        """Paths of pages that were not there."""
        self.did = Counter[str]()
        """Games of visitors, commands, events, orders."""
        self.broken: list[str] = []

    def rng(self, name: str) -> Random:
        """Return the source of random choices of somebody."""
        return Random(f"{self.seed}/{name}")

    def pause(self, rng: Random, mean: float) -> bool:
        """Wait for a random time; returns whether nothing new is to be begun."""
        return self.over.wait(min(rng.expovariate(1 / mean), 5 * mean) if mean else 0.0)


class Caller:
    """Somebody who asks the door from an address of their own."""

    def __init__(self, street: Street, kind: str, address: str, **headers: str) -> None:
        self._street, self._kind, self._address = street, kind, address
        self._headers = headers

    def ask(
        self, path: str, method: str = "GET", body: Any = None, kind: str = "", **headers: str
    ) -> Answer | None:
        """Ask for something; None if the door is away, as it was killed."""
        host, kind = self._street.base().partition("://")[2], kind or self._kind
        began = time.perf_counter()
        try:
            address = (self._address, 0)
            with closing(HTTPConnection(host, timeout=HANG, source_address=address)) as connection:
                connection.request(method, path, body, {**self._headers, **headers})
                answer = answered(connection.getresponse())
        except (OSError, HTTPException):
            return None
        self._street.times[kind].append(time.perf_counter() - began)
        self._street.statuses[kind, answer.status] += 1
        if answer.status == 500:
            self._street.broken.append(f"{method} {path}: 500")
        return answer

    def post(self, path: str, **fields: str) -> Answer | None:
        """Send a form of a page."""
        return self.ask(path, "POST", urlencode(fields), **FORM)


def author(street: Street, number: int, door: Door, mean: float) -> None:
    """Submit bots of all kinds, wait for their checks, withdraw some and bring them back."""
    name, rng = f"author-{number}", street.rng(f"author {number}")
    address = f"127.2.0.{number + 1}"
    caller = Caller(street, "author's page", address, **door.token(name))
    browser = Caller(street, "order", address, **door.session(name))
    for turn in count():
        if street.pause(rng, mean):
            return
        version = submit(street, caller, name, *submission(rng, name, turn))
        while not is_checked(caller, version):
            if street.over.wait(_RETRY):
                return
        if rng.random() < _CHANGES:
            what = rng.choice(("withdraw", "play"))
            browser.post(f"/versions/{quote(version)}", what=what)


def submit(street: Street, caller: Caller, author: str, bot: str, content: bytes) -> str:
    """Submit until the door says that it was received, or all is over; returns the version."""
    sent = Submission(author, sha256(content).hexdigest())
    street.sent.add(sent)
    while True:
        found = caller.ask(f"/api/v1/bots/{bot}/versions", "PUT", content, kind="upload")
        if found and found.status in {200, 201}:
            version = street.accepted[sent] = found.json()["version"]
            return str(version)
        if street.over.wait(_RETRY):
            return ""


def is_checked(caller: Caller, version: str) -> bool:
    """Tell whether the door says that a version is checked."""
    found = caller.ask(f"/api/v1/versions/{quote(version)}")
    if not found or found.status != HTTPStatus.OK:
        return False
    return found.json()["state"] not in {"queued", "checking"}


def submission(rng: Random, author: str, turn: int) -> tuple[str, bytes]:
    """Return a bot's name and the bytes that are submitted for it, which never come again."""
    kinds = {**{kind: often for kind, (_, often) in SOURCES.items()}, **ARCHIVES}
    [kind] = rng.choices([*kinds], [*kinds.values()])
    mark = f"{author}, {turn}"
    bot = author if kind in {"good", "noisy"} else f"bad-{author}"
    if kind == "no archive":
        return bot, mark.encode() + rng.randbytes(50_000)
    manifest = json.dumps({"name": bot, "command": "python3 bot.py"})
    source = SOURCES.get(kind, SOURCES["good"])[0]
    files = {"bot.yaml": manifest.encode(), "bot.py": f"{dedent(source)}\n# {mark}\n".encode()}
    if kind == "climbs":
        files["../../../../tmp/climbed"] = mark.encode()
    if kind == "bomb":
        files["bomb"] = bytes(80 << 20)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz" if kind == "bomb" else "w") as archive:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return bot, packed.getvalue()


def visitor(street: Street, number: int, thinks: float) -> None:
    """Play one game after another against the field, each from another address."""
    rng = street.rng(f"visitor {number}")
    for game in count():
        caller = Caller(street, "table", f"127.3.{number + 1}.{game % 254 + 1}")
        if street.pause(rng, thinks):
            return
        if table := sit_down(caller, rng):
            street.did["games of visitors"] += play(street, caller, table, thinks)


def sit_down(caller: Caller, rng: Random) -> str:
    """Ask for a table; returns its address, or "" if there is none."""
    offered = caller.ask("/play")
    names = re.findall(r'name="([^"]+@\d+)"', offered.body.decode()) if offered else []
    if not names:
        return ""
    answer = caller.post("/play", **{rng.choice(names): "on"})
    return answer.headers.get("location", "") if answer else ""


def play(street: Street, caller: Caller, table: str, thinks: float) -> bool:
    """Play a game to its end; returns whether it came there."""
    while not street.over.wait(thinks or 0.01):
        answer = caller.ask(table)
        if answer is None:
            continue
        page = answer.body.decode()
        if answer.status != 200 or "The table is closed" in page:
            return False
        moves = moves_of(page)
        if moves == ["leave"]:
            caller.post(table, number=number_of(page), move="leave")
            return True
        if moves:
            move = next((move for move in MOVES if move in moves), moves[0])
            caller.post(table, number=number_of(page), move=move)
    return False


def moves_of(page: str) -> list[str]:
    """Return what the buttons below the table send."""
    return re.findall(r'<button name="move" value="([^"]+)"', page.partition("</form>")[0])


def number_of(page: str) -> str:
    """Return the number of the page that a table shows."""
    [number] = re.findall(r'data-number="(\d+)"', page)
    return str(number)


BEGINNINGS = ("/", "/live", "/play", "/welcome", "/site/", "/api/v1/ladder")
"""Where readers begin."""


def reader(street: Street, number: int) -> None:
    """Read page after page, by the links of each."""
    rng = street.rng(f"reader {number}")
    caller, links = Caller(street, "page", f"127.4.0.{number + 1}"), list[str]()
    while not street.pause(rng, _PAUSE):
        at_beginning = not links or rng.random() < 0.1
        path = rng.choice(BEGINNINGS if at_beginning else links)
        answer = caller.ask(path)
        links = []
        if answer and "html" in answer.headers.get("content-type", ""):
            found = re.findall(r'(?:href|src)="([^"#?]+)', answer.body.decode(errors="replace"))
            links = [link for one in found if (link := joined(path, one))]


def joined(path: str, link: str) -> str:
    """Return the path that a link of a page leads to; "" if it leads elsewhere."""
    if "://" in link or link.startswith(("mailto:", "data:")):
        return ""
    parts = [] if link.startswith("/") else path.split("/")[1:-1]
    for part in link.lstrip("/").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def listener(street: Street, number: int) -> None:
    """Listen to the events of the ladder; comes back when it is cut off."""
    address = (f"127.5.0.{number + 1}", 0)
    while not street.over.wait(_RETRY):
        host = street.base().partition("://")[2]
        with (
            suppress(OSError, HTTPException),
            closing(HTTPConnection(host, timeout=1.0, source_address=address)) as connection,
        ):
            connection.request("GET", "/api/v1/ladder/events")
            stream = connection.getresponse()
            while (line := stream.readline()) and not street.over.is_set():
                street.did["events heard"] += line.startswith(b"event:")


def terminal(street: Street, mean: float) -> None:
    """Run the commands that read a ladder while it plays."""
    rng, club = street.rng("terminal"), street.club
    for turn in count():
        if street.pause(rng, mean):
            return
        stores = sorted(club.glob("seasons/*/league.sqlite"))
        league = rng.choice(stores).with_suffix(".yaml") if stores else None
        commands: list[tuple[object, ...]] = [
            ("ladder", "status", club),
            ("ladder", "list", club, "--json"),
            ("ladder", "log", club),
            ("ladder", "backup", club, club.parent / f"backup-{turn}", "--verify"),
        ]
        if league and clubs.played(league.with_suffix(".sqlite")):
            commands += [
                ("verify", league, "--workers", 1),
                ("status", league),
                ("export", league),
            ]
        command(street, *rng.choice(commands))
        for path in club.parent.glob("backup-*"):
            subprocess.run(["rm", "-r", path], check=True)


def command(street: Street, *words: object) -> None:
    """Run a command, which must end well."""
    ran = subprocess.run(
        arena(*words),
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    name = " ".join(map(str, words[:2])) if words[0] == "ladder" else str(words[0])
    street.did[f"arena {name}"] += 1
    down = name == "ladder status" and ran.returncode == 1
    if ran.returncode and not down:
        street.broken.append(f"arena {name}: exit code {ran.returncode}: {ran.stderr[-2000:]}")


def operator(street: Street, mean: float, season: float) -> None:
    """Let versions rest, bring them back, and close a season from time to time."""
    rng, club = street.rng("operator"), street.club
    closes_at = time.monotonic() + season
    while not street.pause(rng, mean):
        if time.monotonic() >= closes_at:
            closes_at = time.monotonic() + season
            command(street, "ladder", "season", "close", club)
            continue
        names = sorted({*street.accepted.values()})
        if names:
            what = rng.choice(("rest", "resume", "resume"))
            order(street, what, rng.choice(names))


def order(street: Street, what: str, version: str) -> None:
    """Give an order about a version, which the ladder may refuse."""
    words = arena("ladder", what, street.club, version, "--why", "an endurance test")
    subprocess.run(words, env=environment(), capture_output=True, check=False)
    street.did["orders of the operator"] += 1
