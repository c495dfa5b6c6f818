"""Whatever reads a store shows it as it was at one moment, whoever writes to it meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.league.keeping.status import status
from arena.league.keeping.verify import verify
from arena.league.store.backup import backup
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.export import table
from arena.publish.report import ReportRequest, report
from tests.support.restless import RestlessLeague, restless


@pytest.fixture(autouse=True, scope="module")
def workers() -> None:
    """These are real ones: copies would write to the store, too."""


class Live:
    """A league that goes on whenever its store is read, and the roots that it ever had."""

    def __init__(self, store: Store, path: Path) -> None:
        self.path = path
        self.league = RestlessLeague(store)
        self.league.play(4)
        self._store = store
        self.roots = [store.root()]

    def go_on(self) -> None:
        self.league.go_on()
        self.roots.append(self._store.root())


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    path = tmp_path / "league.sqlite"
    with Store(path, create=True) as store:
        league = Live(store, path)
        with restless(monkeypatch, league.go_on):
            yield league


def verified_root(path: Path) -> str | None:
    with Store(path) as store:
        verified = verify(store)
    assert verified.findings == []
    return verified.root


def verified_by_workers(path: Path) -> str | None:
    with Store(path) as store:
        verified = verify(store, workers=2, games_per_call=2)
    assert verified.findings == []
    return verified.root


def told_root(path: Path) -> str:
    with Store(path) as store:
        return store.root()


def reported_root(path: Path) -> str:
    return report(ReportRequest(path.with_name("league.yaml"), path, path.with_name("site"))).root


def root_of_copy(path: Path) -> str | None:
    copy = path.with_name("copy.sqlite")
    number = backup(path, copy)
    with Store(copy) as store:
        verified = verify(store)
        assert (verified.findings, verified.fixtures) == ([], number)
    return verified.root


READERS = [
    verified_root,
    pytest.param(verified_by_workers, marks=pytest.mark.slow),
    told_root,
    reported_root,
    root_of_copy,
]


@pytest.mark.parametrize("read", READERS)
def test_root_is_one_that_the_league_had(live: Live, read: Callable[[Path], str]) -> None:
    assert read(live.path) in live.roots[:-1]


def test_status_is_that_of_one_moment(live: Live) -> None:
    with Store(live.path) as store:
        found = status(store, playing=True)
        assert found.fixtures + found.not_counting == len(store.positions())
        assert found.games == 2 * found.fixtures
        assert found == status(store, playing=True)


@pytest.mark.parametrize("rows", ["games", "decisions", "pairs"])
def test_table_is_that_of_one_moment(live: Live, rows: str) -> None:
    """Decisions are in the logs: those that are pruned meanwhile are gone."""
    live.league.prunes = rows != "decisions"
    with Store(live.path) as store:
        tables = [list(table(rows, store, schedule_of(store))[1]) for _ in range(2)]
    assert tables[0] == tables[1]
