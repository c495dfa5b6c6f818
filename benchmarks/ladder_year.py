"""What the schedule of a ladder of a year takes: `python -m benchmarks.ladder --year`."""

import argparse
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from arena.game.records import BotInfo, Conditions, Fixture
from arena.league.changes import Change, version_of
from arena.league.schedule.schedule import Schedule
from arena.league.store.files import logs_path
from benchmarks.shared.stored import fill, league, playing

GAMES = 10
"""Games per fixture, as in a ladder.yaml that does not say."""
_FIRST = 4
"""Versions that are there at the beginning of the year."""
_SAMPLE = 500
"""Fixtures that are stored to see what one takes."""


def year(options: argparse.Namespace) -> Iterator[str]:
    """Yield what the schedule of a ladder of a year takes, a line for each quarter."""
    plain = league(options.bots, GAMES, 2, 0)
    bots = Random("year").sample(plain.bots, options.bots)
    versions = [_version(bot, n) for n in range(1, options.versions + 1) for bot in bots]
    first = sorted(versions[:_FIRST], key=lambda bot: bot.name)
    schedule = Schedule(replace(plain, bots=tuple(first), endless=True, blocks=0))
    later = versions[_FIRST:]
    began, size = time.process_time(), 0
    for number, version in enumerate(later, 1):
        size += _admit(schedule, version)
        for division in schedule.blocks:
            for _ in range(options.blocks):
                schedule.draw(division)
        if number * 4 // len(later) > (number - 1) * 4 // len(later):
            took, memory = time.process_time() - began, getrusage(RUSAGE_SELF).ru_maxrss / 1024
            yield (
                f"year: {number:5,} changes, {size / 1e6:5.2f} MB; {len(schedule.drawn):9,} "
                f"fixtures; drawn in {took:5.1f} s CPU, {memory:5.0f} MiB of memory"
            )
    yield from _on_disk(schedule)


def _version(bot: BotInfo, number: int) -> BotInfo:
    digest = sha256(f"{bot.name} {number}".encode()).hexdigest()
    return replace(bot, name=f"{bot.name}@{number}", digest=digest)


def _admit(schedule: Schedule, version: BotInfo) -> int:
    """Let a version play in place of the one before; returns the bytes of the change's row."""
    bot, number = version_of(version.name)
    before = f"{bot}@{number - 1}"
    rested = tuple(one for one in [before] if number > 1)
    begun = tuple(map(len, schedule.blocks.values()))
    change = Change(begun, joined=(version,), rested=rested)
    schedule.change(change)
    return len(msgspec.json.encode(change)) + sha256().digest_size


def _on_disk(schedule: Schedule) -> Iterator[str]:
    fixtures = schedule.fixtures[-_SAMPLE:]
    with TemporaryDirectory() as name:
        sizes = [
            _sizes(Path(name, f"{len(some)}.sqlite"), schedule.conditions, some)
            for some in (fixtures, fixtures[:0])
        ]
    one = [(full - empty) / len(fixtures) for full, empty in zip(*sizes, strict=True)]
    for what, each in zip(("rows", "logs"), one, strict=True):
        whole = each * len(schedule.drawn) / 1e9
        yield f"year: {what} of {GAMES} games: {each:,.0f} bytes a fixture, {whole:.2f} GB in all"


def _sizes(path: Path, conditions: Conditions, fixtures: Sequence[Fixture]) -> list[int]:
    fill(path, conditions, playing(conditions, fixtures))
    return [path.stat().st_size, logs_path(path).stat().st_size]
