"""Files that this version wrote: every later version of the same major reads them and goes on."""

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.game.wire.codec import decode_answer, decode_ready
from arena.game.wire.messages import ToBot
from arena.ladder.book.book import Book
from arena.ladder.folder import Folder
from arena.league.keeping.verify import verify
from arena.league.play.stored_league import StoredLeague
from arena.league.store.store import Store
from tests.cli.command import TRUSTED, run
from tests.compatibility import kept_folders, kept_stores
from tests.ladder import club as clubs
from tests.support.restless import play_next

PROTOCOL_1 = Path(__file__).parent / "fixtures/protocol-1"


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """The kept backup of a ladder, put back."""
    saved = kept_folders.unpacked("ladder", tmp_path)
    ran = run("ladder", "restore", saved, tmp_path / "club", cwd=tmp_path)
    assert ran.code == 0, ran.err
    return tmp_path / "club"


def test_ladder_has_its_versions_its_log_and_its_terms(ladder: Path) -> None:
    states = {"one@1": "rated", "two@1": "rated", "dead@1": "refused"}
    assert clubs.states(ladder) == states
    assert "season 1" in clubs.log(ladder)
    ran = run("ladder", "check", ladder, "--json", cwd=ladder)
    assert json.loads(ran.out) == {"season": 2, "begins": False}


def test_closed_season_has_its_published_root(ladder: Path) -> None:
    with Book(Folder(ladder)) as book:
        first, _ = book.seasons()
    with Store(clubs.store_of(ladder)) as store:
        verified = verify(store, root=first.root)
    assert verified.findings == []
    assert verified.root == first.root


def test_season_that_was_begun_is_gone_on_with(ladder: Path) -> None:
    with Store(clubs.store_of(ladder, 2), create=True) as store:
        before = len(store.positions())
        assert play_next(StoredLeague(store))
        assert len(store.positions()) == before + 1 > 3
        assert verify(store).findings == []


@pytest.mark.slow
def test_ladder_runs_on(ladder: Path) -> None:
    before = clubs.played(clubs.store_of(ladder, 2))
    with clubs.inside(ladder) as running:
        running.until(lambda: clubs.played(clubs.store_of(ladder, 2)) > before)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return kept_folders.unpacked("course", tmp_path)


def test_marks_of_a_course_follow_from_its_games(course: Path) -> None:
    ran = run("course", "verify", course, "--workers", "1", "--json", cwd=course)
    assert json.loads(ran.out)["findings"] == []


@pytest.mark.slow
def test_course_that_is_graded_again_has_the_same_marks(course: Path) -> None:
    before = (course / "marks.csv").read_text()
    ran = run("course", "grade", course, "--trust-bots", "--workers", "1", "--json", cwd=course)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["moved"] == []
    after = (course / "marks.csv").read_text()
    assert extends([*csv.DictReader(after.splitlines())], [*csv.DictReader(before.splitlines())])


def test_pages_and_files_of_a_site_are_at_their_addresses(tmp_path: Path) -> None:
    kept = kept_folders.unpacked("site", tmp_path)
    addresses = (kept / "paths.txt").read_text().split()
    (tmp_path / "now").mkdir()
    now = kept_folders.paths(kept_folders.reported(tmp_path / "now"))
    assert {*addresses} - {*now} == set()


def test_published_site_is_that_of_its_store(tmp_path: Path) -> None:
    site = kept_folders.unpacked("site", tmp_path)
    store, root = kept_stores.copied("whole", tmp_path)
    with Store(store) as opened:
        verified = verify(opened, root=root, site=site)
    assert verified.findings == []


@pytest.mark.parametrize("kind", kept_folders.STORES)
def test_exported_rows_have_what_they_had(tmp_path: Path, kind: str) -> None:
    kept = kept_folders.unpacked("exports", tmp_path) / f"{kept_folders.STORES[kind]}.jsonl"
    before = map(json.loads, kept.read_text().splitlines())
    after = map(json.loads, kept_folders.exported(kind, tmp_path).splitlines())
    assert extends([*after], [*before])


def extends(now: Any, before: Any) -> bool:
    """Tell whether data has all that it had, whatever keys were added."""
    if isinstance(before, dict) and isinstance(now, dict):
        return all(key in now and extends(now[key], before[key]) for key in before)
    if isinstance(before, list) and isinstance(now, list):
        return len(now) == len(before) and all(map(extends, now, before))
    return bool(now == before)


def lines() -> list[tuple[str, dict[str, Any]]]:
    """Return the direction and the message of each line of the kept transcripts."""
    files = sorted((PROTOCOL_1 / "transcripts").glob("*.txt"))
    whole = [line for file in files for line in file.read_text().splitlines()]
    return [(line[:2], json.loads(line[4:])) for line in whole]


def test_messages_of_protocol_1_are_read_and_keep_their_meaning() -> None:
    decode, seen = msgspec.json.Decoder(ToBot).decode, set()
    for direction, message in lines():
        line = json.dumps(message).encode()
        if direction == ">>":
            seen.add(message["type"])
            assert extends(json.loads(msgspec.json.encode(decode(line))), message)
        else:
            answer = (decode_ready if "type" in message else decode_answer)(line)
            assert extends(json.loads(msgspec.json.encode(answer)), message)
    assert seen == {"hello", "turn", "calza", "round_end", "fault", "game_end", "bye"}


def test_bot_of_protocol_1_plays(tmp_path: Path) -> None:
    words = ("play", PROTOCOL_1 / "bot", "sample:honest", "--games", "1", *TRUSTED, "--json")
    ran = run(*words, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert [one["faults"] for one in json.loads(ran.out)["results"]] == [0, 0]
