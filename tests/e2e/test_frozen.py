"""Leagues whose bots are frozen out of turn."""

from pathlib import Path

import pytest

from tests.cli.command import FIELD, league, records, run
from tests.support.sampling import sample

LIMITS = {"start": 30.0, "answer": 60.0, "game": 600.0}


def _records(folder: Path, sandbox: str, *, freeze: bool) -> list[bytes]:
    league(
        folder, bots=FIELD, games=1, blocks=2, limits={**LIMITS, "freeze": freeze}, shared_dice=True
    )
    store = f"{freeze}.sqlite"
    ran = run("run", "league.yaml", "--sandbox", sandbox, "--store", store, cwd=folder)
    assert ran.code == 0, ran.err
    assert "faults 0" in ran.err
    return records(folder / store)


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(["docker", "bubblewrap"], 1, "frozen league"))
def test_reusable_bots_play_every_round_of_a_frozen_league(tmp_path: Path, sandbox: str) -> None:
    """Between two fixtures they wait frozen in the warm pool, and are greeted again."""
    assert _records(tmp_path, sandbox, freeze=True) == _records(tmp_path, sandbox, freeze=False)
