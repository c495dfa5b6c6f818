"""A published root is true for ever: stores of every kind, kept as files, verify with theirs."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.game.records import Conditions
from arena.game.rules.books import Rules
from arena.league.keeping.mend import mend
from arena.league.keeping.verify import verify
from arena.league.store import store as stores
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from tests.cli.command import error_line, run
from tests.compatibility import kept_stores
from tests.league.store import edit


def verified_root(path: Path) -> str | None:
    with Store(path) as store:
        verified = verify(store)
        assert verified.findings == []
        assert verified.fixtures == len(store.positions()) > 0
        assert store.root() == verified.root
    return verified.root


@pytest.mark.parametrize("kind", kept_stores.KINDS)
def test_kept_store_has_its_root(tmp_path: Path, kind: str) -> None:
    path, root = kept_stores.copied(kind, tmp_path)
    assert verified_root(path) == root


def test_begun_league_goes_on_to_the_root_that_it_would_have_had(tmp_path: Path) -> None:
    path, _ = kept_stores.copied("begun", tmp_path)
    roots = json.loads(kept_stores.ROOTS.read_text())
    assert kept_stores.finish(path) == roots[kept_stores.FINISHED]


def has_playoff(store: Store) -> bool:
    schedule = schedule_of(store)
    return any(map(schedule.is_playoff, store.finished()))


IS_OF_ITS_KIND: dict[str, Callable[[Store], object]] = {
    "whole": lambda store: len(store.conditions().variants) == 4,
    "changed": lambda store: store.conditions().changes == 4,
    "until": lambda store: len(store.positions()) < len(schedule_of(store).fixtures),
    "playoff": has_playoff,
    "ladder": lambda store: schedule_of(store).twins and not store.conditions().endless,
    "pruned": lambda store: store.without_logs(),
    "models": lambda store: all(exchanges for _, exchanges in store.exchanges()),
    "begun": lambda store: store.conditions().players == (6,) and len(store.positions()) == 5,
}


@pytest.mark.parametrize("kind", kept_stores.KINDS)
def test_kept_store_is_of_its_kind(tmp_path: Path, kind: str) -> None:
    with Store(kept_stores.copied(kind, tmp_path)[0]) as store:
        assert IS_OF_ITS_KIND[kind](store)


def later(name: str, of: type[msgspec.Struct], *fields: tuple[str, object, object]) -> type:
    """Return a struct with more fields, which have defaults."""
    return msgspec.defstruct(name, fields, bases=(of,), frozen=True, kw_only=True)


@pytest.fixture
def later_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let conditions have an option more, and rules a switch, off by default and so left out."""
    rules = later("LaterRules", Rules, ("a_new_switch", bool, False))
    variants = ("variants", dict[str, rules], msgspec.field())  # type: ignore[valid-type]
    conditions = later("Later", Conditions, variants, ("a_new_option", int, 7))
    monkeypatch.setattr(stores, "_leagues", msgspec.json.Decoder(conditions))


@pytest.mark.usefixtures("later_version")
@pytest.mark.parametrize("kind", ["changed", "playoff"])
def test_new_default_changes_no_root(tmp_path: Path, kind: str) -> None:
    path, root = kept_stores.copied(kind, tmp_path)
    with Store(path) as store:
        assert b"a_new_option" in msgspec.json.encode(store.conditions())
        [rules, *_] = store.history().start.variants.values()
        assert rules.a_new_switch is False  # type: ignore[attr-defined]
    assert verified_root(path) == root


def renamed_back(path: Path, old: str, new: str) -> None:
    """Let a store say what a later version would have stored, with the right hashes."""
    with Store(path) as store:
        info = store.chain().info  # type: ignore[union-attr]
    with Store(path.with_name("newer.sqlite"), create=True) as store:
        store._begin(info.replace(old.encode(), new.encode()), b"null", [])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"blocks":', '"a_new_option":7,"blocks":', "a_new_option"),
        ('"palifico_once":', '"a_new_switch":true,"palifico_once":', "a_new_switch"),
    ],
)
def test_newer_store_says_so(tmp_path: Path, old: str, new: str, named: str) -> None:
    path, _ = kept_stores.copied("whole", tmp_path)
    renamed_back(path, old, new)
    ran = run("status", "newer.yaml", "--store", "newer.sqlite", cwd=tmp_path)
    error_line(ran, f"a newer arena made it, with '{named}'", "newer.sqlite", "pipx upgrade")


@pytest.mark.usefixtures("later_version")
def test_mended_store_keeps_its_conditions_as_they_were_stored(tmp_path: Path) -> None:
    path, root = kept_stores.copied("changed", tmp_path)
    [*_, last] = edit.stored(path)
    edit.execute(path, "UPDATE fixtures SET decisions = 7 WHERE position = ?", last.position)
    assert mend(path).dropped == [last.id]
    with Store(path, create=True) as store:
        store.insert(last)
    assert verified_root(path) == root
