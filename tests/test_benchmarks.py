"""The index of benchmarks is whole: each is named, and run by `make bench` or said why not."""

import re

from tests.test_structure import ROOT, imports, modules

BENCHMARKS = ROOT / "benchmarks"
INDEX = BENCHMARKS / "README.md"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem != "__init__")
ROW = re.compile(r"^\| \[`(\w+)`\]\(\w+\.py\) \| (.+) \| (.+) \| (.+) \| (.*) \|$", re.MULTILINE)
ROWS = {name: cells for name, *cells in ROW.findall(INDEX.read_text(encoding="utf-8"))}


def test_index_has_the_command_of_each_benchmark() -> None:
    assert sorted(ROWS) == NAMES
    assert [name for name in NAMES if "python -m benchmarks." not in ROWS[name][1]] == []


def test_make_bench_runs_each_benchmark_or_the_index_says_why_not() -> None:
    _, _, bench = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nbench:")
    recipe = re.sub(r" --.*", "", bench.partition("\n\n")[0] + "\n")
    run = [name for name in NAMES if f"-m benchmarks.{name}\n" in recipe]
    assert run == [name for name in NAMES if not ROWS[name][2].startswith("not in `make bench`: ")]


def test_tests_use_no_benchmark() -> None:
    """What both use is in tests/support."""
    paths = [path for path in modules(ROOT / "tests") if "benchmarks" in imports(path)]
    assert paths == []
