"""`arena verify` of stores in which a bit was flipped or something was forged."""

import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.game.records import BidMade, MachineInfo, PlayedFixture
from arena.io.errors import ArenaError, FindingError
from arena.league.keeping.verify import StoreFinding, Verified, verify
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES, pack
from arena.league.store.store import Store
from arena.league.table.recorded_game import ReplayError, replay
from tests.league import leagues
from tests.league.store import edit
from tests.league.store.edit import execute
from tests.support.depth import depth

CHANGED = "is not what was written there"


def check(path: Path, **options: Any) -> Verified:
    with Store(path) as store:
        return verify(store, **options)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return edit.copied(whole, tmp_path / "copy")


def id_at(path: Path, position: int) -> str:
    return leagues.records(path)[position][0]


FORGED = [
    ("fixture", b"{}"),
    ("sandbox", "docker"),
    ("clock", "cpu or so"),
    ("decisions", 1),
    ("seconds", 0.125),
    ("stored_at", 7.5),
    ("stored_at", None),
    ("content_hash", b"\0" * 32),
    ("hash", b"\0" * 32),
    ("rows_hash", b"\0" * 32),
]


@pytest.mark.parametrize(("column", "value"), FORGED)
def test_changed_column_is_found(copy: Path, column: str, value: object) -> None:
    execute(copy, f"UPDATE fixtures SET {column} = ? WHERE position = 5", value)  # noqa: S608
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings[0] == StoreFinding(f"fixture {id_at(copy, 5)}", what)


@pytest.mark.parametrize("column", ["id", "seats", "rounds", "bids", "events"])
def test_changed_row_of_a_game_is_found(copy: Path, column: str) -> None:
    execute(copy, f"UPDATE games SET {column} = 77 WHERE key = {5 * GAMES + 1}")  # noqa: S608
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings[0] == StoreFinding(f"fixture {id_at(copy, 5)}", what)


def test_deleted_row_of_a_game_is_found(copy: Path) -> None:
    execute(copy, "DELETE FROM games WHERE key = ?", 5 * GAMES + 1)
    where = f"fixture {id_at(copy, 5)}"
    assert check(copy).findings[0] == StoreFinding(where, f"what is stored at position 5 {CHANGED}")


def test_changed_log_is_found(copy: Path) -> None:
    """Even if it is the same, compressed differently."""
    log = edit.stored(copy)[5].logs[1]
    other = zlib.compress(zlib.decompress(log.log), 1)
    execute(logs_path(copy), "UPDATE logs SET log = ? WHERE key = ?", other, log.key)
    where = f"fixture {id_at(copy, 5)}, game 1"
    assert check(copy).findings == [StoreFinding(where, f"its log {CHANGED}")]


def test_deleted_log_is_found(copy: Path) -> None:
    execute(logs_path(copy), "DELETE FROM logs WHERE key = ?", 5 * GAMES + 1)
    found = check(copy).findings
    assert {finding.where for finding in found} == {f"fixture {edit.stored(copy)[5].id}"}
    assert "game 1: its log is missing" in found[-1].what


def test_changed_standard_error_is_found(copy: Path) -> None:
    other = zlib.compress(b'["",""]', 9)
    execute(logs_path(copy), "UPDATE stderr SET texts = ? WHERE position = 5", other)
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings == [StoreFinding(f"fixture {id_at(copy, 5)}", what)]


def test_logs_without_rows_are_not_damage(copy: Path) -> None:
    """A killed arena leaves them; they are overwritten."""
    edit.forget(copy, "position = 5")
    assert check(copy).findings == []
    assert len(edit.stored(copy)) == 11


def test_changed_type_of_a_column_is_found(copy: Path) -> None:
    execute(copy, "UPDATE fixtures SET sandbox = CAST(sandbox AS BLOB) WHERE position = 5")
    changed, unreadable = check(copy).findings
    assert CHANGED in changed.what
    assert "it cannot be read" in unreadable.what


def test_changed_conditions_are_found(copy: Path) -> None:
    with Store(copy) as store:
        assert store.league
        name = store.league.name
    execute(copy, "UPDATE league SET info = replace(info, ?, 'Another league')", name)
    with Store(copy) as store:
        assert store.history(checked=False).start.name == "Another league"
        with pytest.raises(FindingError, match="the stored conditions of the league are damaged"):
            store.conditions()
    assert check(copy).findings == [
        StoreFinding("league", f"the stored conditions are {CHANGED[3:]}")
    ]


def other_legal_bid(played: PlayedFixture, plan: Any) -> PlayedFixture:
    """Return a fixture in which a bid is another one that came to the same end."""
    rules = plan.variants[played.fixture.variant]
    for number, game in enumerate(played.games):
        for at, event in enumerate(game.events):
            if isinstance(event, BidMade):
                for face in range(1, 7):
                    events = list(game.events)
                    events[at] = replace(event, face=face)
                    other = replace(game, events=events)
                    if face != event.face and replays(played, rules, other):
                        games = [*played.games]
                        games[number] = other
                        return replace(played, games=games)
    raise AssertionError("no bid can be another one")


def replays(played: PlayedFixture, rules: Any, game: Any) -> bool:
    try:
        return bool(replay(played.fixture, rules, game) == game)
    except ReplayError:
        return False


def test_bid_changed_to_another_legal_one_is_found(copy: Path) -> None:
    """A replay does not show it; the hash does, and a forged hash leads to another root."""
    published = check(copy).root
    with Store(copy) as store:
        [was] = store.stored([0])
        forged = other_legal_bid(store.decoded(was.played), store.league)
    new = pack(forged).stored(was.row.stored_at)
    [(old, log)] = [pair for pair in zip(was.logs, new.logs, strict=True) if pair[0] != pair[1]]
    execute(logs_path(copy), "UPDATE logs SET log = ? WHERE key = ?", log.log, log.key)
    [finding] = check(copy).findings
    assert finding == StoreFinding(
        f"fixture {was.id}, game {log.key % GAMES}", f"its log {CHANGED}"
    )
    execute(logs_path(copy), "UPDATE logs SET hash = ? WHERE key = ?", log.hash, old.key)
    [finding] = check(copy).findings
    assert finding == StoreFinding(f"fixture {was.id}", f"what is stored at position 0 {CHANGED}")
    edit.put(copy, 0, new)
    found = check(copy, root=published)
    assert found.root != published
    what = f"it is {found.root}, not the one that was published"
    assert found.findings == [StoreFinding("root", what)]
    assert check(copy, root=f" {found.root}\n".upper()).findings == []


def test_root_does_not_depend_on_machine_and_time(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relays = MachineInfo("Zuse Z3", 1, 176, "relays", "none")
    monkeypatch.setattr("arena.league.terms.conditions.this_machine", lambda: relays)
    assert leagues.play(leagues.league(tmp_path), tmp_path / "store")
    again = check(tmp_path / "store")
    assert again.root == check(whole).root
    with Store(whole) as one, Store(tmp_path / "store") as other:
        times = [[result.stored_at for result in store.results()] for store in (one, other)]
        assert one.league != other.league
    assert times[0] != times[1]


def test_workers_find_the_same(copy: Path) -> None:
    execute(copy, "UPDATE fixtures SET decisions = 1 WHERE position IN (2, 7)")
    execute(logs_path(copy), "UPDATE logs SET log = x'00' WHERE key = ?", 9 * GAMES)
    alone, together = check(copy), check(copy, workers=2, games_per_call=4)
    assert alone == together
    ids = {one.position: one.id for one in edit.stored(copy)}
    assert [finding.where for finding in alone.findings] == [
        *(f"fixture {ids[position]}" for position in (2, 7)),
        f"fixture {ids[9]}, game 0",
        f"fixture {ids[9]}",
    ]
    assert alone.root is None


def contents(path: Path) -> list[Any]:
    """Return all that a store says."""
    with Store(path) as store:
        return [store.league, list(store.damage()), *store.stored()]


def named_in(path: Path) -> list[str]:
    """Return the places that are named as damaged."""
    try:
        return [finding.where for finding in check(path).findings]
    except ArenaError as error:
        return [error.where]


def flips(size: int) -> Iterator[tuple[int, int]]:
    """Draw bits of a file: many anywhere, and in the whole header; fewer outside `make long`."""
    draw = Random(5)
    yield from ((byte, draw.randrange(8)) for byte in range(0, 100, depth(10, 1)))
    for _ in range(depth(20, 150)):
        yield draw.randrange(size), draw.randrange(8)


@pytest.mark.slow
@pytest.mark.parametrize("of", [Path, logs_path])
def test_flipped_bit_is_found_or_changes_no_data(copy: Path, of: Callable[[Path], Path]) -> None:
    """It is named, the file is refused, or every byte of the data is the same."""
    file = of(copy)
    whole = file.read_bytes()
    before = contents(copy)
    tried = found = 0
    for byte, bit in flips(len(whole)):
        tried += 1
        damaged = bytearray(whole)
        damaged[byte] ^= 1 << bit
        for extra in copy.parent.glob("*-*"):
            extra.unlink()
        file.write_bytes(damaged)
        named = named_in(copy)
        found += bool(named)
        assert named or contents(copy) == before, (byte, bit)
    assert found > 0.24 * tried


@pytest.fixture
def killed(whole: Path, tmp_path: Path) -> Path:
    """A store as a killed arena leaves it, with SQLite's write-ahead logs beside it."""
    written, copy = edit.copied(whole, tmp_path / "written"), tmp_path / "copy"
    edit.forget(written, "position > 7")
    with Store(whole) as source, Store(written, create=True) as store:
        for played in list(source.played())[8:]:
            store.add(pack(played))
        edit.copied(written, copy)
        for of in (Path, logs_path):
            shutil.copy(f"{of(written)}-wal", f"{of(copy)}-wal")
    return copy


def test_write_ahead_log_of_a_killed_arena_is_read(killed: Path, whole: Path) -> None:
    found = check(killed)
    assert (found.fixtures, found.findings) == (12, [])
    assert found.root == check(whole).root
