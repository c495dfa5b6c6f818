"""`arena verify` of stores in which a bit changed, or somebody made something up."""

import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.league import verify as verifying
from arena.league.fixture_check import Finding
from arena.league.verify import Verified, verify
from arena.match.replay import ReplayError, replay
from arena.records import BidMade, MachineInfo, PlayedFixture
from arena.store.logs import logs_path
from arena.store.rows import GAMES, Stored, pack
from arena.store.store import Store
from tests.league import leagues
from tests.store import edit
from tests.store.edit import execute

CHANGED = "is not what was written there"


def check(path: Path, **options: Any) -> Verified:
    with Store(path) as store:
        return verify(store, **options)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return edit.copied(whole, tmp_path / "copy")


def id_at(path: Path, position: int) -> str:
    return leagues.records(path)[position][0]


MADE_UP = [
    ("fixture", b"{}"),
    ("sandbox", "docker"),
    ("clock", "cpu or so"),
    ("decisions", 1),
    ("seconds", 0.125),
    ("stored_at", 7.5),
    ("stored_at", None),
    ("pin", b"\0" * 32),
    ("hash", b"\0" * 32),
]


@pytest.mark.parametrize(("column", "value"), MADE_UP)
def test_no_column_can_be_changed(copy: Path, column: str, value: object) -> None:
    execute(copy, f"UPDATE fixtures SET {column} = ? WHERE position = 5", value)  # noqa: S608
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings[0] == Finding(f"fixture {id_at(copy, 5)}", what)


@pytest.mark.parametrize("column", ["id", "seats", "rounds", "bids", "events"])
def test_no_row_of_a_game_can_be_changed(copy: Path, column: str) -> None:
    execute(copy, f"UPDATE games SET {column} = 77 WHERE key = {5 * GAMES + 1}")  # noqa: S608
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings[0] == Finding(f"fixture {id_at(copy, 5)}", what)


def test_no_row_of_a_game_can_be_taken_out(copy: Path) -> None:
    execute(copy, "DELETE FROM games WHERE key = ?", 5 * GAMES + 1)
    where = f"fixture {id_at(copy, 5)}"
    assert check(copy).findings[0] == Finding(where, f"what is stored at position 5 {CHANGED}")


def test_no_log_can_be_changed(copy: Path) -> None:
    """Not even to another way to compress the same."""
    log = edit.stored(copy)[5].logs[1]
    other = zlib.compress(zlib.decompress(log.log), 1)
    execute(logs_path(copy), "UPDATE logs SET log = ? WHERE key = ?", other, log.key)
    where = f"fixture {id_at(copy, 5)}, game 1"
    assert check(copy).findings == [Finding(where, f"its log {CHANGED}")]


def test_no_log_can_be_taken_out(copy: Path) -> None:
    execute(logs_path(copy), "DELETE FROM logs WHERE key = ?", 5 * GAMES + 1)
    found = check(copy).findings
    assert {finding.where for finding in found} == {f"fixture {edit.stored(copy)[5].id}"}
    assert "game 1: its log is missing" in found[-1].what


def test_no_standard_error_can_be_changed(copy: Path) -> None:
    other = zlib.compress(b'["",""]', 9)
    execute(logs_path(copy), "UPDATE stderr SET texts = ? WHERE position = 5", other)
    what = f"what is stored at position 5 {CHANGED}"
    assert check(copy).findings == [Finding(f"fixture {id_at(copy, 5)}", what)]


def test_logs_that_no_row_speaks_of_are_no_damage(copy: Path) -> None:
    """A killed arena leaves them; they are written over, and prove nothing."""
    execute(copy, "DELETE FROM fixtures WHERE position = 5")
    assert check(copy).findings == []
    assert len(edit.stored(copy)) == 11


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
        [was] = store.stored(0, 0)
        forged = other_legal_bid(store.unpack(was, was.record()), store.league)
    assert isinstance(was, Stored)
    new = pack(forged).stored(was.row.stored_at)
    [(old, log)] = [pair for pair in zip(was.logs, new.logs, strict=True) if pair[0] != pair[1]]
    execute(logs_path(copy), "UPDATE logs SET log = ? WHERE key = ?", log.log, log.key)
    [finding] = check(copy).findings
    assert finding == Finding(f"fixture {was.id}, game {log.key % GAMES}", f"its log {CHANGED}")
    execute(logs_path(copy), "UPDATE logs SET hash = ? WHERE key = ?", log.hash, old.key)
    [finding] = check(copy).findings
    assert finding == Finding(f"fixture {was.id}", f"what is stored at position 0 {CHANGED}")
    edit.put(copy, 0, new)
    found = check(copy, published=published)
    assert found.root != published
    what = f"it is {found.root}, not the one that was published"
    assert found.findings == [Finding("root", what)]
    assert check(copy, published=f" {found.root}\n".upper()).findings == []


def test_the_root_is_that_of_the_games_not_of_who_played_them(whole: Path, tmp_path: Path) -> None:
    relays = MachineInfo("Zuse Z3", 1, 176, "relays", "none")
    plan = leagues.league(tmp_path)
    assert leagues.play(plan, tmp_path / "store", workers=2, machine=lambda: relays)
    again = check(tmp_path / "store")
    assert again.root == check(whole).root
    with Store(whole) as one, Store(tmp_path / "store") as other:
        times = [[result.stored_at for result in store.results()] for store in (one, other)]
        assert one.league != other.league
    assert times[0] != times[1]


def test_workers_find_the_same(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_GAMES_AT_A_TIME", 4)
    execute(copy, "UPDATE fixtures SET decisions = 1 WHERE position IN (2, 7)")
    execute(logs_path(copy), "UPDATE logs SET log = x'00' WHERE key = ?", 9 * GAMES)
    alone, together = check(copy), check(copy, workers=2)
    assert alone == together
    ids = {one.position: one.id for one in edit.stored(copy)}
    assert [finding.where for finding in alone.findings] == [
        *(f"fixture {ids[position]}" for position in (2, 7)),
        f"fixture {ids[9]}, game 0",
        f"fixture {ids[9]}",
    ]
    assert alone.root is None


def test_a_store_that_claims_to_be_older(copy: Path) -> None:
    execute(copy, "PRAGMA user_version = 2")
    assert [finding.where for finding in check(copy).findings] == ["store"]


def test_a_store_of_an_older_arena_has_no_hashes(copy: Path) -> None:
    expected = check(copy).root
    edit.make_older(copy, 2)
    found = check(copy)
    assert (found.hashed, found.findings, found.root) == (False, [], expected)
    with Store(copy, create=True):
        pass
    found = check(copy)
    assert (found.hashed, found.findings, found.root) == (True, [], expected)


def test_an_older_store_with_hashes_has_the_same_root(copy: Path) -> None:
    expected = check(copy).root
    edit.make_older(copy)
    found = check(copy)
    assert (found.hashed, found.findings, found.root) == (True, [], expected)
    execute(copy, "UPDATE fixtures SET seconds = 7 WHERE position = 3")
    [finding] = check(copy).findings
    assert finding.what == f"what is stored at position 3 {CHANGED}"


def test_a_store_that_claims_to_be_older_is_not_brought_up_to_date(copy: Path) -> None:
    execute(copy, "PRAGMA user_version = 3")
    with pytest.raises(ArenaError, match="its version is not 3, as it says"):
        Store(copy, create=True)


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
    """Draw bits of a file: many anywhere, and the whole header."""
    draw = Random(5)
    yield from ((byte, draw.randrange(8)) for byte in range(100))
    for _ in range(150):
        yield draw.randrange(size), draw.randrange(8)


@pytest.mark.parametrize("of", [Path, logs_path])
def test_a_flipped_bit_is_found_or_says_nothing(copy: Path, of: Callable[[Path], Path]) -> None:
    """Whatever bit is flipped: it is named, the file refused, or not a byte of the data differs."""
    file = of(copy)
    whole = file.read_bytes()
    before = contents(copy)
    found = 0
    for byte, bit in flips(len(whole)):
        damaged = bytearray(whole)
        damaged[byte] ^= 1 << bit
        for extra in copy.parent.glob("*-*"):
            extra.unlink()
        file.write_bytes(damaged)
        named = named_in(copy)
        found += bool(named)
        assert named or contents(copy) == before, (byte, bit)
    assert found > 80


@pytest.fixture
def killed(whole: Path, tmp_path: Path) -> Path:
    """A store as a killed arena leaves it: what was stored last is in SQLite's logs beside it."""
    written, copy = edit.copied(whole, tmp_path / "written"), tmp_path / "copy"
    execute(written, "DELETE FROM fixtures WHERE position > 7")
    with Store(whole) as source, Store(written, create=True) as store:
        for played in list(source.played())[8:]:
            store.add(pack(played))
        edit.copied(written, copy)
        for of in (Path, logs_path):
            shutil.copy(f"{of(written)}-wal", f"{of(copy)}-wal")
    return copy


def test_a_log_that_was_left_is_read(killed: Path, whole: Path) -> None:
    found = check(killed)
    assert (found.fixtures, found.findings) == (12, [])
    assert found.root == check(whole).root


@pytest.mark.parametrize("of", [Path, logs_path])
def test_a_flipped_bit_in_the_log_is_found(
    killed: Path, whole: Path, of: Callable[[Path], Path]
) -> None:
    """SQLite alone would take what was stored last for never written."""
    files = {path: path.read_bytes() for path in killed.parent.glob("copy*") if path.is_file()}
    log = Path(f"{of(killed)}-wal")
    draw = Random(6)
    expected = check(whole).root
    last_frame = len(files[log]) - 4096 - 24
    bytes_ = [*range(24), *range(last_frame, last_frame + 24)]
    for byte in [*bytes_, *(draw.randrange(len(files[log])) for _ in range(20))]:
        for path in killed.parent.glob("copy*"):
            path.unlink()
        for path, content in files.items():
            path.write_bytes(content)
        damaged = bytearray(files[log])
        damaged[byte] ^= 1 << draw.randrange(8)
        log.write_bytes(damaged)
        found = named_in(killed)
        assert found or check(killed).root == expected, byte


@pytest.mark.parametrize("of", [Path, logs_path])
def test_a_log_that_is_being_written_is_not_judged(
    killed: Path, of: Callable[[Path], Path]
) -> None:
    log = Path(f"{of(killed)}-wal")
    damaged = bytearray(log.read_bytes())
    last_frame = len(damaged) - 4096 - 24
    damaged[last_frame + 100] ^= 1
    log.write_bytes(damaged)
    # What SQLite takes for never written is missing; with `playing` that is no damage of the file.
    assert not [one for one in check(killed, playing=True).findings if one.where == "store"]
    log.write_bytes(damaged)
    [finding] = [one for one in check(killed).findings if one.where == "store"]
    assert f"{log}: cannot be read from byte " in finding.what
