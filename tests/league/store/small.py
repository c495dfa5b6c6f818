"""A small store, and reading all of it."""

from pathlib import Path

from arena.league.store.store import Store
from tests.support import factory, records


def two_fixtures(path: Path) -> Path:
    fixtures = [factory.fixture(index, ("a", "b")) for index in range(2)]
    return records.stored(path, factory.league(("a", "b")), fixtures)


def read(path: Path, *, create: bool = False) -> None:
    with Store(path, create=create) as store:
        assert store.league
        assert list(store.results())
        assert list(store.played())
