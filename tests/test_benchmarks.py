"""The index of benchmarks is whole: each is named, run by `make bench` or said why not, quoted."""

import re
from pathlib import Path

import pytest

from tests.test_structure import ROOT, imports, modules

BENCHMARKS = ROOT / "benchmarks"
INDEX = BENCHMARKS / "README.md"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem != "__init__")
ROW = re.compile(r"^\| \[`(\w+)`\]\(\w+\.py\) \| (.+) \| (.+) \| (.+) \| (.*) \|$", re.MULTILINE)
ROWS = {name: cells for name, *cells in ROW.findall(INDEX.read_text(encoding="utf-8"))}


def pages_that_quote(name: str) -> set[Path]:
    """Return the pages that give the command of a benchmark."""
    command = re.compile(rf"benchmarks(?:/{name}\.py|\.{name}\b)")
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return {page for page in pages if command.search(page.read_text(encoding="utf-8"))}


def test_index_has_a_row_for_each_benchmark() -> None:
    assert sorted(ROWS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_benchmark_says_how_it_is_run(name: str) -> None:
    text = (BENCHMARKS / f"{name}.py").read_text(encoding="utf-8")
    command = re.compile(r"python -m benchmarks\.\w+")
    [here] = set(command.findall(ROWS[name][1]))
    assert here in command.findall(text)


@pytest.mark.parametrize("name", NAMES)
def test_make_bench_runs_each_benchmark_or_the_index_says_why_not(name: str) -> None:
    _, _, bench = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nbench:")
    recipe = bench.partition("\n\n")[0]
    runs = f"-m benchmarks.{name}\n" in re.sub(r" --.*", "", recipe + "\n")
    assert runs == (not ROWS[name][2].startswith("not in `make bench`: "))


@pytest.mark.parametrize("name", NAMES)
def test_index_links_to_the_pages_that_quote_a_benchmark(name: str) -> None:
    links = re.findall(r"\]\(([^)]+)\)", ROWS[name][3])
    assert {(BENCHMARKS / link).resolve() for link in links} == pages_that_quote(name)


@pytest.mark.slow
def test_tests_use_no_benchmark() -> None:
    """What both use is in tests/support."""
    paths = [path for path in modules(ROOT / "tests") if "benchmarks" in imports(path)]
    assert paths == []
