"""The data set of the manual, in small."""

from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from arena.bots.kits import create
from tests.lab.env.test_examples import example

BOTS = ("--bots", "sample:honest", "mine")
SMALL = (*BOTS, "--book", "bga", "--players", "2")


@pytest.mark.slow
def test_data_set_has_so_many_decisions_and_a_card(tmp_path: Path) -> None:
    create(tmp_path / "mine", "python")
    *_, last = example("make_dataset.py", "made", "--decisions", "300", *SMALL, cwd=tmp_path)
    rows = read_table(tmp_path / "made" / "decisions.parquet").to_pylist()
    assert 300 <= len(rows) < 600
    assert last.startswith(f"{len(rows)} decisions")
    card = (tmp_path / "made" / "README.md").read_text(encoding="utf-8")
    for column in rows[0]:
        assert f"| `{column}` | " in card
    assert f"| bga | 2 | {sum(row['variant'] == 'bga' for row in rows)} |" in card
    assert f"| mine | {sum(row['bot'] == 'mine' for row in rows)} |" in card
