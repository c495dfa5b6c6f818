"""How the runner goes on when the machine of its workers lacks something, on a scripted engine."""

import errno
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.io.errors import ShortageError, shortage_of
from arena.league.play import dispatcher
from arena.league.play.dispatcher import RunListener
from arena.league.play.workers import Lacking, Played, Task
from arena.league.store.rows import pack
from tests.league.test_dispatch import Scripted, Season
from tests.support import records

TRIES = 4


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "_PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def season(tmp_path: Path) -> Season:
    return Season(tmp_path)


def refused(number: int = errno.EAGAIN) -> OSError:
    return OSError(number, os.strerror(number))


class Noting(RunListener):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


class Short(Scripted):
    """Workers that lack something for a fixture, the first so many times."""

    def __init__(self, size: int, fixture: str, times: int) -> None:
        super().__init__(size)
        self._fixture, self._left = fixture, times
        self.workers: list[int] = []

    @contextmanager
    def executor(self, workers: int) -> Iterator[Executor]:
        self.workers.append(workers)
        with super().executor(workers) as executor:
            yield executor

    def collect(self, future: Future[object]) -> list[Played]:  # type: ignore[override]
        tasks = future.result()
        assert isinstance(tasks, list)
        return [self._played(task) for task in tasks]

    def _played(self, task: Task) -> Played:
        if task.fixture.id == self._fixture and self._left:
            self._left -= 1
            shortage = shortage_of(refused())
            assert shortage
            return Lacking(task.fixture.id, shortage)
        return pack(records.played(task.fixture))


@pytest.mark.parametrize("size", [1, 3])
def test_fixture_that_the_machine_could_not_play_is_played_again(season: Season, size: int) -> None:
    engine, listener = Short(size, season.fixtures[1].id, TRIES - 1), Noting()
    assert season.play(engine, listener)
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures)
    assert season.quarantined == []
    [note] = listener.notes
    assert note.startswith("this machine is short of processes: Resource temporarily unavailable")
    # Alone at last, and afterwards with half of the workers.
    assert engine.workers == [2, 1, 1, 1, 1][: len(engine.workers)]


def test_shortage_that_lasts_ends_the_run_and_loses_nothing(season: Season) -> None:
    lacking = season.fixtures[1].id
    with pytest.raises(ShortageError, match="short of processes") as error:
        season.play(Short(1, lacking, 99))
    assert "raise pids.max" in error.value.hint
    assert "the same command goes on" in error.value.hint
    assert lacking not in season.kept
    assert season.quarantined == []
    assert season.play(Scripted(1))
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures)


class Unstartable(Scripted):
    """Workers that cannot be started, the first so many times."""

    def __init__(self, times: int, error: BaseException) -> None:
        super().__init__(1)
        self._left, self._error = times, error

    def submit(self, executor: Executor, tasks: Sequence[Task]) -> Future[object]:
        if len(self.handed_out) > 1 and self._left:
            self._left -= 1
            raise self._error
        return super().submit(executor, tasks)


ERRORS = [
    *(refused(number) for number in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)),
    *(refused(number) for number in (errno.ENOSPC, errno.EIO)),
    RuntimeError("can't start new thread"),
    MemoryError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_workers_that_cannot_be_started_are_started_later(
    season: Season, error: BaseException
) -> None:
    listener = Noting()
    assert season.play(Unstartable(TRIES - 1, error), listener)
    assert sorted(season.kept) == sorted(one.id for one in season.fixtures)
    [note] = listener.notes
    assert note.startswith("this machine is short of ")


def test_workers_that_can_never_be_started_end_the_run(season: Season) -> None:
    with pytest.raises(ShortageError, match="short of open files"):
        season.play(Unstartable(99, refused(errno.EMFILE)))


def test_other_errors_of_workers_are_no_shortage(season: Season) -> None:
    with pytest.raises(RuntimeError, match="a bug"):
        season.play(Unstartable(99, RuntimeError("a bug")))
