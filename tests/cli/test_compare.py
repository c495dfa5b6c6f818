"""`arena compare`: what it prints, that it is right, and what it refuses."""

import json
import re
import shutil
from pathlib import Path

import pytest

from arena.author.compare.compare import CompareRequest, compare
from arena.game.records import Conditions
from arena.io import shipped
from arena.league.play.dispatcher import RunListener
from tests.cli.command import ROOT, TRUSTED, bot, error_line, run
from tests.support.depth import depth
from tests.support.model_leagues import write_league
from tests.support.model_server import say, serving

SAMPLES = ROOT / "sample_bots"
ALONE = (*TRUSTED, "--workers", 1)
SHORT = ("--blocks", 4, "--games", 2, *ALONE)
"""Little to play, by one worker process."""
SHORTER = ("--blocks", 2, "--games", 2, *ALONE)
FIELD = ("--against", "sample:honest", "--against", "sample:memory")


def strength(out: str) -> list[str]:
    """Return the lines on strength."""
    return out.split("\n\n", maxsplit=1)[0].splitlines()


@pytest.mark.slow
def test_better_version_is_reported_as_better(tmp_path: Path) -> None:
    ran = run("compare", "sample:random", "sample:odds", *FIELD, *SHORT, cwd=tmp_path)
    assert ran.code == 0, ran.err
    head, table, honest, memory, last = strength(ran.out)
    assert re.split("  +", head) == [
        "rivals beaten",
        "old",
        "new",
        "new - old",
        "95 %",
        "games",
        "better",
    ]
    assert table.startswith("bga, 2 players ")
    assert float(table.split("%")[2]) > 0
    assert honest.startswith("against honest ")
    assert memory.startswith("against memory ")
    assert table.split()[-2:] == ["16", "new"]
    assert [line.split()[-1] for line in (honest, memory)] == ["8", "8"]
    assert last.startswith("new is better with probability ")
    assert last.endswith("; 16 games each; faults: old 0, new 0")
    assert float(last.split("probability ")[1].split("%")[0]) > 95
    assert "field: honest, memory; sandbox: process\n" in ran.err
    assert "to play the same games again: --seed " in ran.err.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.slow
def test_json_and_a_seed_play_the_same_games_again(tmp_path: Path) -> None:
    arguments = ["compare", "sample:honest", "sample:odds", *FIELD, *SHORTER, "--players", 3]
    arguments += ["--variant", "italian", "--seed", "mine", "--json"]
    ran = run(*arguments, "--workers", 2, cwd=tmp_path)
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    assert (said["old"], said["new"], said["games"]) == ("sample:honest", "sample:odds", 8)
    share = said["rivals_beaten"]
    assert share["difference"] == pytest.approx(share["new"] - share["old"])
    assert share["low"] <= share["difference"] <= share["high"]
    assert said["better"] == share["above"]
    [division] = said["divisions"]
    assert (division["variant"], division["players"], division["games"]) == ("italian", 3, 8)
    assert 1 <= division["mean_place"]["new"] <= 3
    assert [one["bot"] for one in said["opponents"]] == ["honest", "memory"]
    assert said["conditions"]["seed"] == "mine"
    assert list(said["conditions"]["variants"]) == ["italian"]
    again = said["behaviour"]
    assert (again["tables"], again["faults"]) == (1, {"old": 0, "new": 0})
    assert again["differences"][0]["kind"] == "all decisions"
    assert again["differences"][0]["versions"]["positions"] > 0
    assert {"request", "old", "new", "seats", "variant"} <= again["examples"][0].keys()
    assert run(*arguments, cwd=tmp_path).out == ran.out


@pytest.mark.slow
def test_changes_of_behaviour_are_shown_by_kind_and_by_example(tmp_path: Path) -> None:
    arguments = ["compare", "sample:honest", "sample:bluffer", *FIELD, *SHORTER, "--seed", "mine"]
    ran = run(*arguments, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "asking both versions again what they decide at 1 of the tables\n" in ran.err
    head, first, *lines = ran.out.split("\n\n")[1].splitlines()
    columns = ["decided differently", "old to new", "old again", "new again", "positions"]
    assert re.split("  +", head) == columns
    name, to_new, old_again, new_again, positions = re.split("  +", first)
    assert (name, old_again) == ("all decisions", "0.0 %")
    assert float(to_new.removesuffix(" %")) > 0
    assert float(new_again.removesuffix(" %")) > 0
    assert int(positions) > 10
    assert any(re.fullmatch("opening bid .* %  +[0-9]+", line) for line in lines)
    example = (
        r"for example \(bga, 2 players(, palifico)?\), with [1-6 ]+( of \d+ dice)?"
        r" (to open|after \d+ \w+ by (honest|memory)): old (dudo|\d+ \w+), new (dudo|\d+ \w+)"
    )
    examples = [line for line in lines if line.startswith("for")]
    assert 1 <= len(examples) <= 3
    assert all(re.fullmatch(example, line) for line in examples)


UNTIL = ["compare", "sample:random", "sample:odds", *FIELD, *ALONE, "--games", 3]
UNTIL += ["--until", 0.95, "--blocks", 40, "--seed", "mine"]


@pytest.mark.slow
def test_until_says_what_was_decided_and_when(tmp_path: Path) -> None:
    ran = run(*UNTIL, "--test", "planned", cwd=tmp_path)
    assert ran.code == 0, ran.err
    _, table, all_, *_, last = strength(ran.out)
    assert table.startswith("bga, 2 players ")
    assert all_.startswith("all, 95 % at all looks ")
    assert all_.endswith("  new")
    found = re.fullmatch(
        r"new is better at 95 %, after (\d+) of 40 blocks, by rivals beaten;"
        r" (\d+) games each; faults: old 0, new 0",
        last,
    )
    assert found
    assert int(found[2]) == int(found[1]) * 3 * 2


@pytest.mark.slow
@pytest.mark.parametrize("test", depth(("ratio",), ("ratio", "planned")))
def test_until_has_every_look_as_json(tmp_path: Path, test: str) -> None:
    said = json.loads(run(*UNTIL, "--test", test, "--json", cwd=tmp_path).out)
    assert said["until"] == {"confidence": 0.95, "test": test, "points": 5}
    assert said["decision"] == "new"
    *_, look = said["looks"]
    assert look["rivals_beaten"] == said["rivals_beaten"]
    assert (look["decision"], said["games"]) == ("new", look["blocks"] * 3 * 2)


@pytest.mark.slow
def test_several_variants_and_table_sizes_have_a_line_each_and_one_for_all(tmp_path: Path) -> None:
    arguments = ["compare", "sample:random", "sample:odds", *FIELD, *SHORTER]
    shapes = ["--variant", "bga", "--variant", "italian", "--players", 3, "--players", 2]
    ran = run(*arguments, *shapes, "--players", 2, cwd=tmp_path)
    assert ran.code == 0, ran.err
    _, *tables, all_, honest, memory, last = strength(ran.out)
    assert [line.split("  ")[0] for line in tables] == [
        "bga, 3 players",
        "bga, 2 players",
        "italian, 3 players",
        "italian, 2 players",
    ]
    assert all_.startswith("all, equally weighted ")
    lines = [*tables, all_, honest, memory]
    counts = [re.split("  +", line)[5] for line in lines]
    assert counts == ["8", "8", "8", "8", "32", "24", "24"]
    assert "; 32 games each; " in last


def test_until_says_that_neither_version_is_better(tmp_path: Path) -> None:
    arguments = ["compare", "sample:honest", "sample:honest", *FIELD, *ALONE, "--games", 1]
    arguments += ["--until", 0.8, "--points", 30, "--blocks", 20]
    ran = run(*arguments, cwd=tmp_path)
    assert ran.code == 0, ran.err
    said = "neither is better by 30 points (new - old: +0.0) at 80 %, after 8 of 20 blocks, by "
    assert strength(ran.out)[-1].startswith(said)


def test_until_says_that_nothing_was_decided(tmp_path: Path) -> None:
    arguments = ["compare", "sample:honest", "sample:honest", *FIELD, *SHORTER, "--until", 0.99]
    ran = run(*arguments, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert strength(ran.out)[-1].startswith("not decided at 99 %, after 2 of 2 blocks, by ")


@pytest.mark.slow
def test_salt_is_mixed_into_a_seed_that_the_versions_could_guess(tmp_path: Path) -> None:
    for name in ("old", "new"):
        bot(tmp_path / name)
    arguments = ["compare", "old", "new", *FIELD, "--blocks", 2, "--games", 1, "--json"]
    ran = run(*arguments, "--seed", "mine", "--sandbox", "bubblewrap", cwd=tmp_path)
    assert ran.code == 0, ran.err
    seed = json.loads(ran.out)["conditions"]["seed"]
    first, *between, last = ran.err.splitlines()[1:]
    assert first.startswith("a random salt is mixed into the master seed")
    assert re.fullmatch("mine/[0-9a-f]{32}", seed)
    assert seed not in "".join(between)
    assert last == f"to play the same games again: --seed {seed}"
    again = run(*arguments, "--seed", seed, *ALONE, cwd=tmp_path)
    assert "warning: no salt is mixed in" in again.err
    assert json.loads(again.out)["rivals_beaten"] == json.loads(ran.out)["rivals_beaten"]


def test_two_folders_with_one_name_against_a_pattern(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        bot(tmp_path / "field" / name)
    for version in ("v1", "v2"):
        shutil.copytree(SAMPLES / "bluffer", tmp_path / version)
    ran = run("compare", "v1", "v2", "--against", "field/*", *SHORTER, "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    assert (said["better"], said["rivals_beaten"]["difference"]) == (0.5, 0)
    assert [bot["name"] for bot in said["conditions"]["bots"]] == ["ann", "bob"]


class BegunError(Exception):
    """The comparison is about to play."""


class Notes(RunListener):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def started(self, conditions: Conditions) -> None:
        raise BegunError([bot.name for bot in conditions.bots])


def test_samples_that_start_play_if_no_field_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = tmp_path / "sample_bots"
    for name in ("honest", "random", "sick"):
        shutil.copytree(SAMPLES / name.replace("sick", "honest"), samples / name)
    (samples / "sick" / "bot.py").write_text("import nonumpy\n")
    manifest = samples / "sick" / "bot.yaml"
    manifest.write_text(manifest.read_text().replace("honest", "sick"))
    monkeypatch.setattr(shipped, "folder", lambda _: samples)
    asked = CompareRequest("sample:honest", "sample:random", sandbox="process")
    listener = Notes()
    with pytest.raises(BegunError, match=r"\['honest', 'random'\]"):
        compare(asked, listener)
    [note] = listener.notes
    assert note.startswith("left out: sick does not start: the program ended with exit code 1: ")


ODDS, HONEST = "sample:odds", "sample:honest"
BAD: dict[str, tuple[list[str], list[str]]] = {
    "no bot": (["nowhere", ODDS], ["no such bot folder: ", "nowhere / OLD"]),
    "no new bot": (
        [ODDS, "sample:ods"],
        ["there is no sample bot 'ods' / NEW / did you mean 'odds'?"],
    ),
    "several": (["sample:*", ODDS], ["'sample:*' names ", " bots / OLD / name one"]),
    "no field": ([ODDS, HONEST, "--against", "x/*"], ["no bot folder matches 'x/*' / --against"]),
    "too few": (
        [ODDS, HONEST, "--against", HONEST, "--players", "4"],
        ["1 bots in the field are too few for tables of 4 / --against / name more, or"],
    ),
    "too few for one size": (
        [ODDS, HONEST, "--against", HONEST, "--players", "2", "--players", "3"],
        ["1 bots in the field are too few for tables of 3 / --against / "],
    ),
    "variant": ([ODDS, HONEST, "--variant", "bag"], ["unknown variant 'bag'", "mean 'bga'?"]),
    "second variant": (
        [ODDS, HONEST, "--variant", "bga", "--variant", "italain"],
        ["unknown variant 'italain'", "mean 'italian'?"],
    ),
    "players": ([ODDS, HONEST, "--players", "7"], ["--players", "7", "/ arena compare / see: "]),
    "one block": ([ODDS, HONEST, "--blocks", "1"], ["--blocks", "/ arena compare / see: "]),
    "until": ([ODDS, HONEST, "--until", "1"], ["--until", "/ arena compare / see: "]),
    "test": ([ODDS, HONEST, "--test", "sprt"], ["--test", "/ arena compare / see: "]),
    "points": ([ODDS, HONEST, "--points", "0"], ["--points", "/ arena compare / see: "]),
    "no games": ([ODDS, HONEST, "--games", "0"], ["--games", "/ arena compare / see: "]),
    "one bot": ([ODDS], ["NEW", "/ arena compare / see: arena compare --help"]),
    "sandbox": ([ODDS, HONEST, "--sandbox", "boxx"], ["unknown sandbox 'boxx'"]),
}


@pytest.mark.parametrize(("arguments", "parts"), BAD.values(), ids=BAD)
def test_bad_comparison_is_refused(tmp_path: Path, arguments: list[str], parts: list[str]) -> None:
    ran = run("compare", *arguments, cwd=tmp_path)
    assert (ran.out, ran.err.count("\n")) == ("", 1)
    error_line(ran, *parts)


@pytest.mark.slow
def test_money_that_each_version_cost_is_said(tmp_path: Path) -> None:
    versions = ("asker", "sample:random", "--against", "sample:honest")
    short = ("--blocks", 2, "--games", 2, *ALONE)
    with serving(say("[dudo]", tokens=(100, 10))) as server:
        write_league(tmp_path, server.url)
        ran = run("compare", *versions, *short, "--models", "league.yaml", cwd=tmp_path)
        answers = len(server.asked)
    assert ran.code == 0, ran.err
    said = f"language models, old: {answers:,} answers, {110 * answers:,} tokens, "
    assert said in ran.out
    # Prices are 1 and 10 for a million tokens.
    money = answers * 200 / 1_000_000
    assert f"money {money:.4g}, {money / 4:.4g} a game" in ran.out
    assert "language models, new" not in ran.out
    assert "their models cost money" in ran.err
    error_line(run("compare", *versions, *short, cwd=tmp_path), "it asks language models")


def test_version_that_does_not_start_is_refused(tmp_path: Path) -> None:
    bot(tmp_path / "broken", "raise SystemExit('no')")
    ran = run("compare", ODDS, "broken", *FIELD, *SHORT, cwd=tmp_path)
    error_line(ran, "'broken' does not start: ", "/ see why: arena check ")
