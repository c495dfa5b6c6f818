"""Change the game in every small way and see that a test notices: `make mutants`.

The mutants live in copies of the checkout, never in the checkout itself. Those that no test notices
must be exactly those that benchmarks/results/mutation.md lists, with the same counts.
`make mutants MODULES="dice round"` tries two modules alone.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.mutation import page
from tests.mutation.page import Counts, Mutant

ROOT = Path(__file__).parents[2]
GAME = Path("arena/game/rules")
SEEDS = Path("arena/game/seeds.py")
WORKERS = os.cpu_count() or 1
NOT_COPIED = (".*", "__pycache__", "build", "dist", "site")


class Trial(NamedTuple):
    """A mutant, and whether a test noticed it."""

    mutant: Mutant
    killed: bool


def main(names: Sequence[str]) -> int:
    """Try the modules named, or all; return 1 if the page does not match the results."""
    started = time.monotonic()
    modules = [module for module in modules_by_size() if not names or module.stem in names]
    trials = try_all(modules)
    wrong = [line for module, tried in trials.items() for line in compare(module.name, tried)]
    print(f"{sum(map(len, trials.values()))} mutants in {time.monotonic() - started:.0f} s")
    print("\n".join(wrong) or "as benchmarks/results/mutation.md says")
    return 1 if wrong else 0


def modules_by_size() -> list[Path]:
    """Return the game's modules, the largest first, so that no worker waits long at the end."""
    modules = [SEEDS, *(GAME / path.name for path in (ROOT / GAME).glob("[!_]*.py"))]
    return sorted(modules, key=lambda module: -(ROOT / module).stat().st_size)


def try_all(modules: list[Path]) -> dict[Path, list[Trial]]:
    """Try every mutant of some modules, each module in whatever copy is free."""
    with TemporaryDirectory(prefix="perudo-mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(WORKERS):
            copy = Path(folder, str(number))
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
            copies.put(copy)

        def try_next(module: Path) -> list[Trial]:
            copy = copies.get()
            trials = try_module(module, copy)
            copies.put(copy)
            print(f"{module}: {len(trials)} mutants", flush=True)
            return trials

        with ThreadPoolExecutor(WORKERS) as pool:
            return dict(zip(modules, pool.map(try_next, modules), strict=True))


def try_module(module: Path, copy: Path) -> list[Trial]:
    """Try every mutant of one module in a copy of the checkout."""
    command = [sys.executable, "-m", "tests.mutation.trials", str(module)]
    # The copy comes first, wherever the package is installed from.
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    results = copy / f"{module.stem}.jsonl"
    with results.open("w", encoding="utf-8") as output:
        subprocess.run(command, check=True, cwd=copy, env=environment, stdout=output)
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    return [Trial(Mutant(module.name, *changed), killed) for *changed, killed in lines]


def compare(module: str, trials: list[Trial]) -> Iterator[str]:
    """Yield what the page does not say about a module, or says wrongly."""
    alive = Counter(trial.mutant for trial in trials if not trial.killed)
    listed = page.equivalent(module)
    yield from (f"not noticed: {mutant}" for mutant in (alive - listed).elements())
    yield from (f"noticed, or gone: {mutant}" for mutant in (listed - alive).elements())
    counts = Counts(len(trials), len(trials) - alive.total(), alive.total())
    if page.counts(module) != counts:
        yield f"the page counts {page.counts(module)} for {module}, actual: {counts}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
