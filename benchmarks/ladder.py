"""What a ladder takes: `python -m benchmarks.ladder [--start] [--rush] [--asleep] [--noise] ...`.

`--start` draws the schedule of a season that changed often, up to its first fixture. `--rush` runs
a ladder of small bots in the process sandbox, lets newcomers submit all at once, and then looks
what the ladder takes while it sleeps; each check takes some seconds of CPU time. `--asleep` looks
at that of two bots, played by processes of this machine and by a cluster. `--noise` looks how large
the folder of a ladder gets whose bots write 64 KiB of noise each in every fixture. `--year` draws
the schedule of a ladder of a year, without playing it, and says what its rows would take on the
disk, with games drawn from some that were really played. Without any of them it does all.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

from arena.game.records import Fixture
from arena.ladder.book.book import Book
from arena.ladder.book.tables import PLAYING, State
from arena.ladder.folder import Folder
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from benchmarks.ladder_year import GAMES, year
from benchmarks.shared.sizes import Size, begin, draw
from benchmarks.shared.stored import STORE
from benchmarks.shared.usage import alone
from tests.cli.command import LOWEST
from tests.e2e import live
from tests.ladder import club as clubs
from tests.ladder.club import Running, running

START = Size(bots=200, games=40_000, changes=1000)
_ASLEEP = 60.0
"""Seconds."""
_CLUSTERS = (None, "local:1", "local:2")
"""Who plays before they sleep."""
_GLANCE = 0.2
"""Seconds."""
_LOOK = 5.0
"""Seconds between looks that draw a schedule, which takes time from the ladder."""
_NOISE = "import os, sys; sys.stderr.write(os.urandom(1 << 15).hex())\n"
"""What a noisy bot does first."""
_BLOCKS = 4
"""After each change, in the rush."""


def main() -> None:
    """Print the figures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    for part in _PARTS:
        parser.add_argument(f"--{part}", action="store_true")
    parser.add_argument("--veterans", type=int, default=20)
    parser.add_argument("--newcomers", type=int, default=50)
    parser.add_argument("--noisy", type=int, default=4000, help="fixtures with noise")
    parser.add_argument("--bots", type=int, default=300, help="in the year")
    parser.add_argument("--versions", type=int, default=5, help="of each bot, in the year")
    parser.add_argument("--blocks", type=int, default=3, help="after each version, in the year")
    options = parser.parse_args()
    asked = [part for part in _PARTS if getattr(options, part)]
    for part in asked or _PARTS:
        for line in _PARTS[part](options):
            print(line, flush=True)


def start(_: argparse.Namespace) -> Iterator[str]:
    """Yield what a season takes that changed often, and how long its start."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        alone(begin, START, folder)
        before = Size(START.bots, START.games)
        plain = folder / "plain"
        plain.mkdir()
        alone(begin, before, plain)
        size = (folder / STORE).stat().st_size - (plain / STORE).stat().st_size
        took = alone(draw, folder)
    yield f"start: {START.changes:,} changes, {START.bots} bots: {size / 1e6:.2f} MB of changes"
    yield f"start: {took.seconds:.1f} s ({took.cpu:.1f} s CPU) until the first fixture is due"


# ---------------------------------------------------------------- newcomers, and then sleep


def rush(options: argparse.Namespace) -> Iterator[str]:
    """Yield how soon newcomers play who come all at once, and what the ladder takes asleep."""
    veterans = [f"v{number}" for number in range(options.veterans)]
    newcomers = [f"n{number}" for number in range(options.newcomers)]
    with TemporaryDirectory() as name:
        quotas = {"uploads": 1000, "refused": 1000}
        club = clubs.make(Path(name), blocks=_BLOCKS, quotas=quotas, games=GAMES, workers=None)
        _submit(club, veterans)
        with running(club) as ladder:
            _until_asleep(club, ladder, veterans)
            began = time.monotonic()
            _submit(club, newcomers)
            yield f"rush: {len(newcomers)} submitted within {time.monotonic() - began:.0f} s"
            _until_asleep(club, ladder, [*veterans, *newcomers])
            yield from _first_games(club, _versions(newcomers))
            yield f"rush: {_sleep(club, ladder)}"
            ladder.stop()


def _submit(club: Path, names: Sequence[str]) -> None:
    for name in names:
        assert clubs.submitted(club, name).code == 0


def _versions(names: Sequence[str]) -> list[str]:
    return [f"{name}@1" for name in names]


def _all_play(club: Path, names: Sequence[str]) -> bool:
    with Book(Folder(club)) as book:
        states = {one.name: one.state for one in book.versions()}
    found = {states.get(name) for name in _versions(names)}
    assert State.REFUSED not in found, "a check failed: see arena ladder log"
    return found <= PLAYING


def _first_games(club: Path, newcomers: Sequence[str]) -> Iterator[str]:
    with Book(Folder(club)) as book:
        admitted = {
            one.version: one.at for one in book.events() if one.text.startswith("provisional: ")
        }
    first: dict[str, float] = {}
    with Store(clubs.store_of(club)) as store:
        schedule, changes = schedule_of(store), store.history().changes
        for one in store.stored():
            for bot in schedule.drawn[one.row.id][0].seats:
                first[bot] = min(first.get(bot, inf), one.row.stored_at or inf)
    waits = sorted(first[bot] - admitted[bot] for bot in newcomers)
    yield (
        f"rush: first fixture stored {waits[len(waits) // 2]:.1f} s after the check (median), "
        f"{waits[-1]:.1f} s at most"
    )
    lead = max(
        _lead(blocks, {bot.name: one.begun[kind] for one in changes for bot in one.joined})
        for kind, blocks in enumerate(schedule.blocks.values())
    )
    yield f"rush: with a joining block a newcomer is at most {lead} ahead of any other"


def _lead(blocks: Sequence[Sequence[Fixture]], arrived: Mapping[str, int]) -> int:
    """Return how many joining blocks a bot had more than another when it had got one, at most.

    `arrived` says how many blocks there were when each newcomer came.
    """
    lead, joined = 0, Counter[str]()
    for number, block in enumerate(blocks):
        present = {bot for bot, at in arrived.items() if at <= number}
        for bot in present.intersection(*(one.seats for one in block)):
            joined[bot] += 1
            lead = max(lead, joined[bot] - min(joined[other] for other in present))
    return lead


def _until(ladder: Running, holds: Callable[[], bool], glance: float = _GLANCE) -> None:
    """Wait until something holds while a ladder runs, however long that takes."""
    while not holds():
        assert ladder.process.poll() is None, ladder.said.read_text()
        ladder.wait(glance)


def _until_asleep(club: Path, ladder: Running, names: Sequence[str]) -> None:
    """Wait until these play and all that is due is played."""
    _until(ladder, partial(_all_play, club, names))
    _until(ladder, partial(clubs.is_asleep, club, *_versions(names)), _LOOK)


def asleep(_: argparse.Namespace) -> Iterator[str]:
    """Yield what a ladder takes that sleeps, with and without a cluster."""
    names = ("n0", "n1")
    for cluster in _CLUSTERS:
        with TemporaryDirectory() as name:
            club = clubs.make(Path(name), cluster=cluster, workers=None)
            _submit(club, names)
            with running(club) as ladder:
                _until_asleep(club, ladder, names)
                yield f"asleep: {cluster or 'no cluster'}: {_sleep(club, ladder)}"
                ladder.stop()


def _sleep(club: Path, ladder: Running) -> str:
    """Say what a ladder and all its processes take that sleeps, and has nothing to publish."""
    while True:
        published = _published(club)
        before, began = _cpu_seconds(ladder.process.pid), time.monotonic()
        ladder.wait(_ASLEEP)
        took = time.monotonic() - began
        share = (_cpu_seconds(ladder.process.pid) - before) / took
        if published == _published(club):
            return f"asleep it took {100 * share:.2f} % of a core over {took:.0f} s"


def _published(club: Path) -> str:
    """Return when the ladder published last, and whether it does now."""
    with Book(Folder(club)) as book:
        facts = book.facts()
    return f"{facts.get('published_at')} {facts.get('publish_due_at')}"


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and of all that it has started, those that ended, too."""
    family = live.processes()
    seconds, found = 0.0, [pid]
    for one in found:
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        found += [child for child, process in family.items() if process.parent == one]
    return seconds


# ---------------------------------------------------------------- noise


def noise(options: argparse.Namespace) -> Iterator[str]:
    """Yield how far the folder of a ladder gets over its caps."""
    names, most, stored = ("n0", "n1"), 0, 0
    with TemporaryDirectory() as name:
        disk = {"logs": "32MiB", "stderr": "8MiB"}
        club = clubs.make(Path(name), blocks=10_000, games=1, disk=disk, workers=None)
        for bot in names:
            assert clubs.submitted(club, bot, _NOISE + dedent(LOWEST)).code == 0
        with running(club) as ladder:
            _until(ladder, partial(_all_play, club, names))
            while (now := clubs.played(clubs.store_of(club))) < options.noisy:
                stored = now
                ladder.wait(_GLANCE)
                assert ladder.process.poll() is None, ladder.said.read_text()
                most = max(most, _size(club))
            ladder.stop()
    yield (
        f"noise: caps of 32 MiB; {stored:,} fixtures with {stored / 8:,.0f} MiB of noise; the "
        f"folder had {most / 2**20:.0f} MiB at most"
    )


def _size(folder: Path) -> int:
    """Return the bytes of all files, some of which may go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


_PARTS = {"start": start, "rush": rush, "asleep": asleep, "noise": noise, "year": year}


if __name__ == "__main__":
    main()
