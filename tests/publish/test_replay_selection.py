"""Which games can be watched, and the files that they are loaded from."""

import gzip
from base64 import b64decode
from pathlib import Path

import click
import msgspec
import pytest

from arena.cli.options import replays_option
from arena.game.records import Cause, Faulted, PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.publish.links import GAMES_PER_SHARD, identities
from arena.publish.replay_steps import replay
from arena.publish.replays import AtMost, ReplayChoice, select_replays
from arena.ratings.league_ratings import Favourites
from tests.publish.in_memory import write_site
from tests.publish.pages import broken_links, content, unpacked
from tests.support import factory
from tests.support import played_games as games

BGA = VARIANTS["bga"]
A, B, C = "alpha", "Bravo Bot", "</script><b>"


def played() -> list[PlayedFixture]:
    crash = {1: Faulted(1, Cause.CRASH, "exit status 1")}
    return [factory.fixture(0, (A, B), faults=crash), factory.fixture(1, (A, C))]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("all", {0: [0, 1, 2, 3], 1: [0, 1, 2, 3]}),
        ("none", {}),
        (0, {0: [1]}),
        (1, {0: [1, 3], 1: [3]}),
        (50, {0: [0, 1, 2, 3], 1: [0, 1, 2, 3]}),
        (AtMost(100), {0: [0, 1, 2, 3], 1: [0, 1, 2, 3]}),
        (AtMost(5), {0: [3], 1: [0, 1, 2, 3]}),
        (AtMost(0), {}),
    ],
)
def test_faults_and_the_newest_games_of_each_bot_are_selected(
    choice: ReplayChoice, expected: dict[int, list[int]]
) -> None:
    assert select_replays(factory.results(played()), Favourites([]), choice) == expected


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    seen = [games.fixture(0, "bga", BGA, (A, B, C), GAMES_PER_SHARD + 2)]
    league = factory.league((A, B, C))
    folder = tmp_path_factory.mktemp("site")
    write_site(league, factory.ratings(seen), seen, folder, replays="all")
    return folder


def test_shards_hold_the_games(site: Path) -> None:
    fixture = games.fixture(0, "bga", BGA, (A, B, C), GAMES_PER_SHARD + 2)
    first, second = [unpacked((site / f"replays/0-{n}.js").read_text()) for n in (0, 1)]
    assert list(first.games) == [str(number) for number in range(GAMES_PER_SHARD)]
    assert {**first.games, **second.games} == {
        str(game.game): replay(game, (A, B, C), BGA) for game in fixture.games
    }
    assert first.seats == [A, B, C]
    assert all((site / page).is_file() for page in first.bots)
    assert first.marks == [one.classes for one in identities((A, B, C)).values()]
    order = msgspec.json.decode(content((site / "games.js").read_text()))
    assert order == {"games": [[0, 0], [0, GAMES_PER_SHARD]]}


def test_a_shard_is_inert_text_and_its_games_plain_json(site: Path) -> None:
    script = (site / "replays/0-1.js").read_text()
    start, packed, end = script.partition('"H4sI')[0], script.split('"')[3], script[-4:]
    assert (start, end) == ('perudoShard("0-1", ', '");\n')
    assert "<" not in script
    assert b'"game":33' in gzip.decompress(b64decode(packed))


def test_faults_link_to_their_step(site: Path) -> None:
    step = unpacked((site / "replays/0-0.js").read_text()).games["1"].steps
    fault = next(at for at, one in enumerate(step) if one.kind == "fault")
    link = f'href="replay.html#0.1.{fault}"'
    assert link in (site / "faults.html").read_text()
    assert broken_links(site) == []


@pytest.mark.parametrize(
    ("choice", "said"),
    [("all", "Every game can be watched"), (0, "all upsets. An"), (7, "the newest 7 of each bot")],
)
def test_the_page_says_what_can_be_watched(tmp_path: Path, choice: ReplayChoice, said: str) -> None:
    league, ratings, seen = factory.sample()
    write_site(league, ratings, seen, tmp_path, replays=choice)
    assert said in (tmp_path / "replay.html").read_text()


def test_site_without_replays_has_no_replay_files(tmp_path: Path) -> None:
    league, ratings, seen = factory.sample()
    write_site(league, ratings, seen, tmp_path, replays="all")
    write_site(league, ratings, seen, tmp_path, replays="none")
    assert not [*tmp_path.glob("replay*"), *tmp_path.glob("games.js")]
    assert "replay.html" not in (tmp_path / "faults.html").read_text()
    assert broken_links(tmp_path) == []


@click.command()
@replays_option
def command(replays: ReplayChoice) -> ReplayChoice:
    return replays


def taken(word: str) -> object:
    return command.main(["--replays", word], standalone_mode=False)


@pytest.mark.parametrize(("word", "choice"), [("all", "all"), ("none", "none"), ("0", 0), ("7", 7)])
def test_the_option_takes(word: str, choice: ReplayChoice) -> None:
    assert taken(word) == choice


@pytest.mark.parametrize("word", ["-1", "some", "1.5", "\u0663", ""])
def test_the_option_refuses(word: str) -> None:
    with pytest.raises(click.BadParameter, match="neither all, none nor a whole number"):
        taken(word)
