"""Rules of a house: a file of switches, in league.yaml and wherever a rule book is named."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.game.rules.books import BGA, BOOKS, PRESSMAN, Rules, book_of, variant
from arena.io.errors import ArenaError
from arena.league.terms.config import load_league
from arena.league.terms.house import entry_of, load_house, rules_named
from tests.cli.command import ROOT, error_line, run

HOUSES = ROOT / "examples" / "houses"
TWO = "bots: ['sample:honest', 'sample:random']\n"
HOUSE = """name: ours
base: pressman
switches: {palifico: false, next_opener: left}
calza: true
starting_dice: 3
"""
OURS = msgspec.structs.replace(
    PRESSMAN,
    name="ours",
    base="pressman",
    palifico=False,
    next_opener="left",
    calza=True,
    starting_dice=3,
)


def write(folder: Path, text: str, name: str = "house.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def variants(folder: Path, entry: str) -> dict[str, Rules]:
    return load_league(write(folder, f"{TWO}variants: [{entry}]\n", "weekly.yaml")).variants


def test_a_file_of_rules(tmp_path: Path) -> None:
    assert load_house(write(tmp_path, HOUSE)) == OURS
    assert book_of(OURS) == PRESSMAN


def test_a_name_is_enough(tmp_path: Path) -> None:
    rules = load_house(write(tmp_path, "name: as bga\n"))
    assert rules == msgspec.structs.replace(BGA, name="as bga", base="bga")


def test_a_league_plays_it_with_options_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, HOUSE)
    assert variants(tmp_path, "{rules: house.yaml}") == {"ours": OURS}
    changed = "{rules: house.yaml, calza: false, starting_dice: 5, overrides: {reveal: at_once}}"
    [(label, rules)] = variants(tmp_path, changed).items()
    assert label == "ours+5 dice+reveal"
    assert (rules.calza, rules.starting_dice, rules.reveal) == (False, 5, "at_once")
    assert [*variants(tmp_path, "{rules: {name: inside}, label: here}")] == ["here"]


def test_an_entry_gives_the_same_rules(tmp_path: Path) -> None:
    for rules in (OURS, variant("classic", {"palifico": False}, calza=True), *BOOKS.values()):
        entry = json.dumps(entry_of(rules))
        assert [*variants(tmp_path, entry).values()] == [rules]


def test_stored_rules_have_only_the_switches_that_houses_change() -> None:
    stored: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(OURS))
    assert set(stored) - set(msgspec.json.decode(msgspec.json.encode(PRESSMAN))) == {
        "base",
        "palifico",
        "next_opener",
    }
    assert msgspec.convert(stored, Rules) == OURS


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        ("", "", "the file is empty", "for example `name: our house`"),
        ("base: bga\n", ":1:1", "missing key 'name'", ""),
        ("name: bga\n", ":1:1", "'bga' is a rule book of the arena", "a name of their own"),
        ("name: ''\n", ":1:1", "a name has 1 to 40 characters", "for example"),
        ("name: a\nbase: presman\n", ":2:1", "unknown rule book 'presman'", "'pressman'"),
        ("name: a\nswitch: {}\n", ":2:1", "unknown key 'switch'", "'switches'"),
        (
            "name: a\nswitches:\n  palifico: false\n  ones_hihg: true\n",
            ":4:3",
            "unknown rule switch 'ones_hihg'",
            "'ones_high'",
        ),
        ("name: a\nswitches: {calza: true}\n", ":2:12", "is an option", "one level up"),
        (
            "name: a\nswitches: {next_opener: winer}\n",
            ":2:12",
            "next_opener 'winer'",
            "'winner'",
        ),
        ("name: a\nstarting_dice: 11\n", ":2:1", "1 to 10 dice", ""),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: str, what: str, hint: str) -> None:
    with pytest.raises(ArenaError) as refused:
        load_house(write(tmp_path, text))
    assert what in refused.value.what
    assert refused.value.where.endswith(f"house.yaml{line}")
    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "line", "what"),
    [
        ("{rules: none.yaml}", "none.yaml", "no such file"),
        ("{variant: house.yaml}", ":2:13", "is a file, not a rule book"),
        ("{label: a}", ":2:12", "a variant names a rule book or the rules of a house"),
        ("{variant: bga, rules: h.yaml}", ":2:12", "a variant names a rule book or the rules"),
        ("{rules: {name: a, switches: {palifica: true}}}", ":2:41", "unknown rule switch"),
    ],
)
def test_errors_of_a_league_name_the_line(tmp_path: Path, entry: str, line: str, what: str) -> None:
    with pytest.raises(ArenaError) as refused:
        variants(tmp_path, entry)
    assert what in refused.value.what
    assert refused.value.where.endswith(line)


def test_palifico_is_a_switch(tmp_path: Path) -> None:
    [rules] = variants(tmp_path, "{variant: bga, overrides: {palifico: false}}").values()
    assert not rules.palifico


def test_the_examples_are_five_houses_in_a_league() -> None:
    league = load_league(HOUSES / "league.yaml")
    assert len(league.variants) == 6
    files = [path for path in HOUSES.glob("*.yaml") if path.stem != "league"]
    assert {load_house(path).name for path in files} | {"liars-dice"} == {*league.variants}


def test_a_name_that_is_no_book_says_that_a_file_will_do() -> None:
    with pytest.raises(ArenaError) as refused:
        rules_named("presman")
    assert refused.value.hint == "did you mean 'pressman'?, or a file of rules: NAME.yaml"


# ---------------------------------------------------------------- commands


def test_rules_are_printed_and_compared() -> None:
    house = str(HOUSES / "twice.yaml")
    assert "FROM-PACOS" in run("rules", house, cwd=ROOT).out
    ran = run("rules", "--diff", "classic", house, cwd=ROOT)
    shown = [line.partition(":")[0] for line in ran.out.splitlines() if line[:1].isupper()]
    assert shown == ["TO-PACOS", "FROM-PACOS", "CALZA-WHO", "LOST-DICE"] or shown == [
        "TO-PACOS",
        "FROM-PACOS",
        "LOST-DICE",
    ]
    assert "  twice is enough: at least twice as many, of any face" in ran.out


def test_positions_are_judged_by_it() -> None:
    position = {
        "variant": "no palifico",
        "dice": [[1, 4], [2, 3]],
        "round": {"kind": "normal", "starter": 0},
        "actions": [{"seat": 0, "do": "bid", "quantity": 1, "face": 1}],
    }
    line = json.dumps(position)
    ran = run("judge", "--rules", str(HOUSES / "no-palifico.yaml"), cwd=ROOT, stdin=line)
    verdict = json.loads(ran.out)
    assert (ran.code, verdict["verdict"], verdict["calza"]) == (0, "open", [1])
    error_line(run("judge", cwd=ROOT, stdin=line), "unknown variant 'no palifico'")


def test_sequences_are_counted_by_it(tmp_path: Path) -> None:
    size = ("--players", "2", "--starting-dice", "1")
    counts = [
        int(run("perft", name, *size, cwd=ROOT).out)
        for name in ("bga", str(HOUSES / "no-palifico.yaml"))
    ]
    assert counts[0] < counts[1]


@pytest.mark.slow
def test_a_table_plays_by_it_and_needs_no_file_later(tmp_path: Path) -> None:
    house, folder = write(tmp_path, HOUSE), tmp_path / "table"
    bots = ("sample:honest", "sample:random")
    words = ("--variant", str(house), "--games", "2", "--into", str(folder), "--sandbox")
    assert run("play", *bots, *words, "process", cwd=tmp_path).code == 0
    house.unlink()
    league = folder / "league.yaml"
    assert run("verify", str(league), cwd=tmp_path).code == 0
    site = tmp_path / "site"
    assert run("report", str(league), cwd=tmp_path).code == 0
    page = (site / "rules.html").read_text(encoding="utf-8")
    assert "rules of a house, from pressman" in page
    assert "the player to the left of the last opener" in page
