"""`arena verify`: an honest store has no findings, a changed one has them by name."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import Faulted
from arena.io.errors import ArenaError
from arena.league.changes import Change
from arena.league.keeping.verify import StoreFinding, Verified, verify
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import row_hash
from arena.league.store.store import Store
from tests.league import leagues
from tests.league.store import edit
from tests.support.depth import depth

each_change = settings(max_examples=depth(15, 40), deadline=None, database=None)


def check(path: Path) -> Verified:
    with Store(path) as store:
        return verify(store)


def test_honest_store_has_no_findings(whole: Path) -> None:
    with Store(whole) as store:
        root = store.root()
    found = check(whole)
    assert [(one.name, one.games, one.rated) for one in found.ratings] == [
        ("bga, 2 players", 12, 12),
        ("bga, 3 players", 12, 12),
    ]
    assert found == Verified(12, 24, 0, 12, root=root, ratings=found.ratings, findings=[])


def test_league_half_played_has_no_findings(whole: Path, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path)
    edit.forget(copy, "position % 2")
    found = check(copy)
    assert (found.fixtures, found.games, found.scheduled, found.findings) == (6, 12, 12, [])
    assert found.root != check(whole).root


def test_empty_store_cannot_be_verified(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store, pytest.raises(ArenaError) as caught:
        verify(store)
    assert caught.value.what == "nothing was played yet"


def test_bots_that_fault_one_after_another_replay(tmp_path: Path) -> None:
    quitters = [
        leagues.write_bot(tmp_path, name, "read hello", """echo '{"type":"ready"}'""", "read turn")
        for name in ("ann", "bob")
    ]
    plan = leagues.league(tmp_path, bots=["sample:honest", *quitters], players=[3])
    assert leagues.play(plan, tmp_path / "s")
    with Store(tmp_path / "s") as store:
        games = [game for played in store.played() for game in played.games]
    faults = [sum(isinstance(event, Faulted) for event in game.events) for game in games]
    assert max(faults) == 2
    assert check(tmp_path / "s").findings == []


def copied(store: Path, into: Path) -> Path:
    return edit.copied(store, into / "copy")


def statement(path: Path, sql: str, *values: object) -> None:
    """Change a store as somebody does who knows of the hashes, and computes them again."""
    edit.execute(path, sql, *values)
    edit.rehash(path)


def flip_a_die(record: edit.Data) -> None:
    hand = record["games"][1]["events"][0][4][0]
    hand[0] = hand[0] % 6 + 1


def raise_a_bid(record: edit.Data) -> None:
    bid = next(event for event in record["games"][1]["events"] if event[0] == "bid")
    bid[2] += 10  # above the cap of two players


def swap_places(record: edit.Data) -> None:
    record["games"][1]["places"].reverse()


def move_the_loss(record: edit.Data) -> None:
    call = next(event for event in record["games"][1]["events"] if event[0] == "call")
    call[4] = 1 - call[4]


def drop_the_end(record: edit.Data) -> None:
    record["games"][1]["events"].pop()


def go_on(record: edit.Data) -> None:
    record["games"][1]["events"].append(["bid", 0, 1, 2])


def bid_from_nowhere(record: edit.Data) -> None:
    record["games"][1]["events"].insert(1, ["bid", 5, 1, 2])


def crash_a_winner(record: edit.Data) -> None:
    winner = record["games"][1]["places"].index(1)
    record["games"][1]["events"].append(["fault", winner, "crash", "so they say"])


GAME_CHANGES = [
    (flip_a_die, "the replay differs from the record"),
    (raise_a_bid, ""),
    (swap_places, "the replay differs from the record"),
    (move_the_loss, "the replay differs from the record"),
    (drop_the_end, "does not replay: game 1 has no end"),
    (go_on, "does not replay: game 1 goes on after its end"),
    (bid_from_nowhere, ""),
    (crash_a_winner, "does not replay: game 1 goes on after its end"),
]


@pytest.mark.parametrize(("change", "words"), GAME_CHANGES)
def test_changed_game_is_named(
    whole: Path, tmp_path: Path, change: Callable[[edit.Data], None], words: str
) -> None:
    copy = copied(whole, tmp_path)
    before = edit.edit_record(copy, 0, change)
    [finding] = check(copy).findings
    assert finding.where == f"fixture {before['fixture']['id']}, game 1"
    assert words in finding.what
    assert "event " in finding.what or "its places are other ones" in finding.what


def drop_a_game(record: edit.Data) -> None:
    record["games"].pop()


def repeat_a_game(record: edit.Data) -> None:
    record["games"][1] = record["games"][0]


def swap_games(record: edit.Data) -> None:
    record["games"].reverse()


@pytest.mark.parametrize("change", [drop_a_game, repeat_a_game, swap_games])
def test_missing_or_repeated_games_are_named(
    whole: Path, tmp_path: Path, change: Callable[[edit.Data], None]
) -> None:
    copy = copied(whole, tmp_path)
    before = edit.edit_record(copy, 4, change)
    where = f"fixture {before['fixture']['id']}"
    assert check(copy).findings == [StoreFinding(where, "it does not hold each of its games once")]


@pytest.mark.parametrize(
    "change", [("seed", "mine"), ("games", 1), ("seats", ["random", "honest"]), ("index", 8)]
)
def test_changed_fixture_is_named(whole: Path, tmp_path: Path, change: tuple[str, Any]) -> None:
    copy = copied(whole, tmp_path)
    before = edit.edit_record(copy, 3, lambda record: record["fixture"].update([change]))
    found = check(copy).findings
    assert before["fixture"][change[0]] != change[1]
    where = f"fixture {before['fixture']['id']}"
    assert StoreFinding(where, "the schedule has no such fixture") in found
    assert {finding.where for finding in found} == {where}


def move_far(path: Path) -> None:
    edit.move(path, 5, 99)


def rename(path: Path) -> None:
    statement(path, "UPDATE fixtures SET id = 'mine' WHERE position = 5")


def put_twice(path: Path) -> None:
    record = json.loads(leagues.records(path)[5][1])
    edit.edit_record(path, 6, lambda other: other.update(record))


@pytest.mark.parametrize("change", [move_far, rename, put_twice])
def test_moved_fixture_is_named(
    whole: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    copy = copied(whole, tmp_path)
    change(copy)
    [finding] = check(copy).findings
    assert finding.where == f"fixture {leagues.records(whole)[5][0]}"
    assert finding.what.startswith("it is stored in the place of fixture ")


OTHER_ROWS = [
    "seats = x'0102'",
    "seats = x'0201'",
    "seats = x'1102'",
    "rounds = rounds + 1",
    "bids = bids + 1",
    "events = events - 1",
    "id = x'0011223344556677'",
]


@pytest.mark.parametrize("change", OTHER_ROWS)
def test_row_that_does_not_match_its_log_is_named(whole: Path, tmp_path: Path, change: str) -> None:
    """Ratings are made of the rows alone: a forged row would be a forged rating."""
    copy = copied(whole, tmp_path)
    before = edit.stored(copy)[2].games[1]
    statement(copy, f"UPDATE games SET {change} WHERE key = {before.key}")  # noqa: S608
    where = f"fixture {leagues.records(whole)[2][0]}, game 1"
    expected = [StoreFinding(where, "its row does not match its log")]
    same = edit.stored(copy)[2].games[1] == before
    assert check(copy).findings == ([] if same else expected)


def test_content_hash_that_does_not_match_the_games_is_named(whole: Path, tmp_path: Path) -> None:
    """The root that a report publishes is made of the stored content hashes."""
    copy = copied(whole, tmp_path)
    one = edit.stored(copy)[4]
    one = one._replace(row=one.row._replace(content_hash=b"\0" * 32))
    edit.put(copy, 4, one.with_hashes())
    what = "its content hash does not match its games"
    assert check(copy).findings == [StoreFinding(f"fixture {one.id}", what)]


def change_info(path: Path, **changes: object) -> None:
    with Store(path) as store:
        info = store.league
    assert info
    new, machine = map(msgspec.json.encode, (replace(info, **changes), None))
    digest = row_hash([new, machine])
    values = "info = ?, machine = ?, hash = ?, last = ?"
    edit.execute(path, f"UPDATE league SET {values}", new, machine, digest, digest)  # noqa: S608


def test_changed_commitment_is_a_finding(whole: Path, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path)
    change_info(copy, commitment="0" * 64)
    what = "the master seed does not match its published hash"
    assert check(copy).findings == [StoreFinding("league", what)]


def test_changed_master_seed_invalidates_every_fixture(whole: Path, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path)
    change_info(copy, seed="mine")
    where = {finding.where for finding in check(copy).findings}
    assert where == {"league"} | {f"fixture {id_}" for id_, _ in leagues.records(whole)}


def test_changed_conditions_invalidate_every_fixture(whole: Path, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path)
    change_info(copy, games=3)
    assert len(check(copy).findings) == 12


ROWS = {
    "changed": "UPDATE changes SET change = replace(change, 'random', 'honest') WHERE n = 1",
    "removed": "DELETE FROM changes WHERE n = 1",
    "last removed": "DELETE FROM changes WHERE n = 2",
    "reordered": "UPDATE changes SET n = -n; UPDATE changes SET n = 3 + n",
}


@pytest.mark.parametrize("damage", ROWS.values(), ids=ROWS)
def test_damaged_change_is_found(whole: Path, tmp_path: Path, damage: str) -> None:
    copy = copied(whole, tmp_path)
    with Store(copy, create=True) as store:
        begun = tuple(len(blocks) for blocks in Schedule(*store.history()).blocks.values())
        store.change(Change(begun, rested=("random",), players=(2,)))
        store.change(Change(begun[:1], resumed=("random",), players=(2, 3)))
        root = store.root()
    assert (check(copy).findings, check(copy).root) == ([], root)
    for step in damage.split(";"):
        edit.execute(copy, step)
    first, *_ = check(copy).findings
    assert (first.where, first.what[:7]) == ("league", "change ")
    assert check(copy).root != root


@each_change
@given(st.integers(0, 11), st.randoms(use_true_random=False))
def test_increased_number_is_found(whole: Path, position: int, draw: Random) -> None:
    """Whatever number is increased by one: it is a finding, or the store refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(whole, Path(folder))
        edit.edit_record(copy, position, lambda record: increase_one(record["games"], draw))
        assert findings_or_refusal(copy)


def findings_or_refusal(path: Path) -> list[StoreFinding] | str:
    try:
        return check(path).findings
    except ArenaError as error:
        return error.what


def increase_one(data: Any, draw: Random) -> None:
    """Add one to any of the integers in a tree of lists and objects.

    What a bid named is spared: it is the bots' choice, and another legal bid that came to the same
    end is as true a game.
    """
    spots: list[tuple[Any, Any]] = []
    trees = [data]
    while trees:
        tree = trees.pop()
        items = list(tree.items() if isinstance(tree, dict) else enumerate(tree))
        items = items[:2] if isinstance(tree, list) and tree[:1] == ["bid"] else items
        spots += [(tree, key) for key, value in items if isinstance(value, int)]
        trees += [value for _, value in items if isinstance(value, dict | list)]
    tree, key = draw.choice(spots)
    tree[key] += 1
