"""The interpreter's steps per decision, and whether they became more: `python -m benchmarks.steps`.

A step is one bytecode of the arena's own Python. Unlike CPU time, their number does not depend on
the machine or on what else it does, so `.ci/run` compares it: the exit code is 1 if a decision
takes more than WORST times the steps in `steps.json`, which `--note` writes. Versions of Python
differ in their bytecodes, so each has numbers of its own. What compiled code takes is not seen:
`benchmarks.wire` measures that.
"""

import argparse
import json
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from msgspec.structs import replace

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.workshop import open_workshop
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from benchmarks.throughput import LIMITS
from tests.cli.command import ROOT
from tests.support.live import play_bots
from tests.support.records import fixture

NOTED = ROOT / "benchmarks" / "steps.json"
"""By version of Python and way to play."""
WORST = 1.1
"""Repeated measurements differ by less than 0.01."""
RULES = "bga"
SEATS = 480
"""In all games of a measurement."""
WAYS = [(players, together) for players in (2, 6) for together in (1, 16)]
"""Players at a table, and games at a time."""
Steps = dict[str, float]


def main() -> None:
    """Measure, print a table, and compare or note."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--note", action="store_true", help="write the numbers to steps.json")
    note = parser.parse_args().note
    noted: dict[str, Steps] = json.loads(NOTED.read_text(encoding="utf-8"))
    version = ".".join(platform.python_version_tuple()[:2])
    measured = {way: round(steps, 1) for way, steps in _measured()}
    if note:
        noted[version] = measured
        NOTED.write_text(json.dumps(noted, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    before = noted.get(version, {})
    for way, steps in measured.items():
        ratio = f"{steps / before[way]:5.2f}" if way in before else ""
        print(f"{way:24} {steps:6.0f} steps  {ratio}")
    if not before:
        print(f"nothing to compare with: steps.json has no numbers of Python {version}")
    if more := [way for way in before if measured[way] > WORST * before[way]]:
        print(f"more than {WORST} times the steps in steps.json: {', '.join(more)}")
        sys.exit(1)


def _measured() -> Iterator[tuple[str, float]]:
    """Measure each way to play."""
    sandbox = SANDBOXES["process"]()
    with open_workshop(sandbox) as workshop:
        bot = workshop.stage(load_bot(shipped.folder("sample_bots") / "c-counter"))
        for players, together in WAYS:
            of = fixture([f"bot-{seat}" for seat in range(players)], games=SEATS // players)
            limits = replace(LIMITS, concurrent_games=together)
            with _counted() as count:
                played = play_bots(of, VARIANTS[RULES], [bot] * players, sandbox, limits)
            yield f"{players} players, {together} at a time", count.total() / played.decisions


@contextmanager
def _counted() -> Iterator[Counter[str]]:
    """Count the steps that are taken in this thread."""
    count: Counter[str] = Counter()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            count[event] += 1
        return trace

    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(None)


if __name__ == "__main__":
    main()
