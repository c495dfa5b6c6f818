"""Every worked example that the four rule books print, through `arena judge`.

`examples/BOOK.jsonl` holds the positions, `examples/BOOK.expected.jsonl` what the book says of
them. The hands are made up where a book prints none.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run
from tests.rules.clauses import BOOKS
from tests.rules.notation import by_oracle, facts

EXAMPLES = Path(__file__).parent / "examples"
BIDS = ("OPEN", "RAISE-QTY", "RAISE-FACE", "TO-PACOS", "FROM-PACOS")
CALLS = ("DUDO", "TIE", "STARTER")
PALIFICO = ("PAL-WILD", "PAL-LOCK")
SHOWN = {
    "bga": ("SETUP", *BIDS, *CALLS),
    "classic": (*BIDS, *CALLS, *PALIFICO),
    "pressman": (
        *BIDS,
        "RAISE-BOTH",
        "RAISE-DOWN",
        "PACOS-UP",
        *CALLS,
        "REVEAL",
        *PALIFICO,
        "PAL-VETERAN",
        "PAL-TWO",
        "WIN",
        "CALZA-RIGHT",
    ),
    "italian": (*BIDS, "PACOS-UP", *CALLS),
}
"""The clauses of which a book prints an example."""

every_book = pytest.mark.parametrize(
    "book",
    [
        pytest.param(book, marks=[pytest.mark.clause(book, clause) for clause in clauses])
        for book, clauses in SHOWN.items()
    ],
)


def read(name: str) -> list[dict[str, Any]]:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@every_book
def test_arena_judge_agrees_with_the_book(book: str) -> None:
    ran = run("judge", f"{book}.jsonl", cwd=EXAMPLES)
    assert (ran.code, ran.err) == (0, "")
    expected = (EXAMPLES / f"{book}.expected.jsonl").read_text(encoding="utf-8")
    assert ran.out.splitlines() == expected.splitlines()


@every_book
def test_clauses_alone_agree_with_the_book(book: str) -> None:
    """The oracle, which shares no code with the engine, expects the same verdicts."""
    expected = [facts(verdict) for verdict in read(f"{book}.expected.jsonl")]
    assert [by_oracle(position) for position in read(f"{book}.jsonl")] == expected


@pytest.mark.parametrize("book", BOOKS)
def test_each_example_has_a_name_and_belongs_to_its_book(book: str) -> None:
    positions = read(f"{book}.jsonl")
    assert {position["variant"] for position in positions} == {book}
    assert len({position["id"] for position in positions}) == len(positions)
