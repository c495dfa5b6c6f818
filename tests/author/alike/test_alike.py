"""`arena alike`: planted copies stand at the top, in whatever disguise and language."""

import json
import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from arena.author.alike import by_behaviour
from arena.bots.kits import create
from arena.game.rules.books import BGA
from tests.author.alike.plants import HARMLESS, ORIGINAL, PLANTS, Plant, hand_ins, original, write
from tests.cli.command import Ran, error_line, run
from tests.support.depth import depth

POSITIONS = 100
HOW = ("--positions", POSITIONS, "--seed", "alike", "--sandbox", "process", "--json")
COPIES = {"original", "in-an-archive", "no-ending", *PLANTS}
Found = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return hand-ins: copies, one written apart and its copy that does not start, a kit."""
    made = hand_ins(tmp_path_factory.mktemp("alike") / "hand-ins", PLANTS)
    write(made / "no-ending", Plant("bot", ORIGINAL, "python3 bot"))
    write(made / "crashes", Plant("bot.py", HARMLESS, "python3 absent.py"))
    packed = write(made.parent / "packed", original())
    shutil.make_archive(str(made / "in-an-archive"), "zip", packed)
    create(made / "kit", "python")
    (made / "broken").mkdir()
    (made / "notes.txt").write_text("not a hand-in", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def ran(folder: Path) -> Ran:
    """Return what the command says of them, as JSON."""
    page = folder.parent / "alike.html"
    return run("alike", folder, *HOW, "--page", page, "--trust-bots", cwd=folder.parent)


@pytest.fixture(scope="module")
def found(ran: Ran) -> Found:
    assert ran.code == 0, ran.err
    data: Found = json.loads(ran.out)
    return data


def names(pair: Found) -> set[str]:
    return {pair["one"], pair["other"]}


def pair_of(found: Found, *both: str) -> Found:
    pairs: list[Found] = [pair for pair in found["pairs"] if names(pair) == set(both)]
    assert len(pairs) == 1
    return pairs[0]


def bot(found: Found, name: str) -> Found:
    bots: dict[str, Found] = {one["name"]: one for one in found["bots"]}
    return bots[name]


@pytest.mark.slow
def test_all_planted_pairs_stand_at_the_top_and_no_other_stands_out(found: Found) -> None:
    planted = [list(pair) for pair in combinations(sorted(COPIES), 2)]
    planted.append(["apart", "crashes"])
    out = [sorted(names(pair)) for pair in found["pairs"] if pair["unusual"] > 0]
    assert sorted(out) == sorted(planted)


@pytest.mark.parametrize("copy", ["renamed", "in-an-archive"])
def test_identical_is_all_of_it(found: Found, copy: str) -> None:
    pair = pair_of(found, "original", copy)
    assert pair["unusual"] == 1
    assert (pair["text"]["of_one"], pair["text"]["of_other"]) == (1, 1)
    assert pair["behaviour"]["alike"] == 1


def test_behaviour_crosses_languages(found: Found) -> None:
    pair = pair_of(found, "original", "another-language")
    assert pair["text"]["of_one"] == 0
    assert pair["behaviour"] == {
        "positions": POSITIONS,
        "alike": 1,
        "one_itself": 1,
        "other_itself": 1,
    }


def test_positions_are_those_of_the_seed(found: Found) -> None:
    assert found["seed"] == "alike"
    bots = ["one", "two", "three", "four"]
    drawn = [
        {fixture.seed for fixture, _ in by_behaviour._fixtures(bots, POSITIONS, seed, BGA)}
        for seed in ("alike", "alike", "another")
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0].isdisjoint(drawn[2])


def test_any_two_are_shown_beside(found: Found) -> None:
    ordinary = found["any_behaviour"]
    assert 0.1 < ordinary["median"] < ordinary["line"] < 1
    assert ordinary["median"] <= ordinary["ninety"] <= 1
    apart = pair_of(found, "original", "apart")
    assert apart["behaviour"]["alike"] < ordinary["line"]
    assert apart["unusual"] < 0


def test_a_kit_is_named_and_in_no_pair(found: Found) -> None:
    kit = bot(found, "kit")
    assert kit["not_its_own"]
    assert kit["shared_with"]["kit python"] == 1
    assert kit["decides_like"]["kit python"] == 1
    assert not [pair for pair in found["pairs"] if "kit" in names(pair)]


def test_bots_that_cannot_be_compared_are_named(found: Found) -> None:
    assert [one["name"] for one in found["left_out"]] == ["broken"]
    assert bot(found, "no-ending")["files"] == 0
    assert pair_of(found, "no-ending", "original")["text"] is None
    assert bot(found, "crashes")["answered"] == 0
    assert pair_of(found, "crashes", "original")["behaviour"] is None


def test_page_has_both_places_side_by_side(found: Found, folder: Path) -> None:
    page = (folder.parent / "alike.html").read_text(encoding="utf-8")
    assert "def believable(turn, quantity, face, wild):" in page
    assert page.count("<script") == 0
    assert "given to all: kit." in page
    assert "Left out: broken: " in page
    place = pair_of(found, "original", "reordered")["text"]["places"][0]
    for part in (place["one"], place["other"]):
        assert f"{part['file']}, lines {part['first']} to {part['last']}" in page


@pytest.mark.slow
def test_no_pair_of_sample_bots_is_unexplained(tmp_path: Path) -> None:
    """Those that stand out begin with the same code: sample_bots/README.md says so."""
    ran = run("alike", "sample:*", *HOW, *depth(("--positions", 0), ()), cwd=tmp_path)
    assert ran.code == 0, ran.err
    pairs = json.loads(ran.out)["pairs"]
    out = [names(pair) for pair in pairs if pair["unusual"] > 0]
    assert out == [{"equilibrium", "odds"}, {"memory", "odds"}]
    for one in ("honest", "odds"):
        ran = run(
            "alike", f"sample:{one}", "sample:random", "--positions", 0, "--json", cwd=tmp_path
        )
        assert json.loads(ran.out)["pairs"][0]["unusual"] < 0


def test_common_folders_are_nobodys_own(tmp_path: Path) -> None:
    folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
    given = write(tmp_path / "given", original())
    options = ("--positions", 0, "--common", given)
    ran = run("alike", folder, *options, "--json", cwd=tmp_path)
    found = json.loads(ran.out)
    assert bot(found, "original")["not_its_own"]
    assert found["pairs"] == []


def test_the_places_are_printed(tmp_path: Path) -> None:
    folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
    ran = run("alike", folder, "--positions", 0, cwd=tmp_path)
    lines = ran.out.splitlines()
    assert lines[0] == "1 of 3 pairs is more alike than others are"
    assert re.fullmatch(r"original and renamed +100 % / 100 % +- +1.00", lines[2])
    assert re.fullmatch(r"  bot.py 2-54 and bot.py 2-54: \d+ tokens", lines[-6])


class TestBadInput:
    """Bad input is refused with one line and exit code 2."""

    def test_a_folder_without_bots(self, tmp_path: Path) -> None:
        (tmp_path / "empty" / "notes").mkdir(parents=True)
        error_line(
            run("alike", tmp_path / "empty", cwd=tmp_path), "no bots in this folder", "empty"
        )

    def test_one_bot_alone(self, tmp_path: Path) -> None:
        error_line(run("alike", "sample:odds", cwd=tmp_path), "it takes two bots", "BOT")

    def test_a_bot_that_is_not_there(self, tmp_path: Path) -> None:
        error_line(
            run("alike", "sample:odds", "absent", cwd=tmp_path), "no such bot folder", "absent"
        )

    def test_no_source(self, tmp_path: Path) -> None:
        bots = [write(tmp_path / name, Plant("bot", ORIGINAL, "python3 bot")) for name in "ab"]
        ran = run("alike", *bots, "--positions", 0, cwd=tmp_path)
        error_line(ran, "no source in a language that is known", "--positions 0")

    def test_binary_only(self, tmp_path: Path) -> None:
        bots = [write(tmp_path / name, Plant("bot.c", "\0" * 99, "./bot")) for name in "ab"]
        ran = run("alike", *bots, "--positions", 0, cwd=tmp_path)
        error_line(ran, "its source is not read: bot.c (larger than 256 KiB")

    def test_a_page_that_cannot_be_written(self, tmp_path: Path) -> None:
        folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
        page = tmp_path / "absent" / "page.html"
        ran = run("alike", folder, "--positions", 0, "--page", page, cwd=tmp_path)
        error_line(ran, "cannot be written", "page.html")

    def test_a_common_folder_that_is_not_there(self, tmp_path: Path) -> None:
        folder = hand_ins(tmp_path / "hand-ins", ["renamed"])
        ran = run("alike", folder, "--positions", 0, "--common", "absent", cwd=tmp_path)
        error_line(ran, "cannot be read", "absent")
