"""Changes of a league that has begun: what is said of them, and what still counts."""

from pathlib import Path

import msgspec
import pytest

from arena.game.records import Conditions
from arena.io.errors import ArenaError
from arena.league.changes import Change, History, playing
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.league.terms.conditions import commit, conditions_of, resolve
from tests.league import leagues
from tests.league.leagues import begin, store_all
from tests.support import records


def changed(
    tmp_path: Path, changes: dict[str, object], sandbox: str = "process"
) -> tuple[Conditions, str, str]:
    """Begin the league, play it, and begin it changed.

    Returns its conditions, what is said once that is accepted, and what the refusal said before.
    """
    said: list[str] = []
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        store_all(store)
        before = store.league
        plan = leagues.league(tmp_path, **changes)
        with pytest.raises(ArenaError) as caught:
            begin(plan, sandbox, store)
        assert store.league == before
        assert caught.value.where == str(tmp_path / "league.yaml")
        assert caught.value.hint.startswith("continue with --accept-changes")
        assert str(tmp_path / "s") in caught.value.hint
        info = begin(plan, sandbox, store, accept=True, notify=said.append)
        assert store.league == info
        assert begin(plan, sandbox, store) == info
    return info, "; ".join(said), caught.value.what


def test_accepted_change_continues_the_schedule_that_is_stored(tmp_path: Path) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        store_all(store)
        plan = leagues.league(tmp_path, games=3, bots=FOUR)
        resolution = resolve(plan, "process", store, accept=True)
        commit(resolution, store, lambda _: None)
        schedule, whole = resolution.schedule, Schedule(*store.history())
    assert (schedule.drawn, schedule.blocks) == (whole.drawn, whole.blocks)


FOUR = [*leagues.SAMPLES, "sample:odds"]
TWO = ["sample:honest", "sample:memory"]
REST = [*TWO, "sample:odds"]
CALZA = [{"variant": "bga", "calza": True, "label": "bga"}]
NONE_LEFT = "12 of 12 stored fixtures {}no longer count"
ALL_LEFT = "all 12 stored fixtures {}still count"
# Six fixtures of tables of two, six of tables of three: two blocks of each.
CHANGES: dict[str, tuple[dict[str, object], str, str]] = {
    "answer": ({"limits": {**leagues.PATIENT, "answer": 59}}, "limits.answer is 59, not 60", ""),
    "variant": (
        {"variants": ["classic"]},
        "variant 'bga' left, variant 'classic' joined",
        NONE_LEFT,
    ),
    "variant joined": ({"variants": ["bga", "classic"]}, "variant 'classic' joined", ALL_LEFT),
    "switch": ({"variants": CALZA}, "variant 'bga': calza is true, not false", NONE_LEFT),
    "games": ({"games": 3}, "games is 3, not 2", NONE_LEFT),
    "size left": (
        {"players": [2]},
        "players is [2], not [2, 3]",
        "6 of 12 stored fixtures {}no longer count",
    ),
    "size joined": ({"players": [3, 2]}, "players is [3, 2], not [2, 3]", ALL_LEFT),
    "dice": ({"shared_dice": True}, "shared_dice is true, not false", NONE_LEFT),
    "memory": (
        {"memory_across_fixtures": True},
        "memory_across_fixtures is true, not false",
        NONE_LEFT,
    ),
    "two": ({"games": 3, "blocks": 9}, "games is 3, not 2, blocks is 9, not 2", NONE_LEFT),
    "more blocks": ({"blocks": 9}, "blocks is 9, not 2", ALL_LEFT),
    "fewer blocks": ({"blocks": 1}, "blocks is 1, not 2", ALL_LEFT),
    "until": (
        {"blocks": 9, "until": "separated"},
        "blocks is 9, not 2, until is 0.95, not none",
        ALL_LEFT,
    ),
    "joined": ({"bots": FOUR}, "'odds' joined", ALL_LEFT),
    "rests": (
        {"bots": TWO, "players": [2]},
        "'random' rests, players is [2], not [2, 3]",
        "6 of 12 stored fixtures {}no longer count",
    ),
    "both": ({"bots": REST}, "'odds' joined, 'random' rests", ALL_LEFT),
    "struck": (
        {"bots": REST, "struck": ["random"]},
        "'odds' joined, 'random' is struck",
        "10 of 12 stored fixtures {}no longer count",
    ),
    "listed and struck": (
        {"bots": FOUR, "struck": ["random"]},
        "'odds' joined, 'random' is struck",
        "10 of 12 stored fixtures {}no longer count",
    ),
}


@pytest.mark.parametrize(("changes", "what", "effect"), CHANGES.values(), ids=CHANGES)
def test_change_is_named_with_its_effect(
    tmp_path: Path, changes: dict[str, object], what: str, effect: str
) -> None:
    _, said, refused = changed(tmp_path, changes)
    effect = effect or NONE_LEFT
    assert refused == f"the league changed: {what}: {effect.format('would ')}"
    assert said == f"the league changed: {what}: {effect.format('')}"


def test_another_sandbox_is_named(tmp_path: Path) -> None:
    _, _, refused = changed(tmp_path, {}, sandbox="bubblewrap")
    assert "changed: sandbox is bubblewrap, not process: 12 of 12 stored" in refused


def test_harmless_change_is_only_noted(tmp_path: Path) -> None:
    said: list[str] = []
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path, name="A"), "process", store)
        store_all(store)
        plan = leagues.league(tmp_path, name="B", ratings={"anchor": "memory"}, workers=7)
        info = begin(plan, "process", store, notify=said.append)
    assert (info.name, info.ratings.anchor) == ("B", "memory")
    what = "name is B, not A, ratings.anchor is memory, not none"
    assert said == [f"changed since the league began, and decides no game: {what}"]


def test_games_count_again_when_their_terms_return(tmp_path: Path) -> None:
    said: list[str] = []
    with Store(tmp_path / "s", create=True) as store:
        for games, blocks in [(2, 2), (3, 2), (2, 2)]:
            plan = leagues.league(tmp_path, games=games, blocks=blocks)
            info = begin(plan, "process", store, accept=True, notify=said.append)
            store_all(store)
        assert len(store.finished()) == 24
        history = store.history()
    none_left = "12 of 12 stored fixtures no longer count"
    assert said == [
        f"the league changed: games is 3, not 2: {none_left}",
        f"the league changed: games is 2, not 3: {none_left}, 12 count again",
    ]
    assert {one.games for one in Schedule(*history).fixtures} == {2}
    assert len(Schedule(*history).fixtures) == 12
    assert [change.games for change in history.changes] == [3, 2]
    assert info == history.now()


def test_long_list_of_bots_is_shortened(tmp_path: Path) -> None:
    more = [leagues.write_bot(tmp_path, f"new{n}", "cat") for n in range(9)]
    _, said, _ = changed(tmp_path, {"bots": [*leagues.SAMPLES, *more]})
    assert "'new0' joined, 'new1' joined, " in said
    assert "'new5' joined, and 3 more: all 12 stored" in said


def stored(tmp_path: Path) -> History:
    with Store(tmp_path / "s") as store:
        return store.history()


def test_row_of_a_change_holds_what_changed_alone(tmp_path: Path) -> None:
    info, _, _ = changed(tmp_path, {"bots": FOUR})
    assert [bot.name for bot in info.bots] == ["honest", "memory", "odds", "random"]
    [change] = stored(tmp_path).changes
    assert change == Change((2, 2), joined=(info.bots[2],), blocks=3)
    assert len(msgspec.json.encode(change)) < 300


def test_bot_that_is_not_listed_rests_and_comes_back(tmp_path: Path) -> None:
    info, _, _ = changed(tmp_path, {"bots": REST})
    assert (info.resting, playing(info)) == (("random",), ["honest", "memory", "odds"])
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path, bots=FOUR), "process", store, accept=True)
        assert store.conditions().resting == ()
        [_, change] = store.history().changes
    assert change == Change((2, 2), resumed=("random",), blocks=3)


def test_games_of_a_struck_bot_count_again_when_it_is_not_named_any_more(tmp_path: Path) -> None:
    said: list[str] = []
    info, _, _ = changed(tmp_path, {"bots": REST, "struck": ["random"]})
    assert ([bot.name for bot in info.struck], info.resting) == (["random"], ())
    with Store(tmp_path / "s", create=True) as store:
        plan = leagues.league(tmp_path, bots=REST)
        info = begin(plan, "process", store, accept=True, notify=said.append)
    assert (info.struck, info.resting) == ((), ("random",))
    assert "'random' rests: all 2 stored fixtures still count, 10 count again" in said[0]


@pytest.mark.parametrize(
    ("struck", "what"),
    [
        ("honset", "'honset' is to be struck, but never played in this league"),
        ("honest", "2 bots are left to play, too few for tables of 3"),
    ],
)
def test_strike_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, struck: str, what: str
) -> None:
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        store_all(store)
        before = store.history()
        plan = leagues.league(tmp_path, struck=[struck])
        with pytest.raises(ArenaError) as caught:
            begin(plan, "process", store, accept=True)
        assert caught.value.what == what
        assert caught.value.where.startswith(f"{tmp_path / 'league.yaml'}:1:")
        assert store.history() == before


@pytest.mark.parametrize("file", ["bot.sh", "data/table.txt", "bot.yaml"])
def test_other_files_are_a_version_with_a_name_of_its_own(tmp_path: Path, file: str) -> None:
    ann = Path(leagues.write_bot(tmp_path, "ann", "cat"))
    (ann / "data").mkdir()
    (ann / "data" / "table.txt").write_text("1")
    bots = ["ann", "sample:honest", "sample:random"]
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path, bots=bots), "process", store)
        store_all(store)
        before = (ann / file).read_text()
        (ann / file).write_text(f"{before}# mended\n")
        plan = leagues.league(tmp_path, bots=bots)
        old, new = (store.league, conditions_of(plan, "process", "tests"))
        assert old
        digests = f"({new.bots[0].digest[:8]}, not {old.bots[0].digest[:8]})"
        with pytest.raises(ArenaError) as caught:
            begin(plan, "process", store)
        named = f"changed: 'ann' has other files {digests} and plays as 'ann@2': all 12 stored"
        assert named in caught.value.what
        info = begin(plan, "process", store, accept=True)
        assert (playing(info), info.resting) == (["ann@2", "honest", "random"], ("ann",))
        assert begin(plan, "process", store) == info
        (ann / file).write_text(before)
        said: list[str] = []
        plan = leagues.league(tmp_path, bots=bots)
        info = begin(plan, "process", store, accept=True, notify=said.append)
        assert (playing(info), info.resting) == (["ann", "honest", "random"], ("ann@2",))
    assert "changed: 'ann' plays again, 'ann@2' rests: all 12 stored" in said[0]


@pytest.mark.parametrize("blocks", [9, 1])
def test_begun_blocks_stay(tmp_path: Path, blocks: int) -> None:
    info, _, _ = changed(tmp_path, {"blocks": blocks})
    assert stored(tmp_path).changes == [Change((2, 2), blocks=blocks)]
    assert info.blocks == blocks


def test_begun_blocks_of_a_league_with_until_stay(tmp_path: Path) -> None:
    long = {"until": "separated", "blocks": 30}
    with Store(tmp_path / "s", create=True) as store:
        info = begin(leagues.league(tmp_path, **long), "process", store)
        for fixture in Schedule(info).fixtures:
            if fixture.block < 9 or (fixture.block < 12 and len(fixture.seats) == 2):
                store.add(pack(records.played(fixture)))
        begin(leagues.league(tmp_path, bots=FOUR, **long), "process", store, accept=True)
    assert stored(tmp_path).changes[0].begun == (12, 9)


def test_models_come_change_and_go(tmp_path: Path) -> None:
    small = {"url": "http://127.0.0.1:9/v1", "model": "one"}
    steps: list[tuple[dict[str, object], object, str]] = [
        ({"models": {"small": small}}, {"small": "one"}, "models is {'small': 'one'}, not none"),
        ({"models": {"small": {**small, "retries": 5}}}, {"small": "one"}, ""),
        ({"models": {"small": {**small, "model": "two"}}}, {"small": "two"}, "models is"),
        ({}, {}, "models is {}, not {'small': 'two'}"),
        ({}, {}, ""),
    ]
    with Store(tmp_path / "s", create=True) as store:
        begin(leagues.league(tmp_path), "process", store)
        store_all(store)
        for changes, models, words in steps:
            said: list[str] = []
            plan = leagues.league(tmp_path, **changes)
            info = begin(plan, "process", store, accept=True, notify=said.append)
            assert info.models == models
            assert words in "".join(said)
            assert bool(said) == bool(words)
