"""What makes a check take long is said once, as soon as it is known."""

from pathlib import Path

import pytest

from arena.author.check.meter import Pace
from tests.author.check.bots import Silent, checked, write
from tests.support.bot_programs import turn


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def pace(said: list[str]) -> Pace:
    pace = Pace(said.append)
    pace.steps_left = 10
    return pace


@pytest.mark.parametrize(
    ("seconds", "waits", "words"),
    [
        (0.1, 40, ""),
        (0.22, 19, ""),  # too few to tell
        (0.3, 20, "an answer takes 0.3 s: the check may take 5 min more; Ctrl-C ends the check"),
        (1.9, 3, "an answer takes 1.9 s: the check may take 10 min more; Ctrl-C ends the check"),
    ],
)
def test_slow_answers_are_told_with_what_they_cost(
    pace: Pace, said: list[str], seconds: float, waits: int, words: str
) -> None:
    for _ in range(waits):
        pace.waited(1, seconds, 0)
        pace.waited(0, 9.9, 0)  # a wait for something else
    assert len(said) == bool(words)
    assert "".join(said).startswith(words)


def test_each_thing_is_told_once(pace: Pace, said: list[str]) -> None:
    for _ in range(50):
        pace.waited(1, 2.0, 10_000_000)
        pace.started(5.2, 27)
    assert len(said) == 3


@pytest.mark.parametrize(("seconds", "told"), [(0.9, False), (5.2, True)])
def test_a_slow_start_is_told_with_what_it_costs(
    pace: Pace, said: list[str], seconds: float, told: bool
) -> None:
    pace.started(seconds, 27)
    start = "it took 5.2 s to start, and may be started 27 times: about 2 min; Ctrl-C"
    assert [text[: len(start)] for text in said] == [start] * told


def test_a_flood_of_standard_error_is_told_while_the_check_goes_on(tmp_path: Path) -> None:
    listener = Silent()
    body = turn("sys.stderr.write('x' * 2**21 if m['id'] == 1 else ''); answer(m)")
    checked(write(tmp_path / "new", body), step=5, listener=listener)
    [told] = listener.warnings
    assert told.startswith("it wrote 2 MiB to standard error so far: that takes time")


def test_a_check_warns_of_slow_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.author.check.meter._SLOW_ANSWER", 0.0)
    listener = Silent()
    assert checked(write(tmp_path / "new"), step=7, listener=listener).ok
    assert len(listener.warnings) == 1
