"""Figures of a ladder and of its door, in the text format of Prometheus."""

import ipaddress
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from arena.ladder.book.book import Book
from arena.ladder.book.tables import HEALTH, Health
from arena.ladder.door.door import Door
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import Served, client_of, served_by
from arena.ladder.web.visitors import author_of

_ADMINISTRATOR = "administrator"
"""The role of those whose tokens read the figures."""


def metrics(request: Request) -> Response:
    """Tell a monitor the figures of now."""
    _check_reader(request)
    served = served_by(request)
    registry = CollectorRegistry()
    registry.register(_Figures(served))
    ProcessCollector(registry=registry)  # of the door: memory, processor time, files
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _check_reader(request: Request) -> None:
    """Raise RequestError for who neither asks on this machine nor has an administrator's token.

    The name must be that of this machine, too: a page that somebody has open here may ask under any
    name of its own that leads here, and what a proxy forwards has the name of the door.
    """
    name = urlsplit(f"//{request.headers.get('host', '')}").hostname
    if _is_loopback(client_of(request)) and _is_loopback(name or ""):
        return
    author = author_of(request).author
    with Door(served_by(request).folder) as door:
        if door.author(author).role != _ADMINISTRATOR:
            hint = "ask on the machine of the door, or with the token of an administrator"
            raise RequestError(403, "the figures are for the operator", hint)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Figures(Collector):
    """Reads the figures when they are asked for."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def collect(self) -> Iterator[Metric]:
        """Yield all figures."""
        served = self._served
        now, caps = served.watch.now, served.terms.caps
        with Book(served.folder) as book:
            facts, outcomes = book.facts(), book.outcomes()
        health = msgspec.json.decode(facts[HEALTH], type=Health) if HEALTH in facts else None
        runs = not now.why_down
        yield _gauge("ladder_running", "Whether the ladder runs, and does not hang.", runs)
        yield _gauge("queue_length", "Submissions that wait or are checked.", len(now.queue))
        yield _gauge("queue_oldest_seconds", "How long the oldest waits.", now.oldest() or 0)
        states = Counter(version.state for version in now.versions.values())
        yield _labelled("versions", "Versions by state.", "state", states)
        yield _gauge("checks_running", "Checks that go on.", len(now.checks))
        yield _labelled("checks", "Checks that ended.", "outcome", outcomes, counts=True)
        games, rate = (now.live.games, now.live.per_minute) if now.live else (0, 0.0)
        yield CounterMetricFamily("perudo_games", "Games of the season.", games)
        yield _gauge("games_per_minute", "Games of the last minute.", rate)
        if published := facts.get("published_at"):
            age = max(0.0, time.time() - float(published))
            yield _gauge("publication_age_seconds", "Age of the published site.", age)
        free = shutil.disk_usage(served.folder.root).free
        yield _gauge("disk_free_bytes", "Bytes that are free.", free)
        yield _gauge("disk_reserve_bytes", "disk.free of ladder.yaml.", caps.free)
        inbox = sum(served.folder.in_inbox().values())
        yield _gauge("inbox_bytes", "Bytes of submissions.", inbox)
        yield _gauge("inbox_cap_bytes", "disk.inbox of ladder.yaml.", caps.inbox)
        if health:
            yield _gauge("logs_bytes", "Bytes of the logs of games.", health.logs)
            yield _gauge("logs_cap_bytes", "disk.logs of ladder.yaml.", health.logs_cap)
            memory = "Memory of the ladder and of all processes that it began."
            yield _gauge("ladder_memory_bytes", memory, health.memory if now.running else 0)
            errors = "What went wrong since the ladder was started."
            yield CounterMetricFamily("perudo_ladder_errors", errors, health.errors)
        answers = {str(status): count for status, count in served.answers.copy().items()}
        yield _labelled("answers", "Answers of the door.", "status", answers, counts=True)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"perudo_{name}", about, value)


def _labelled(
    name: str, about: str, label: str, values: Mapping[Any, int], *, counts: bool = False
) -> Metric:
    """Return a figure for each value of a label."""
    kind = CounterMetricFamily if counts else GaugeMetricFamily
    family = kind(f"perudo_{name}", about, labels=[label])
    for value, figure in sorted(values.items()):
        family.add_metric([value], figure)
    return family
