"""league.yaml read well: every default explicit, every pattern, every variant."""

import os
from pathlib import Path

import pytest

from arena.game.records import LimitsInfo
from arena.game.rules.books import BGA, CLASSIC, ITALIAN, PRESSMAN, variant
from arena.io.errors import ArenaError
from arena.io.shipped import folder
from arena.league.terms.config import check_bot_count, load_league
from tests.league import leagues

TWO = "bots: ['sample:honest', 'sample:random']\n"


def write(where: Path, text: str) -> Path:
    path = where / "weekly.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_default_is_explicit(tmp_path: Path) -> None:
    path = write(tmp_path, TWO)
    league = load_league(path)
    assert league.path == path
    assert league.name == "weekly"
    assert league.variants == {"bga": BGA}
    assert [bot.name for bot in league.bots] == ["honest", "random"]
    assert league.players == (2,)
    assert league.games == 20
    assert (league.blocks, league.until, league.shared_dice) == (None, None, None)
    assert league.seed is None
    assert league.limits == LimitsInfo(start=10, answer=2, game=60, restarts=3)
    assert league.sandbox == "auto"
    assert league.workers == len(os.sched_getaffinity(0))


def test_given_values_replace_the_defaults(tmp_path: Path) -> None:
    text = (
        TWO + "name: Weekly\nplayers: [6, 2]\ngames: 100000\nseed: 0\nsandbox: process\n"
        "workers: 3\nlimits: {start: 1, answer: 0.5, game: 9, restarts: 0}\n"
    )
    league = load_league(write(tmp_path, text))
    assert (league.name, league.players, league.games) == ("Weekly", (6, 2), 100_000)
    assert (league.seed, league.sandbox, league.workers) == ("0", "process", 3)
    assert league.limits == LimitsInfo(start=1, answer=0.5, game=9, restarts=0)


@pytest.mark.parametrize(
    ("until", "confidence"),
    [("separated", 0.95), ("{separated: 0.99}", 0.99), ("{}", 0.95), ("~", None)],
)
def test_until_is_read_as_a_confidence(
    tmp_path: Path, until: str, confidence: float | None
) -> None:
    text = f"{TWO}blocks: 60\nshared_dice: false\nuntil: {until}\n"
    league = load_league(write(tmp_path, text))
    assert (league.blocks, league.until, league.shared_dice) == (60, confidence, False)


def test_budget_that_ends_before_the_first_decision_is_refused(tmp_path: Path) -> None:
    league = load_league(write(tmp_path, TWO + "until: separated\nblocks: 7\n"))
    with pytest.raises(ArenaError, match="7 blocks end before the first decision") as caught:
        check_bot_count(league)
    assert caught.value.where == f"{league.path}:3:1"
    assert "`blocks: 8`" in caught.value.hint
    check_bot_count(load_league(write(tmp_path, TWO + "until: separated\nblocks: 8\n")))
    check_bot_count(load_league(write(tmp_path, TWO + "blocks: 1\n")))


def test_example_is_a_valid_league() -> None:
    league = load_league(Path(__file__).parents[2] / "examples" / "league.yaml")
    assert list(league.variants) == ["bga", "classic", "pressman", "italian+calza"]
    check_bot_count(league)


def test_all_sample_bots_by_a_glob_each_once_by_name(tmp_path: Path) -> None:
    league = load_league(write(tmp_path, "bots: ['sample:*', 'sample:odds', 'sample:ra*']\n"))
    names = {path.parent.name for path in folder("sample_bots").glob("*/bot.yaml")}
    assert [bot.name for bot in league.bots] == sorted(names)
    assert all(bot.shipped for bot in league.bots)


@pytest.mark.parametrize("absolute", [False, True])
def test_own_bots_by_folder_and_by_glob(tmp_path: Path, absolute: bool) -> None:
    for name in ("zed", "ann", "bob"):
        leagues.write_bot(tmp_path / "mine", name, "cat")
    (tmp_path / "mine" / "notes").mkdir()
    base = f"{tmp_path}/mine" if absolute else "mine"
    league = load_league(write(tmp_path, f"bots: ['{base}/zed', '{base}/*', 'mine/[a]nn']\n"))
    assert [bot.name for bot in league.bots] == ["ann", "bob", "zed"]
    assert not any(bot.shipped for bot in league.bots)


def test_patterns_start_at_the_folder_of_the_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leagues.write_bot(tmp_path / "deep", "ann", "cat")
    path = write(tmp_path / "deep", "bots: [ann, 'a*']\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [bot.name for bot in load_league(path).bots] == ["ann"]
    monkeypatch.chdir(tmp_path)
    assert [bot.name for bot in load_league(Path("deep/weekly.yaml")).bots] == ["ann"]


def test_variants_with_options_overrides_and_labels(tmp_path: Path) -> None:
    text = TWO + (
        "variants:\n"
        "  - classic\n"
        "  - {variant: pressman, calza: true, lost_dice_visible: true, starting_dice: 3}\n"
        "  - {variant: italian, overrides: {palifico_once: true, reveal: unstated}}\n"
        "  - {variant: bga, label: house}\n"
    )
    assert load_league(write(tmp_path, text)).variants == {
        "classic": CLASSIC,
        "pressman+calza+visible+3 dice": variant(
            "pressman", {}, calza=True, lost_dice_visible=True, starting_dice=3
        ),
        "italian+palifico_once+reveal": variant(
            "italian", {"palifico_once": True, "reveal": "unstated"}
        ),
        "house": BGA,
    }


def test_override_without_effect_keeps_the_label_of_the_rule_book(tmp_path: Path) -> None:
    same = ITALIAN.palifico_once
    text = f"variants: [{{variant: italian, overrides: {{palifico_once: {str(same).lower()}}}}}]\n"
    assert load_league(write(tmp_path, TWO + text)).variants == {"italian": ITALIAN}
    assert PRESSMAN.palifico_once


def test_too_few_bots_for_the_largest_table_are_refused(tmp_path: Path) -> None:
    league = load_league(write(tmp_path, TWO + "players: [2, 3]\n"))
    with pytest.raises(ArenaError, match="2 bots are too few for tables of 3") as caught:
        check_bot_count(league)
    assert caught.value.where == f"{league.path}:2:1"
    check_bot_count(load_league(write(tmp_path, TWO)))


def test_yaml_anchor_without_an_alias_is_harmless(tmp_path: Path) -> None:
    assert load_league(write(tmp_path, TWO + "name: &name Weekly\n")).name == "Weekly"
