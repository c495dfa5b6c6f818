"""What a task takes, measured in a process of its own."""

import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple


class Used(NamedTuple):
    """What a task used."""

    seconds: float
    cpu: float
    """Seconds, over all its processes."""
    memory: float
    """MiB that the largest of them held at most."""


def used(task: Callable[..., object], *given: Any) -> Used:
    """Run a task and return what this process and its children used."""
    began, cpu = time.perf_counter(), time.process_time()
    task(*given)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu += others.ru_utime + others.ru_stime
    return Used(seconds, cpu, max(own.ru_maxrss, others.ru_maxrss) / 1024)


def alone(task: Callable[..., object], *given: Any) -> Used:
    """Run a task in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        return executor.submit(used, task, *given).result()
