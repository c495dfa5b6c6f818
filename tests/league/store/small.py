"""A small store, and reading all of it."""

from pathlib import Path

from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.publish import factory


def two_fixtures(path: Path) -> Path:
    with Store(path, create=True) as store:
        store.begin(factory.league(("a", "b")))
        for index in range(2):
            store.add(pack(factory.fixture(index, ("a", "b"))))
    return path


def read(path: Path, *, create: bool = False) -> None:
    with Store(path, create=create) as store:
        assert store.league
        assert list(store.results())
        assert list(store.played())
