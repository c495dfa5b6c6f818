"""What the workers of a cluster share of language models, without a cluster."""

from functools import partial
from typing import Any

from arena.bots.models.ledger import Spent
from arena.game.records import Exchange
from arena.league.cluster.tasks import AtDesk, Desk

kept: list[tuple[str, bytes]] = []


def desk_with(*workers: str, **journals: bytes) -> tuple[Desk, list[AtDesk]]:
    desk = Desk(journals, lambda fixture, line: kept.append((fixture, line)))

    def call(worker: str, method: str, **fields: Any) -> Any:
        return desk.call(worker, method, fields)

    return desk, [AtDesk(partial(call, worker)) for worker in workers]


def test_places_at_a_server_are_those_of_all_workers() -> None:
    desk, [one] = desk_with("one")
    with one.place("small", 2, lambda: False):
        assert desk.enter("other", "small", 2)
        assert [desk.enter(worker, "small", 2) for worker in ("one", "other")] == [False, False]
    assert desk.enter("one", "small", 2)
    assert not desk.enter("other", "small", 2)
    desk.left("one")
    assert desk.enter("other", "small", 2)
    assert not desk.enter("other", "small", 2)


def test_spending_of_all_workers_is_added_up() -> None:
    _, [one, other] = desk_with("one", "other")
    one.add("small", "ann", Spent(10, 5))
    other.add("small", "ann", Spent(1, 2))
    other.add("small", "bob", Spent(7, 0))
    assert one.spending() == {"small": {"ann": Spent(11, 7), "bob": Spent(7, 0)}}


def test_another_worker_has_what_a_dead_one_was_answered() -> None:
    kept.clear()
    desk, [one, other] = desk_with("one", "other")
    exchange = Exchange(0, 2, 0, 5, 0, "small", request="?", answer="!", finish="stop")
    one.journal("f", ["ann"]).add(exchange)
    desk.left("one")
    assert other.journal("f", ["ann"]).take(0, "small", "?", 2, 5) == exchange
    [(fixture, line)] = kept
    _, [later] = desk_with("later", **{fixture: line})
    assert later.journal("f", ["ann"]).take(0, "small", "?", 2, 5) == exchange
    assert later.journal("f", ["eve"]).take(0, "small", "?", 2, 5) is None
