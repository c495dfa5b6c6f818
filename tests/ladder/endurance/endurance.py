"""A ladder at full tilt, with everybody there at once: what it must keep, and whether it did.

Its ladder and its door are processes of their own, which are killed with their jobs and bots at
random moments and started again, on a disk that is made slow. In the second half of a run nothing
is killed, so that processes live long enough to show whether their memory grows.
"""

import os
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from arena.io.cores import core_count
from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from arena.ladder.status import status
from arena.league.store.store import Store
from tests.cli.command import HANG, run_process
from tests.ladder import club as clubs
from tests.ladder.endurance.house import House, slow_disk
from tests.ladder.endurance.people import (
    Street,
    author,
    listener,
    operator,
    reader,
    terminal,
    visitor,
)
from tests.ladder.web.doors import Door

SLOWEST = 0.2
"""Seconds in which 99 of 100 pages come, if the door has `CORES_OF_DOOR` cores."""
CORES_OF_DOOR = 2
GROWTH = 32.0
"""MiB by which a process may grow from the second quarter of the calm time to the last."""
OF_FIXTURE = 1 / 1024
"""MiB by which it may grow for each fixture that was stored meanwhile: results are kept."""
_SETTLES = 60.0
"""Seconds that the calm time lasts, at least, if memory is judged."""
_FIRST, _HALF, _LAST = 0.25, 0.5, 0.75
"""The parts of it."""
_LOOK = 1.0
"""Seconds between two looks at the memory and the age of the site."""
_PUBLICATION = 300.0
"""Seconds: as long as the manual lets a publication wait at most, and then take."""
_MIB = 1 << 20


class Plan(NamedTuple):
    """Who comes, how often, and for how long."""

    seconds: float
    seed: str
    kills: float = 30.0
    """Seconds between two kills on the average; 0 for none."""
    authors: int = 6
    visitors: int = 4
    readers: int = 4
    listeners: int = 4
    submits: float = 20.0
    """Seconds between an author's submissions, on the average."""
    thinks: float = 0.2
    """Seconds of a visitor between two looks at the table."""
    commands: float = 5.0
    """Seconds between two commands at the terminal; 0 for none."""
    season: float = 600.0
    """Seconds after which a season is closed."""
    publish: float = 10.0
    """`intervals.publish` of ladder.yaml."""
    slow: bool = True
    """Whether the disk is slow."""


def guests_only(seconds: float, seed: str) -> Plan:
    """Return a plan in which visitors alone come, and play as fast as they can."""
    return Plan(
        seconds,
        seed,
        kills=0.0,
        authors=0,
        readers=0,
        listeners=0,
        commands=0,
        thinks=0,
        slow=False,
    )


class Look(NamedTuple):
    """What a process took at a moment."""

    at: float
    memory: float
    """MiB."""
    fixtures: int
    """How many were stored in all seasons."""


class Line(NamedTuple):
    """A line of the table of results."""

    what: str
    found: str
    allowed: str = ""
    broken: bool = False


class Endurance:
    """One run; `lines` has what came out."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self._folder = folder
        self._looks: dict[tuple[str, int], list[Look]] = defaultdict(list)
        """By what a process does, and its id."""
        self._fixtures = dict[Path, int]()
        """How many fixtures each store has had."""
        self._oldest = 0.0
        """The greatest age of the site while the ladder ran, in seconds."""
        self._disk: dict[str, str] = {}
        self._began = 0.0
        self._house: House
        self._street: Street

    def run(self) -> list[Line]:
        """Let them all come for the time of the plan; returns what was found."""
        plan = self.plan
        club = self._made()
        self._disk = slow_disk(self._folder) if plan.slow else {}
        with House(club, self._disk) as self._house:
            self._street = street = Street(lambda: self._house.base, club, plan.seed)
            self._house.ladder.until(lambda: clubs.played(clubs.store_of(club)))
            everybody = list(self._people(Door(Folder(club), self._house.base)))
            with ThreadPoolExecutor(len(everybody)) as pool:
                there = [pool.submit(each) for each in everybody]
                try:
                    self._play_on()
                finally:
                    street.over.set()
                    self._house.all_up()
                for each in there:
                    each.result()
            self._settle()
            self._house.stop()
            return [*self._results(), *self._broken()]

    def _made(self) -> Path:
        """Make a ladder whose field never stops to play."""
        plan = self.plan
        club = clubs.make(
            self._folder,
            blocks=10_000,
            games=10,
            workers=max(1, core_count() - CORES_OF_DOOR),
            guests=plan.visitors,
            humans=True,
            ratings={},
            limits={"start": 2.0},
            intervals={"publish": plan.publish},
            quotas={"uploads": 1000, "refused": 1000},
        )
        for name in ("first", "second"):
            clubs.admitted(club, name, clubs.REUSABLE)
        return club

    def _people(self, door: Door) -> Iterator[Callable[[], None]]:
        """Yield what each of those does who come."""
        plan, street = self.plan, self._street
        for number in range(plan.authors):
            yield partial(author, street, number, door, plan.submits)
        for number in range(plan.visitors):
            yield partial(visitor, street, number, plan.thinks)
        for number in range(plan.readers):
            yield partial(reader, street, number)
        for number in range(plan.listeners):
            yield partial(listener, street, number)
        if plan.commands:
            yield partial(terminal, street, plan.commands)
            yield partial(operator, street, plan.commands, plan.season)

    def _play_on(self) -> None:
        """Kill, start again, and look, until the time is over."""
        plan, rng = self.plan, self._street.rng("kills")
        self._began = now = time.monotonic()
        next_kill = now + (rng.expovariate(1 / plan.kills) if plan.kills else plan.seconds)
        next_look = now
        while now < self._began + plan.seconds:
            self._house.mind()
            if next_kill <= now < self._calm_from:
                self._house.kill_something(rng)
                next_kill = now + rng.expovariate(1 / plan.kills)
            if now >= next_look:
                next_look = now + _LOOK
                self._look()
            time.sleep(0.05)
            now = time.monotonic()

    @property
    def _calm_from(self) -> float:
        """The moment from which on nothing is killed, by the monotonic clock."""
        return self._began + (self.plan.seconds / 2 if self.plan.kills else 0.0)

    def _look(self) -> None:
        house, now = self._house, time.monotonic()
        for store in house.club.glob("seasons/*/league.sqlite"):
            count, before = clubs.played(store), self._fixtures.get(store, 0)
            if count < before and count:  # 0 if it cannot be read just now
                house.broken.append(f"{store}: {before} fixtures were stored, {count} are there")
            self._fixtures[store] = max(count, before)
        fixtures = sum(self._fixtures.values())
        for pid, kind in house.processes().items():
            with suppress(OSError):
                self._looks[kind, pid].append(Look(now, _resident(pid), fixtures))
        if house.folder.site.is_symlink():
            published = house.folder.site.lstat().st_mtime
            age = time.time() - max(published, house.opened_at)
            self._oldest = max(self._oldest, age)
            with Book(house.folder) as book:
                said = float(book.facts().get("published_at", "0"))
            if said > published + _LOOK:
                house.broken.append(f"the site is of {published:.0f} and said to be of {said:.0f}")

    def _settle(self) -> None:
        """Wait until all that was received is checked, as long as anything goes on."""
        house, accepted = self._house, {*self._street.accepted.values()}
        before: object = None
        deadline = 0.0
        while True:
            house.mind()
            found = clubs.states(house.club)
            waiting = accepted - found.keys()
            waiting |= {one for one, state in found.items() if state in {"queued", "checking"}}
            if not waiting:
                return
            now = found, status(house.folder).checks
            if now != before:
                before, deadline = now, time.monotonic() + HANG
            elif time.monotonic() > deadline:
                log = clubs.log(house.club).splitlines()[-20:]
                house.broken.append(f"these are not checked: {sorted(waiting)}: {log}")
                return
            time.sleep(_LOOK)

    # ---------------------------------------------------------------- what came out

    def _results(self) -> Iterator[Line]:
        plan, street, house = self.plan, self._street, self._house
        slow = "10 ms more each time, 2 s every 200th" if self._disk else "as it is"
        yield Line("seed, seconds, cores", f"{plan.seed}, {plan.seconds:.0f}, {core_count()}")
        yield Line("the disk", slow)
        yield Line("killed", _listed(house.killed))
        yield Line("done", _listed(street.did))
        yield from self._submissions()
        yield from self._seasons()
        yield from self._memory()
        yield from self._answers()
        yield Line(
            "oldest site while the ladder ran",
            f"{self._oldest:.0f} s",
            f"{2 * _PUBLICATION:.0f} s",
            self._oldest > 2 * _PUBLICATION,
        )

    def _submissions(self) -> Iterator[Line]:
        """Each that was accepted is in the book, once; the book has no others."""
        accepted, sent = self._street.accepted, self._street.sent
        with Book(self._house.folder) as book:
            book.check_log()
            versions = [one for one in book.versions() if one.name not in {"first@1", "second@1"}]
            received = [one.version for one in book.events() if one.text.startswith("received: ")]
        kept = Counter((one.author, one.sha256) for one in versions)
        lost = [one for one in accepted if tuple(one) not in kept]
        twice = [one for one, times in kept.items() if times > 1]
        twice += [(one, "") for one, times in Counter(received).items() if times > 1]
        foreign = kept.keys() - {tuple(one) for one in sent}
        states = Counter(str(one.state) for one in versions)
        yield Line("submissions accepted", f"{len(accepted)} ({_listed(states)})")
        wrong = {"lost": len(lost), "twice": len(twice), "of nobody": len(foreign)}
        for what, found in wrong.items():
            yield Line(f"- {what}", str(found), "0", found > 0)

    def _seasons(self) -> Iterator[Line]:
        """Each season verifies, with its root if it was closed; each fixture is there once."""
        house = self._house
        with Book(house.folder) as book:
            roots = {row.number: row.root for row in book.seasons()}
        for path in sorted(house.club.glob("seasons/*/league.sqlite")):
            number = int(path.parent.name)
            if not clubs.played(path):
                continue
            with Store(path) as store:
                ids = [one.fixture.id for one in store.results()]
            root = ("--root", roots[number]) if roots.get(number) else ()
            ran = run_process("verify", path.with_suffix(".yaml"), *root, cwd=house.club)
            with closing(sqlite3.connect(path)) as file:
                whole = file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            wrong = ran.code != 0 or len({*ids}) < len(ids) or not whole
            wrong = wrong or len(ids) < self._fixtures.get(path, 0)
            verified = f"{len(ids)} fixtures, {'NOT ' * wrong}verified"
            yield Line(f"season {number}", verified, "each once, verified", wrong)
            if ran.code:
                house.broken.append(f"season {number}: {ran.out[-1000:]} {ran.err[-1000:]}")
        for path in (house.folder.ladder, house.folder.door):
            with closing(sqlite3.connect(path)) as file:
                found = file.execute("PRAGMA integrity_check").fetchall()
            if found != [("ok",)]:
                house.broken.append(f"{path.name}: {found[:3]}")

    def _memory(self) -> Iterator[Line]:
        """How the memory grew of processes that lived through the calm time."""
        by_kind: dict[str, list[list[Look]]] = defaultdict(list)
        for (kind, _), looks in self._looks.items():
            by_kind[kind].append(looks)
        for kind, lives in sorted(by_kind.items()):
            most = max(look.memory for looks in lives for look in looks)
            quarters = self._quarters(max(lives, key=len))
            if quarters is None:
                yield Line(f"memory of {kind}", f"{len(lives)} of them, {most:.0f} MiB at most")
                continue
            second, last = quarters
            before, after = (median(look.memory for look in part) for part in quarters)
            allowed = GROWTH + OF_FIXTURE * (last[-1].fixtures - second[0].fixtures)
            found = f"{before:.0f} to {after:.0f} MiB, {most:.0f} at most"
            wrong = after - before > allowed
            yield Line(f"memory of {kind}", found, f"+{allowed:.0f} MiB", wrong)

    def _quarters(self, looks: list[Look]) -> tuple[list[Look], list[Look]] | None:
        """Return a process in the second and the last quarter of the calm time.

        None if it was not there for most of it, or if that is too short for memory to be flat.
        """
        seconds = self._began + self.plan.seconds - self._calm_from
        at = [(look.at - self._calm_from) / seconds for look in looks]
        if seconds < _SETTLES or at[0] > _FIRST or at[-1] < _LAST:
            return None
        second = [look for look, share in zip(looks, at, strict=True) if _FIRST <= share < _HALF]
        return second, [look for look, share in zip(looks, at, strict=True) if share >= _LAST]

    def _answers(self) -> Iterator[Line]:
        if self._street.missing:
            yield Line("not found", _listed(dict(self._street.missing.most_common(5))))
        spare = core_count() - max(1, core_count() - CORES_OF_DOOR)
        for kind, times in sorted(self._street.times.items()):
            if len(times) < 2:
                continue
            shares = quantiles(times, n=100)
            statuses = {
                str(status): count
                for (of, status), count in sorted(self._street.statuses.items())
                if of == kind
            }
            found = f"median {1000 * shares[49]:.0f} ms, p99 {1000 * shares[98]:.0f} ms"
            judged = kind in {"page", "table"} and spare >= CORES_OF_DOOR
            allowed = f"p99 {1000 * SLOWEST:.0f} ms" if judged else ""
            wrong = judged and shares[98] > SLOWEST
            yield Line(f"{kind}: {_listed(statuses)}", found, allowed, wrong)
        if spare < CORES_OF_DOOR:
            yield Line("p99", f"not judged: {spare} cores for the door and all who ask it")

    def _broken(self) -> Iterator[Line]:
        house = self._house
        said = house.said()
        if "Traceback" in said:
            house.broken.append(said[max(0, said.index("Traceback") - 200) :][:3000])
        for text in Counter([*house.broken, *self._street.broken]):
            yield Line("broken", text, "", broken=True)
        if left := house.left():
            yield Line("processes left", str(left), "", broken=True)


def _resident(pid: int) -> float:
    """Return the memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{what} {count}" for what, count in sorted(counts.items())) or "nothing"


def table(lines: Sequence[Line]) -> str:
    """Return the lines as a table, those that are broken marked."""
    wide = max(len(line.what) for line in lines)
    return "\n".join(
        f"{'!' if line.broken else ' '} {line.what:{wide}}  {line.found}"
        + (f"  (allowed: {line.allowed})" if line.allowed else "")
        for line in lines
    )
