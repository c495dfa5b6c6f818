"""The arena's own CPU time per decision beside a bare loop's: `python -m benchmarks.wire`.

The bare loop writes the bytes that the arena wrote to the same C bots and reads a line for each
request, one at a time: no rules, no limits, no records. Both share one core with their bots and
take turns, and Python looks for cycles as often as in a worker. Only the CPU time of this
process counts, without that of the bots, and of all rounds the least.

`--compiled` measures the modules as mypyc compiles them, too. `--against COMMIT` measures the arena
of a commit, by default the last in HISTORY, in turns with this one. HISTORY has the ratios by
commit; `--note` adds a line.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.workshop import open_workshop
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from arena.io.cores import share_processor
from arena.league.play.process_pool import collect_rarely
from benchmarks.throughput import LIMITS, floor, record
from tests.cli.command import ROOT
from tests.support.compiled import compiled_copy
from tests.support.live import play_bots
from tests.support.records import fixture

HISTORY = ROOT / "benchmarks" / "wire.jsonl"
LAST = "the last in the history"
RULES = "bga"
SEATS = 2400
"""In all games of a round."""
TOGETHER = 16
Times = dict[str, float]
"""Microseconds per decision: of the loop, and of the arena in each way to play."""


def main() -> None:
    """Measure, and print a table."""
    options = _options()
    if options.json:
        print(json.dumps(measure()))
    elif options.against:
        commit = _last_noted() if options.against == LAST else options.against
        _compare(commit, options.rounds)
    else:
        _show(options.rounds, compiled=options.compiled, note=options.note)


def _show(rounds: int, *, compiled: bool, note: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        trees = [ROOT, *([compiled_copy(Path(name))] if compiled else [])]
        measured = in_turns(trees, rounds)
    for what, times in zip(("sources", "compiled"), measured, strict=False):
        _print(what, times)
    if note:
        _note(measured[0])


def measure() -> Times:
    """Measure each way to play once."""
    sandbox = SANDBOXES["process"]()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    share_processor()
    collect_rarely()
    try:
        with open_workshop(sandbox) as workshop:
            bot = workshop.stage(load_bot(shipped.folder("sample_bots") / "c-counter"))
            return {
                name: microseconds
                for players in (2, 6)
                for name, microseconds in _at_tables([bot] * players, sandbox)
            }
    finally:
        os.sched_setaffinity(0, cores)


def _at_tables(bots: Sequence[StagedBot], sandbox: Sandbox) -> Iterator[tuple[str, float]]:
    players = len(bots)
    of = fixture([f"bot-{seat}" for seat in range(players)], games=SEATS // players)
    loop = floor(record(VARIANTS[RULES], of, bots, sandbox), bots, sandbox)
    yield f"{players} players, the loop", 1e6 * loop.own / loop.decisions
    for together in (1, TOGETHER):
        limits = replace(LIMITS, concurrent_games=together)
        before = time.process_time()
        decisions = play_bots(of, VARIANTS[RULES], bots, sandbox, limits).decisions
        own = time.process_time() - before
        yield f"{players} players, {together} at a time", 1e6 * own / decisions


def in_turns(trees: Sequence[Path], rounds: int) -> list[Times]:
    """Measure the arenas in some folders in turns, each by its own benchmark; return the least."""
    measured: list[list[Times]] = [[] for _ in trees]
    for _ in range(rounds):
        for tree, times in zip(trees, measured, strict=True):
            times.append(_of_tree(tree))
    return [{name: min(one[name] for one in times) for name in times[0]} for times in measured]


def _of_tree(tree: Path) -> Times:
    command = [sys.executable, "-m", "benchmarks.wire", "--json"]
    variables = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=variables, check=True, stdout=subprocess.PIPE)
    times: Times = json.loads(done.stdout)
    return times


def _compare(commit: str, rounds: int) -> None:
    """Print how many times as long as the arena of a commit this one takes."""
    with _tree_of(commit) as before:
        then, now = in_turns([before, ROOT], rounds)
    for name in then:
        print(f"{name:24} {then[name]:5.1f} us  {now[name]:5.1f} us  {now[name] / then[name]:5.2f}")


@contextmanager
def _tree_of(commit: str) -> Iterator[Path]:
    """Lay out the files of a commit."""
    with tempfile.TemporaryDirectory() as name:
        packed = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        subprocess.run(["tar", "-x", "-C", name], input=packed.stdout, check=True)
        yield Path(name)


def _print(what: str, times: Times) -> None:
    for name, microseconds in times.items():
        loop = times[f"{name.partition(',')[0]}, the loop"]
        print(f"{what:8}  {name:24} {microseconds:5.1f} us  {microseconds / loop:5.2f}")


def _last_noted() -> str:
    commit: str = json.loads(HISTORY.read_text(encoding="utf-8").splitlines()[-1])["commit"]
    return commit


def _note(times: Times) -> None:
    """Add the ratios of the last commit to the history."""
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    ratios = {
        name: round(microseconds / times[f"{name.partition(',')[0]}, the loop"], 2)
        for name, microseconds in times.items()
        if _is_ours(name)
    }
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"commit": commit.strip(), **ratios}) + "\n")


def _is_ours(name: str) -> bool:
    return not name.endswith("the loop")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compiled", action="store_true", help="the compiled modules, too")
    what = "compare with the arena of a commit"
    parser.add_argument("--against", metavar="COMMIT", nargs="?", const=LAST, help=what)
    parser.add_argument("--note", action="store_true", help="add a line to the history")
    parser.add_argument("--json", action="store_true", help="measure once, print the times")
    return parser.parse_args()


if __name__ == "__main__":
    main()
