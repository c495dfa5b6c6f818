"""Stored games and their decisions as arrays: those that the environments step through."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.io.errors import ArenaError
from arena.lab import games, imitation
from arena.lab.env import perudo_v0
from arena.lab.env.perudo_policy import CALZA, PASS
from arena.lab.stored import Imitation
from tests.cli.command import play_league, run

LEAGUE: dict[str, Any] = {
    "bots": ["sample:odds", "sample:memory", "sample:honest"],
    "players": [2, 3],
    "variants": [{"variant": "classic", "calza": True, "starting_dice": 3}],
}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    play_league(folder, **LEAGUE)
    for form in ("jsonl", "parquet", "csv"):
        options = ("--rows", "decisions", "--format", form, "-o", f"decisions.{form}")
        assert run("export", "league.yaml", *options, cwd=folder).code == 0
    return folder / "league.yaml"


def stepped(league: Path, players: int) -> list[tuple[np.ndarray, np.ndarray, int, float]]:
    """Step through the stored games; returns what was seen, done and gained in the end."""
    rows = []
    for fixture, rules, record in games(league):
        if len(fixture.seats) != players:
            continue
        for env, action in perudo_v0.recorded(fixture, rules, record):
            if action == PASS:
                continue
            seat = env.game.seat
            assert seat is not None
            seen = env.observe(env.agent_selection)
            reward = env.setting.reward(record.places[seat])
            rows.append((seen["observation"], seen["action_mask"], action, reward))
    return rows


@pytest.mark.parametrize("players", [2, 3])
def test_arrays_are_what_the_environment_shows_of_stored_games(league: Path, players: int) -> None:
    expected = stepped(league, players)
    found = imitation(league, players=players, starting_dice=3)
    assert len(found.actions) == len(expected)
    for n, (seen, mask, action, reward) in enumerate(expected):
        np.testing.assert_array_equal(found.observations[n], seen)
        np.testing.assert_array_equal(found.masks[n], mask)
        assert found.actions[n] == action
        assert found.rewards[n] == pytest.approx(reward)
    assert players == 2 or CALZA in found.actions


@pytest.mark.parametrize("file", ["decisions.jsonl", "decisions.parquet", "league.sqlite"])
def test_arrays_are_the_same_from_a_store_and_an_export(league: Path, file: str) -> None:
    if file.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    stored, same = (
        imitation(path, starting_dice=3, bots=["memory"]) for path in (league, league.parent / file)
    )
    for one, other in zip(stored[1:], same[1:], strict=True):
        np.testing.assert_array_equal(one, other)
    assert {*stored.bots} == {"memory"}
    assert 0 < stored.kept.mean() < 1


def test_arrays_train_by_imitation_in_a_few_lines(league: Path) -> None:
    seen: Imitation = imitation(league, starting_dice=3)
    counts = np.zeros(seen.table.actions)
    np.add.at(counts, seen.actions, seen.rewards > 0)
    best = (counts * seen.masks).argmax(1)
    assert seen.masks[np.arange(len(best)), best].all()


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("decisions.csv", {}, "from JSON lines or Parquet"),
        ("other.yaml", {}, "there are no stored games"),
        ("league.yaml", {"players": 6}, "no such decisions at tables of 6"),
        ("league.yaml", {"starting_dice": 3, "bots": ["nobody"]}, "no such decisions"),
        ("league.yaml", {"starting_dice": 3, "variant": "bga"}, "no such decisions"),
    ],
)
def test_decisions_that_are_not_there_are_one_line(
    league: Path, file: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        imitation(league.parent / file, **options)


def test_shown_dice_are_those_of_the_rounds_before(league: Path) -> None:
    """In each row, the last shown round is the one that the row before it was of."""
    text = (league.parent / "decisions.jsonl").read_text(encoding="utf-8")
    for before, row in pairwise(map(json.loads, text.splitlines())):
        if row["round"] != before["round"] + 1 or row["game"] != before["game"]:
            continue
        hands = row["shown"].split()[-1].split("/")
        assert [int(die) for die in hands[before["seat"]]] == before["dice"]
