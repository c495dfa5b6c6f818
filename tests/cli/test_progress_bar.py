"""The lines that tell how a run goes."""

import pytest

from arena.cli.progress_bar import TerminalListener
from tests.ratings.simulated import league
from tests.support.simulated_leagues import Shape


@pytest.mark.parametrize(
    ("due", "line"),
    [
        (4, "2/4 fixtures, 8 games, "),
        (2, "2/2 fixtures, 8 games, "),
        (1, "2 fixtures, 8 games, "),
    ],
)
def test_time_left_is_told_of_what_is_known_to_be_due(
    due: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with TerminalListener().progress(due) as on_result:
        for result in league(Shape(4, 2, 4))[:2]:
            on_result(result)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(line)
    assert ("s left" in last) == (due > 1)
    assert last.endswith("faults 0")
