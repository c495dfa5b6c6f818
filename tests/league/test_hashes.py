"""`arena verify` of stores in which a bit changed, or somebody made something up."""

import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league import verify as verifying
from arena.league.proof import Finding
from arena.league.verify import Verified, verify
from arena.match.replay import ReplayError, replay
from arena.records import BidMade, MachineInfo, PlayedFixture
from arena.store.rows import pack, row_hash
from arena.store.store import Store
from tests.league import leagues

CHANGED = "is not what was written there"


def check(path: Path, **options: Any) -> Verified:
    with Store(path) as store:
        return verify(store, **options)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "copy"))


def execute(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(sql, values)


def id_at(path: Path, position: int) -> str:
    return leagues.records(path)[position][0]


MADE_UP = [
    ("sandbox", "docker"),
    ("clock", "cpu or so"),
    ("decisions", 1),
    ("seconds", 0.125),
    ("stderr", zlib.compress(b'["",""]', 9)),
    ("stored_at", 7.5),
    ("stored_at", None),
    ("hash", b"\0" * 32),
    ("hash", None),
]


@pytest.mark.parametrize(("column", "value"), MADE_UP)
def test_no_column_can_be_changed(copy: Path, column: str, value: object) -> None:
    execute(copy, f"UPDATE fixtures SET {column} = ? WHERE position = 5", value)  # noqa: S608
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings == [Finding(f"fixture {id_at(copy, 5)}", what)]


def test_a_text_is_no_blob(copy: Path) -> None:
    execute(copy, "UPDATE fixtures SET sandbox = CAST(sandbox AS BLOB) WHERE position = 5")
    [finding] = check(copy).findings
    assert CHANGED in finding.what


def test_the_conditions_cannot_be_changed(copy: Path) -> None:
    with Store(copy) as store:
        assert store.league
        name = store.league.name
    execute(copy, "UPDATE league SET info = replace(info, ?, 'Another league')", name)
    with Store(copy) as store:
        assert store.league
        assert store.league.name == "Another league"
    assert check(copy).findings == [Finding("league", f"the stored conditions are {CHANGED[3:]}")]


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


def test_another_legal_bid_with_the_same_end(copy: Path) -> None:
    """A replay cannot tell; the hash does, and who makes the hash anew has another root."""
    published = check(copy).root
    with Store(copy) as store:
        [row, _] = next(iter(store.rows()))
        forged = other_legal_bid(store.unpack(row), store.league)
    new = pack(forged, row.stored_at or 0)
    execute(copy, "UPDATE fixtures SET record = ? WHERE position = 0", new.record)
    [finding] = check(copy).findings
    assert finding == Finding(f"fixture {row.id}", f"what is stored at position 0 {CHANGED}")
    execute(copy, "UPDATE fixtures SET hash = ? WHERE position = 0", row_hash(new))
    found = check(copy, published=published)
    assert found.root != published
    what = f"it is {found.root}, not the one that was published"
    assert found.findings == [Finding("root", what)]
    assert check(copy, published=f" {found.root}\n".upper()).findings == []


def test_the_root_is_that_of_the_games_not_of_who_played_them(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relays = MachineInfo("Zuse Z3", 1, 176, "relays", "none")
    monkeypatch.setattr("arena.league.plan.this_machine", lambda: relays)
    assert leagues.play(leagues.league(tmp_path), tmp_path / "store", workers=2)
    again = check(tmp_path / "store")
    assert again.root == check(whole).root
    with Store(whole) as one, Store(tmp_path / "store") as other:
        times = [[row.stored_at for row, _ in store.rows()] for store in (one, other)]
        assert one.league != other.league
    assert times[0] != times[1]


def test_workers_find_the_same(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_GAMES_AT_A_TIME", 4)
    execute(copy, "UPDATE fixtures SET decisions = 1 WHERE position IN (2, 7)")
    execute(copy, "UPDATE fixtures SET record = x'00' WHERE position = 9")
    alone, together = check(copy), check(copy, workers=2)
    assert alone == together
    assert [finding.where for finding in alone.findings] == [
        f"fixture {id_at_position(copy, position)}" for position in (2, 7, 9, 9)
    ]
    assert alone.root is None


def id_at_position(path: Path, position: int) -> str:
    with Store(path) as store:
        [(row, _)] = store.rows(position, position)
    return row.id


def test_a_store_that_claims_to_be_older(copy: Path) -> None:
    execute(copy, "PRAGMA user_version = 2")
    assert [finding.where for finding in check(copy).findings] == ["store"]


def test_a_store_of_an_older_arena_has_no_hashes(copy: Path) -> None:
    expected = check(copy).root
    for statement in ("fixtures DROP COLUMN hash", "league DROP COLUMN hash"):
        execute(copy, f"ALTER TABLE {statement}")
    execute(copy, "ALTER TABLE fixtures DROP COLUMN stored_at")
    execute(copy, "PRAGMA user_version = 2")
    found = check(copy)
    assert (found.hashed, found.findings, found.root) == (False, [], expected)
    with Store(copy, create=True):
        pass
    found = check(copy)
    assert (found.hashed, found.findings, found.root) == (True, [], expected)


def contents(path: Path) -> list[Any]:
    """Return all that a store says."""
    with Store(path) as store:
        return [store.league, list(store.damage()), *store.rows()]


def named_in(path: Path) -> list[str]:
    """Return the places that are named as damaged."""
    try:
        return [finding.where for finding in check(path).findings]
    except ArenaError as error:
        return [error.where]


def flips(size: int) -> Iterator[tuple[int, int]]:
    """Draw bits of a file: many anywhere, and the whole header."""
    draw = Random(5)
    yield from ((byte, draw.randrange(8)) for byte in range(100))
    for _ in range(150):
        yield draw.randrange(size), draw.randrange(8)


def test_a_flipped_bit_is_found_or_says_nothing(copy: Path) -> None:
    """Whatever bit is flipped: it is named, the file refused, or not a byte of the data differs."""
    whole = copy.read_bytes()
    before = contents(copy)
    found = 0
    for byte, bit in flips(len(whole)):
        damaged = bytearray(whole)
        damaged[byte] ^= 1 << bit
        for extra in copy.parent.glob("copy-*"):
            extra.unlink()
        copy.write_bytes(damaged)
        named = named_in(copy)
        found += bool(named)
        assert named or contents(copy) == before, (byte, bit)
    assert found > 80


@pytest.fixture
def killed(whole: Path, tmp_path: Path) -> Path:
    """A store as a killed arena leaves it: what was stored last is in the log beside it."""
    path = Path(shutil.copy(whole, tmp_path / "written"))
    execute(path, "DELETE FROM fixtures WHERE position > 7")
    with Store(whole) as source, Store(path, create=True) as store:
        for played in list(source.played())[8:]:
            store.add(played)
        shutil.copy(path, tmp_path / "copy")
        shutil.copy(f"{path}-wal", tmp_path / "copy-wal")
    return tmp_path / "copy"


def test_a_log_that_was_left_is_read(killed: Path, whole: Path) -> None:
    found = check(killed)
    assert (found.fixtures, found.findings) == (12, [])
    assert found.root == check(whole).root


def test_a_flipped_bit_in_the_log_is_found(killed: Path, whole: Path) -> None:
    """SQLite alone would take what was stored last for never written."""
    store, log = killed.read_bytes(), killed.with_name("copy-wal").read_bytes()
    draw = Random(6)
    expected = check(whole).root
    last_frame = len(log) - 4096 - 24
    bytes_ = [*range(24), *range(last_frame, last_frame + 24)]
    for byte in [*bytes_, *(draw.randrange(len(log)) for _ in range(20))]:
        damaged = bytearray(log)
        damaged[byte] ^= 1 << draw.randrange(8)
        killed.write_bytes(store)
        killed.with_name("copy-wal").write_bytes(damaged)
        killed.with_name("copy-shm").unlink(missing_ok=True)
        found = check(killed)
        assert found.findings or found.root == expected, byte


def test_a_log_that_is_being_written_is_not_judged(killed: Path) -> None:
    log = killed.with_name("copy-wal")
    damaged = bytearray(log.read_bytes())
    damaged[100] ^= 1
    log.write_bytes(damaged)
    assert check(killed, playing=True).findings == []
    log.write_bytes(damaged)
    [finding] = check(killed).findings
    assert finding.where == "store"
    assert "copy-wal: cannot be read from byte " in finding.what
