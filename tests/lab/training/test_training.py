"""The training of the manual, in small: stopped, gone on with, played."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.command import ROOT
from tests.lab.env.test_examples import example, play_live
from tests.support.depth import depth, only_in_long

SIZES = depth(
    ("--games", "16", "--imitate", "8", "--decisions", "256", "--measured", "16"),
    ("--imitate", "120", "--decisions", "8192"),
)


@pytest.mark.slow
def test_training_goes_on_and_makes_a_bot_that_plays(tmp_path: Path) -> None:
    """In `make long` it beats honest."""
    how = ("--book", "bga", "--players", "2", "--processes", "1", *SIZES)
    first = example("train_champion.py", "trained", *how, "--steps", "1", cwd=tmp_path)
    again = example("train_champion.py", "trained", *how, "--steps", "2", cwd=tmp_path)
    lines = [line.split("\t") for line in [*first, *again]]
    steps = [int(line[0]) for line in lines]
    assert steps == [0, 1, 2]
    assert (tmp_path / "trained" / "curve.tsv").read_text().splitlines() == [*first, *again]
    share, error = map(float, lines[-1][4].split(" ± "))
    assert share - error > depth(-1, 0.5)
    play_live(tmp_path / "trained" / "bot")


@only_in_long
@pytest.mark.slow
def test_an_exploiter_begins_as_a_copy_of_its_target(tmp_path: Path) -> None:
    """At first only its critic learns."""
    how = ("--steps", "1", "--decisions", "256", "--games", "16", "--measured", "32")
    lines = example("train_exploiter.py", "it", *how, cwd=tmp_path)
    assert [line.split("\t")[0] for line in lines[::2]] == ["0", "1"]
    assert all(line.startswith("1 of it: ") for line in lines[1::2])
    shipped = ROOT / "sample_bots" / "champion" / "weights.npz"
    with np.load(shipped) as target, np.load(tmp_path / "it" / "bot" / "weights.npz") as copy:
        assert all(np.array_equal(copy[name], target[name]) for name in target)
