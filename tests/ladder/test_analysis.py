"""What an author reads of a version: its standing, why it loses, what it changed."""

import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from arena.ladder.book.tables import State
from arena.ladder.pages import private
from arena.ladder.pages.private import changes, standings
from tests.ladder.desk import Desk
from tests.ladder.test_private import BOTS, club, season, text, times, write  # noqa: F401
from tests.publish.pages import broken_links


def archive(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def test_worst_decisions_lead_to_their_games(club: Desk, tmp_path: Path) -> None:  # noqa: F811
    with season(tmp_path) as store:
        ann = write(club, store)
    page = (ann / "one@1.why.html").read_text()
    assert re.search(r"It won \d+ of 16 games that were judged", page)
    steps = re.findall(r'href="(games/1-\d+\.html)#(game-\d+-step-\d+)"', page)
    assert steps
    for path, step in steps:
        assert f'id="{step}"' in (ann / path).read_text()
    data = json.loads((ann / "one@1.why.json").read_text())
    assert (data["version"], data["judged"]["games"]) == ("one@1", 16)
    assert data["judged"]["worst"]
    games = [json.loads(line) for line in (ann / "one@1.games.jsonl").read_text().splitlines()]
    assert games
    assert all(game["seats"][game["seat"]] == "one@1" for game in games)
    assert all(game["steps"][-1]["kind"] == "end" for game in games)
    assert broken_links(ann) == []
    assert "two@1.why.html" not in (ann / "one@1.html").read_text()


@pytest.mark.slow
def test_decisions_are_judged_again_at_twice_as_many_games(
    club: Desk,  # noqa: F811
    tmp_path: Path,
) -> None:
    with season(tmp_path) as store:
        found = []
        for shown in range(1, 5):
            ann = write(club, store, range(shown))
            found.append(times(ann)[ann / "one@1.why.html"])
    first, second, third, fourth = found  # after 4, 8, 12 and 16 games
    assert (first != second, second == third, third != fourth) == (True, True, True)


def test_judging_stops_when_a_publication_has_no_time_left_for_it(
    club: Desk,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with season(tmp_path) as store:
        with monkeypatch.context() as patched:
            patched.setattr(private, "_JUDGING", 0.0)
            ann = write(club, store)
            assert not (ann / "one@1.why.html").exists()
            assert "Why it loses" not in text(ann)
            assert broken_links(ann) == []
        assert (write(club, store) / "one@1.why.html").exists()


def test_files_changed_since_the_version_before_are_shown(
    club: Desk,  # noqa: F811
    tmp_path: Path,
) -> None:
    name = club.submit("ann", "one", b"2")
    for version, digest, line in (("one@1", "a" * 64, b"old <b>"), (name, "b" * 64, b"new <b>")):
        club.book.set_digest(club.book.version(version), digest)
        archive(club.folder.version(digest), main=line + b"\nsame\n", same=b"1")
    club.book.set_state(club.book.version(name), State.RATED, "so")
    with season(tmp_path) as store:
        ann = write(club, store)
    page = (ann / "one@2.changes.html").read_text()
    assert "main: changed" in page
    assert "-old &lt;b&gt;\n+new &lt;b&gt;" in page
    assert "same:" not in page
    assert "files changed since one@1" in (ann / "one@2.html").read_text()
    assert broken_links(ann) == []


@pytest.mark.parametrize(
    ("old", "new", "word", "lines"),
    [
        (b"", None, "removed", 0),
        (None, b"x", "added", 2),
        (b"a\n" * 2_000, b"b", "changed", 0),
        (b"\0", b"b", "changed", 0),
        (b"\ta", b"\tb", "changed", 3),
        (b"\xff", b"b", "changed", 0),
        (b"a\n" * 700, b"b\n" * 700, "changed", 400),
    ],
)
def test_diff_is_bounded(
    tmp_path: Path, old: bytes | None, new: bytes | None, word: str, lines: int
) -> None:
    packed = [
        archive(tmp_path / f"{at}.tar", **({} if content is None else {"f": content}))
        for at, content in enumerate((old, new))
    ]
    [file] = changes(*packed)
    assert (file.word, len(file.lines), file.more) == (word, lines, lines == 400)


@pytest.mark.slow
def test_standing_is_that_of_the_published_tables(club: Desk, tmp_path: Path) -> None:  # noqa: F811
    data = club.folder.site / "data"
    data.mkdir(parents=True)
    head = {"variant": "bga", "players": 2}
    rows = [
        {"bot": bot, "rank": 1, "best": 1, "worst": 2, "games": 16, "beats_average": 0.25}
        for bot in BOTS
    ]
    duel = {"bot": BOTS[0], "opponent": BOTS[1], "ahead": 4, "games": 16}
    duel |= {"share": 0.25, "low": 0.1, "high": 0.5}
    for name, table in (("leaderboard", rows), ("head-to-head", [duel])):
        (data / f"{name}-bga-2p.json").write_text(json.dumps({**head, "rows": table}))
    (data / "leaderboard-overall.json").write_text("{}")
    with season(tmp_path) as store:
        ann = text(write(club, store))
    rank = r"Rank 1 of 2, it may be 1.2; beats an average bot with 25.0\s%, after 16 games"
    assert re.search(rank, ann)
    assert re.search('<th scope="row">two@1</th><td class="num">75.0\\s%</td>', ann)
    assert "Who beats it" not in text(club.folder.private / "bob")
    assert standings(tmp_path / "none") == {}
