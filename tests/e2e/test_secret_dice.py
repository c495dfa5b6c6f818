"""The dice that the tables of a round share are known to no process at more than one of them."""

import itertools
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from arena.store.store import Store
from tests.cli.command import bot, league, run
from tests.support.remembering import KNOWN, REMEMBERING
from tests.support.sampling import sample

SANDBOXES = ("process", "bubblewrap", "docker")
PATIENT = {"start": 120, "answer": 120, "game": 600}
CASES = [
    *itertools.product(SANDBOXES, (1, 2), (2, 4), (False,)),
    *itertools.product(SANDBOXES, (1, 2), (2,), (True,)),
]
"""The sandbox, the workers, the players, and whether bots keep their memory across fixtures."""


def field(folder: Path, count: int = 4) -> None:
    for number in range(count):
        bot(folder / "bots" / f"rememberer-{number}", REMEMBERING, runtime="python")


def said(store: Path) -> list[str]:
    """Return what each seat of each fixture wrote to standard error."""
    with Store(store) as opened:
        return [text for played in opened.played() for text in played.stderr]


def test_the_bot_of_these_tests_knows_dice_that_it_saw() -> None:
    table: list[dict[str, object]] = [{"type": "hello"}]
    for game in (0, 1):
        turn = {"type": "turn", "id": 1, "seat": 0, "dice": [2, 3], "raises": []}
        table += [
            {**turn, "game": game, "round": 0},
            {"type": "round_end", "game": game, "round": 0, "dice": [[2, 3], [5, 6]]},
        ]
    for tables, knows in ((1, False), (2, True)):
        spoken = "".join(json.dumps(message) + "\n" for message in table * tables)
        program = [sys.executable, "-c", textwrap.dedent(REMEMBERING)]
        ran = subprocess.run(program, input=spoken.encode(), capture_output=True, check=True)
        assert (KNOWN in ran.stderr.decode()) == knows


@pytest.mark.parametrize(
    ("sandbox", "workers", "players", "memory"), sample(CASES, 6, "secret dice")
)
def test_no_process_is_dealt_dice_that_it_knows(
    tmp_path: Path, sandbox: str, workers: int, players: int, *, memory: bool
) -> None:
    field(tmp_path)
    keys = {"players": players, "games": 3, "workers": workers, "limits": PATIENT}
    keys["memory_across_fixtures"] = memory
    league(tmp_path, bots=["bots/*"], **keys)
    ran = run("run", "league.yaml", "--sandbox", sandbox, "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    texts = said(tmp_path / "league.sqlite")
    assert len(texts) == 12 * players
    assert [text for text in texts if KNOWN in text] == []
