"""Work in a process of its own: its result, its error, its death."""

import multiprocessing
import os
import signal
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from arena.io.errors import ArenaError
from arena.io.job import LATER, Job, JobDiedError, SharedItems, in_copy, kept_beside
from tests.e2e.live import wait_until


def _refuse() -> None:
    raise ArenaError("no", "here", "try again")


def finished(job: Job) -> Job:
    wait_until(job.is_over)
    return job


def test_the_result_comes_from_another_process() -> None:
    assert finished(Job(os.getpid)).result() != os.getpid()


def test_a_large_result_comes_whole() -> None:
    assert finished(Job(partial(bytes, 1 << 20))).result() == bytes(1 << 20)


def test_a_refusal_is_raised_here() -> None:
    with pytest.raises(ArenaError, match="no / here / try again"):
        finished(Job(_refuse)).result()


def test_a_death_is_told_from_a_result() -> None:
    with pytest.raises(JobDiedError):
        finished(Job(partial(os._exit, 1))).result()


def test_a_job_is_shown_by_the_name_of_what_it_does() -> None:
    assert Job(partial(Path.read_text, Path("/proc/self/comm"))).result() == "read_text\n"


def test_a_job_that_is_ended_is_over_at_once() -> None:
    job = Job(signal.pause)
    assert not job.is_over()
    job.end()


@pytest.mark.parametrize("cores", [{min(os.sched_getaffinity(0))}, {max(os.sched_getaffinity(0))}])
def test_job_runs_on_the_cores_that_it_is_given(cores: set[int]) -> None:
    assert Job(partial(os.sched_getaffinity, 0), cores=cores).result() == cores


def test_job_for_later_has_a_lower_priority() -> None:
    niceness = partial(os.getpriority, os.PRIO_PROCESS, 0)
    assert Job(niceness, niceness=LATER).result() == min(19, niceness() + LATER)
    assert Job(niceness).result() == niceness()


def _remember(known: list[int]) -> tuple[int, list[int]]:
    known.append(2)
    return os.getpid(), known


def test_a_copy_knows_what_this_process_knows_and_changes_none_of_it() -> None:
    known = [1]
    with in_copy(lambda: _remember(known)) as result:
        pid, found = result()
    assert (found, known) == ([1, 2], [1])
    assert pid != os.getpid()
    with in_copy(_refuse) as result, pytest.raises(ArenaError, match="no / here / try again"):
        result()


def test_a_call_whose_copy_dies_is_made_here() -> None:
    here = os.getpid()
    with in_copy(lambda: os.getpid() if os.getpid() == here else os._exit(1)) as result:
        assert result() == here


class _Counter:
    """Counts calls, and dies at one if it is not where it was made."""

    def __init__(self, dies_at: int = 0) -> None:
        self.count, self._dies_at, self._made_by = 0, dies_at, os.getpid()

    def add(self, number: int) -> int:
        self.count += number
        if self.count == self._dies_at and os.getpid() != self._made_by:
            os._exit(1)
        return self.count


def test_a_copy_of_an_object_answers_and_keeps_what_it_made() -> None:
    counter = _Counter()
    with kept_beside(in_copy, counter) as ask:
        assert [ask(_Counter.add, number)() for number in (1, 2, 3)] == [1, 3, 6]
    assert counter.count == 0


def test_an_object_whose_copy_dies_answers_itself() -> None:
    with kept_beside(in_copy, _Counter(dies_at=3)) as ask:
        assert [ask(_Counter.add, number)() for number in (1, 2, 3)] == [1, 3, 6]


def test_an_object_answers_itself_if_no_call_is_begun() -> None:
    counter = _Counter()
    with kept_beside(nullcontext, counter) as ask:
        assert [ask(_Counter.add, number)() for number in (1, 2)] == [1, 3]
    assert counter.count == 3


@pytest.mark.parametrize("count", [0, 1, 7, 2500])
def test_a_process_and_its_copy_take_each_item_once(count: int) -> None:
    for _ in range(10):  # both must take one at the same moment
        with SharedItems(range(count)) as items, in_copy(lambda: [*items.there()]) as there:
            here = [*items.here()]
            assert sorted([*here, *there()]) == [*range(count)]


def test_a_copy_takes_all_items_if_this_process_takes_none() -> None:
    with SharedItems(range(7)) as items, in_copy(lambda: [*items.there()]) as there:
        assert there() == [*range(7)]
        assert not [*items.here()]


def test_items_of_a_copy_that_died_are_taken_here() -> None:
    pid = os.getpid()

    def take() -> list[int]:
        items = shared.there()
        return [*items] if os.getpid() == pid else os._exit(next(items))

    with SharedItems(range(7)) as shared:
        first = next(shared.here())
        with in_copy(take) as there:
            wait_until(lambda: not _is_alive())
            rest = [*shared.here()]
            assert sorted([first, *rest, *there()]) == [*range(7)]
            assert len(rest) == 5


def test_no_item_is_left_without_a_copy() -> None:
    with SharedItems(range(7)) as items:
        assert [*items.here()] == [*range(7)]
        assert not [*items.there()]


def _is_alive() -> bool:
    """Tell whether a copy is alive; asking lets it go if it is not."""
    return any(child.is_alive() for child in multiprocessing.active_children())
