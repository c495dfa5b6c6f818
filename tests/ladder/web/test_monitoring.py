"""What a monitor is told: whether all is well, and figures."""

import os
import time
from pathlib import Path
from threading import Event

import pytest
from prometheus_client.parser import text_string_to_metric_families

from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.door.access import Scope
from arena.ladder.folder import SILENCE, Heartbeat, locked
from arena.ladder.run import run_ladder
from arena.ladder.status import status
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.ladder.web.doors import Answer, Door, door_of, ladder

ELSEWHERE = {"X-Forwarded-For": "192.0.2.7", "Host": "ladder.example.org"}


def figures(answer: Answer) -> dict[str, float]:
    """Return the figures by name, those with labels by the values of these, too."""
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


def test_health_is_503_with_the_reason_while_no_ladder_runs(own_door: Door) -> None:
    def why() -> tuple[int, str]:
        answer = own_door.ask("/healthz")
        return answer.status, answer.json()["why"]

    assert why() == (503, "it has not been started yet")
    with locked(own_door.folder):
        wait_until(lambda: own_door.ask("/healthz").status == 200)
        assert why() == (200, "")
    clubs.change(own_door.folder.root, sandbox="none")
    with pytest.raises(ArenaError) as refusal:
        run_ladder(own_door.folder, Event(), lambda _: None)
    wait_until(lambda: why() == (503, refusal.value.what))


def test_a_ladder_that_shows_no_life_is_down(own_door: Door) -> None:
    def health() -> tuple[int, str]:
        answer = own_door.ask("/healthz")
        return answer.status, answer.json()["why"]

    with locked(own_door.folder):
        wait_until(lambda: health() == (200, ""))
        long_ago = time.time() - 2 * SILENCE
        own_door.folder.heartbeat.touch()
        os.utime(own_door.folder.heartbeat, (long_ago, long_ago))
        wait_until(lambda: health() == (503, "it hangs: it has done nothing for 20 min"))
        late = status(own_door.folder).overdue
        assert "the ladder runs, but it hangs: it has done nothing for 20 min" in late
        Heartbeat(own_door.folder).beat()
        wait_until(lambda: health() == (200, ""))


def test_figures_are_those_of_the_ladder_and_the_door(own_door: Door) -> None:
    token = own_door.token("ann")
    own_door.put("mine", b"four", token)
    own_door.ask("/none")
    with locked(own_door.folder), Book(own_door.folder, writes=True) as book:
        book.set_fact("published_at", "1")
        wait_until(lambda: own_door.ask("/healthz").json()["queue"] == 1)
        found = figures(own_door.ask("/metrics"))
    assert found["perudo_ladder_running"] == found["perudo_queue_length"] == 1
    assert found["perudo_versions queued"] == 1
    assert found["perudo_inbox_bytes"] == 4
    assert found["perudo_disk_reserve_bytes"] == 1 << 30
    assert found["perudo_publication_age_seconds"] > 1e9
    assert found["perudo_answers_total 404"] == found["perudo_answers_total 201"] == 1
    assert found["process_resident_memory_bytes"] > 1 << 20
    assert found["perudo_checks_total passed"] == 0


def test_figures_are_for_this_machine_and_for_tokens_of_administrators(tmp_path: Path) -> None:
    folder = ladder(tmp_path)
    with door_of(folder, behind_proxy=True, url="https://ladder.example.org") as door:
        assert door.ask("/metrics", Host="127.0.0.1:8500").status == 200
        assert door.ask("/metrics", **ELSEWHERE).status == 401
        # As a page of another name that leads to this machine would ask.
        assert door.ask("/metrics", Host="elsewhere.example.org").status == 401
        ann, root = door.token("ann"), door.token("root")
        door.session("root", Scope.ADMINISTRATOR, Host="ladder.example.org")
        assert door.ask("/metrics", **ELSEWHERE, **ann).status == 403
        assert door.ask("/metrics", **ELSEWHERE, **root).status == 200
