"""A league that cannot be played: one line that says what, where and what mends it."""

import os
from pathlib import Path

import pytest

from tests.cli.command import FIELD, LOWEST, ROOT, bot, error_line, league, run

TEXTS = {
    "a bracket that is not closed": (
        "bots: [sample:odds\ngames: 2\n",
        ["bad YAML: ", "/ league.yaml:2:6"],
    ),
    "a tab": ("bots: [sample:odds]\n\tgames: 2\n", ["bad YAML: ", "/ league.yaml:2:1"]),
    "nothing": ("", ["the file is empty / league.yaml / arena help league"]),
    "a list": ("- sample:odds\n", ["league.yaml:1:1"]),
    "not text": (b"bots: \xff\xfe\n", ["cannot be read: ", "/ league.yaml"]),
    "a key twice": ("games: 1\nbots: []\ngames: 2\n", ["duplicate key 'games' / league.yaml:3:1"]),
    "no bots": ("games: 2\n", ["missing key 'bots' / league.yaml"]),
    "an unknown key": (
        "bots: ['sample:*']\nvariant: [bga]\n",
        ["unknown key 'variant' / league.yaml:2:1 / did you mean 'variants'?"],
    ),
    "an unknown key inside": (
        "bots: ['sample:*']\nlimits:\n  anwser: 2\n",
        ["unknown key 'anwser' / league.yaml:3:3 / did you mean 'answer'?"],
    ),
    "a tagged value": (
        "bots: ['sample:*']\npin: !!bool x\n",
        ["bad YAML: the tag tag:yaml.org,2002:bool is not supported / league.yaml:2:6 / write"],
    ),
    "a long file": ("# " + "x" * 2**20, ["larger than 1,024 KiB / league.yaml"]),
    "a deep file": (
        "bots: " + "[" * 9,
        ["values more than 8 deep in one another / league.yaml:1:"],
    ),
    "too many values": ("bots: [" + "[], " * 20_000, ["more than 20,000 values / league.yaml:1:"]),
    "a number of thousands of digits": (
        "bots: ['sample:*']\nseed: " + "9" * 5000,
        ["a number of more than 100 characters / league.yaml:2:7"],
    ),
    "a name too long for a file": (
        f"bots: [{'x' * 256}]\n",
        ["names no folder: File name too long / league.yaml:1:8"],
    ),
    "a path too long": (f"bots: [{'x/' * 3000}]\n", ["/ league.yaml:1:8"]),
    "a pattern too long": (f"bots: ['{'x' * 256}/*']\n", ["/ league.yaml:1:8"]),
    "a name with a NUL": (
        'bots: ["a\\0b"]\n',
        ["no such bot folder: ", "a\\x00b / league.yaml:1:8"],
    ),
    "a tag that runs code": (
        "bots: !!python/object/apply:os.system ['touch harmed']\n",
        ["bad YAML: ", "/ league.yaml:1:7"],
    ),
}

KEYS = {
    "an unknown variant": (
        {"variants": ["bga", "presman"]},
        ["unknown variant 'presman' / league.yaml:", " / did you mean 'pressman'?"],
    ),
    "an unknown variant with options": (
        {"variants": [{"variant": "italain", "calza": True}]},
        ["unknown variant 'italain' / league.yaml:", " / did you mean 'italian'?"],
    ),
    "an unknown switch": (
        {"variants": [{"variant": "bga", "overrides": {"palifico_onse": True}}]},
        ["palifico_onse", "/ league.yaml:", "/ did you mean 'palifico_once'?"],
    ),
    "one variant twice": (
        {"variants": ["bga", "bga"]},
        ["two variants are called 'bga' / league.yaml:", "give one of them a `label`"],
    ),
    "no variant": ({"variants": []}, ["variants is empty / league.yaml:"]),
    "7 players": ({"players": 7}, ["players must be 2 to 6, not 7 / league.yaml:"]),
    "1 player": ({"players": [2, 1]}, ["must be 2 to 6, not 1 / league.yaml:"]),
    "players in words": ({"players": "two"}, ["players: ", "/ league.yaml:"]),
    "too few bots": (
        {"players": [2, 4]},
        ["3 bots are too few for tables of 4 / league.yaml:9:2 / name more bots"],
    ),
    "no blocks": (
        {"blocks": 0},
        ["blocks must be 1 to 10000, not 0 / league.yaml:9:2 / leave it out"],
    ),
    "until without a budget": (
        {"until": "separated"},
        ["until needs a budget / league.yaml:9:2 / give the most blocks", "`blocks: 100`"],
    ),
    "until what": (
        {"until": "seperated", "blocks": 60},
        [
            (
                "until must be 'separated' or 'winner', not 'seperated' / league.yaml:9:2"
                " / write `until: separated` or `until: winner`"
            )
        ],
    ),
    "until in per cent": (
        {"until": {"separated": 95}, "blocks": 60},
        ["until.separated must be 0.5 to 0.9999, not 95 / league.yaml:10:3 / 0.95 stands for 95 %"],
    ),
    "a budget too small to decide": (
        {"blocks": 5, "until": "separated"},
        ["5 blocks end before the first decision", "after 8 / league.yaml:9:2 / at least `blocks"],
    ),
    "no games": ({"games": 0}, ["games must be 1 to 100000, not 0 / league.yaml:"]),
    "less than once": (
        {"limits": {"wall": 0.5}},
        ["limits.wall", "1 to 1000, not 0.5 / league.yaml:"],
    ),
    "no time": (
        {"limits": {"answer": 0}},
        ["limits.answer", "above 0 and up to 86400 seconds, not 0 / league.yaml:"],
    ),
    "an unknown rating option": (
        {"ratings": {"ancor": "odds"}},
        ["unknown key 'ancor' / league.yaml:10:3 / did you mean 'anchor'?"],
    ),
    "an anchor that does not play": (
        {"ratings": {"anchor": "ods"}},
        ["the anchor 'ods' does not play in this league / league.yaml:10:3 / did you mean 'odds'?"],
    ),
    "a chance above one": (
        {"ratings": {"alpha": 5}},
        ["ratings.alpha must be 0 to 0.5, not 5 / league.yaml:10:3 / "],
    ),
    "no workers": ({"workers": 0}, ["workers must be 1 to 1024, not 0 / league.yaml:"]),
    "a long name": (
        {"name": "x" * 201},
        ["name has at most 200 characters, all of them visible / league.yaml:9:2"],
    ),
    "a seed of two lines": ({"seed": "a\nb"}, ["seed has at most 200", "/ league.yaml:8:2"]),
    "a long label": (
        {"variants": [{"variant": "bga", "label": "x" * 201}]},
        ["variants[0].label has at most 200 characters", "/ league.yaml:12:4"],
    ),
    "a long image": ({"images": {"c": "x" * 201}}, ["images.c has at most 200", "/ league.yaml:"]),
    "too many entries": (
        {"bots": ["sample:odds"] * 1001},
        ["bots has 1,001 entries, at most 1,000 / league.yaml:2:2"],
    ),
    "an unknown sandbox": (
        {"sandbox": "bubblewarp"},
        ["unknown sandbox 'bubblewarp' / ", "did you mean 'bubblewrap'?"],
    ),
    "an unknown sample bot": (
        {"bots": ["sample:ods"]},
        ["there is no sample bot 'ods' / league.yaml:", "did you mean 'odds'?"],
    ),
    "a missing folder": (
        {"bots": [*FIELD, "bots/none"]},
        ["no such bot folder", "bots/none", "/ league.yaml:6:"],
    ),
    "a pattern without bots": ({"bots": ["none/*"]}, ["no bot folder matches 'none/*' / league.y"]),
}


@pytest.mark.parametrize(("text", "parts"), TEXTS.values(), ids=TEXTS)
def test_unreadable_league_file_is_refused(
    tmp_path: Path, text: str | bytes, parts: list[str]
) -> None:
    content = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "league.yaml").write_bytes(content)
    ran = run("run", "league.yaml", cwd=tmp_path)
    assert ran.err.count("\n") == 1
    error_line(ran, *parts)
    assert [path.name for path in tmp_path.iterdir()] == ["league.yaml"]


@pytest.mark.parametrize(("keys", "parts"), KEYS.values(), ids=KEYS)
def test_invalid_league_is_refused(
    tmp_path: Path, keys: dict[str, object], parts: list[str]
) -> None:
    league(tmp_path, **keys)
    ran = run("run", "league.yaml", cwd=tmp_path)
    assert ran.err.count("\n") == 1
    error_line(ran, *parts)
    assert [path.name for path in tmp_path.iterdir()] == ["league.yaml"]


@pytest.mark.parametrize("command", ["run", "verify", "report"])
def test_missing_league_is_refused(tmp_path: Path, command: str) -> None:
    error_line(run(command, "league.yaml", cwd=tmp_path), "no such file / league.yaml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["run", "verify", "report"])
def test_folder_instead_of_a_league_is_refused(tmp_path: Path, command: str) -> None:
    error_line(run(command, ".", cwd=tmp_path), " / .")


@pytest.mark.parametrize("command", ["run", "rerun", "report"])
def test_fifo_instead_of_a_league_is_refused(tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    ran = run(command, "fifo", *["0"] * (command == "rerun"), cwd=tmp_path)
    error_line(ran, " / fifo")


def test_one_error_names_every_bot_that_cannot_be_read(tmp_path: Path) -> None:
    """The bots that a pattern matches are corrected together, not one in each run."""
    bot(tmp_path / "bots/a")
    bot(tmp_path / "bots/b", comand="x")
    (bot(tmp_path / "bots/c") / "bot.yaml").write_text("name: !!int c\n")
    (tmp_path / "bots/d.zip").write_bytes(b"PK")
    league(tmp_path, bots=["sample:odds", "bots/*"])
    error_line(
        run("run", "league.yaml", cwd=tmp_path),
        "3 bots cannot be read / ",
        "bots/b/bot.yaml:1:44: unknown key 'comand'; ",
        "bots/c/bot.yaml:1:7: bad YAML: the tag tag:yaml.org,2002:int is not supported; ",
        "bots/d.zip: the archive is damaged: ",
        "/ correct them, or leave them out",
    )
    for number in range(20):
        bot(tmp_path / f"bots/e{number}", command="")
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(ran, "23 bots cannot be read / ", "; and 13 more / ")


def test_two_bots_with_one_name_are_refused(tmp_path: Path) -> None:
    bot(tmp_path / "one/bots/same", LOWEST)
    bot(tmp_path / "two/bots/same", LOWEST)
    league(tmp_path, bots=["one/bots/same", "two/bots/same"])
    ran = run("run", "league.yaml", cwd=tmp_path)
    hint = "two/bots/same / change `name` in the bot.yaml of one of them"
    error_line(ran, "two bots are called 'same' / ", "one/bots/same, ", hint)


USAGE: dict[str, tuple[list[str], list[str]]] = {
    "command": (["rnu"], ["unknown command 'rnu' / did you mean 'run'?"]),
    "a command of other programs": (
        ["upload", "my-bot"],
        ["unknown command 'upload' / did you mean 'arena submit'?"],
    ),
    "the version": (["version"], ["did you mean 'arena --version'?"]),
    "no command near": (["zzz"], ["unknown command 'zzz' / known: ", "check", "verify"]),
    "option": (["run", "league.yaml", "--wrokers", "2"], ["--wrokers", "/ arena run / see: "]),
    "number": (["run", "league.yaml", "--workers", "many"], ["many", "/ arena run / see: arena"]),
    "range": (["run", "league.yaml", "--workers", "0"], ["--workers", "/ arena run / see: arena"]),
    "no argument": (["run"], ["LEAGUE", "/ arena run / see: arena run --help"]),
    "too many": (["run", "a", "b"], ["b", "/ arena run / see: arena run --help"]),
    "no bot": (["check"], ["BOT", "/ arena check / see: arena check --help"]),
    "sandbox": (
        ["check", str(ROOT / "sample_bots/odds"), "--sandbox", "proces"],
        ["unknown sandbox 'proces' / did you mean 'process'?"],
    ),
    "no bot.yaml": (["check", "."], ["no bot.yaml in the bot's folder / . / arena help protocol"]),
    "transcript": (
        ["check", str(ROOT / "sample_bots/odds"), "--transcript", "bag"],
        ["unknown variant 'bag'", "did you mean 'bga'?"],
    ),
    "variant": (
        ["perft", "bag", "--players", "2", "--starting-dice", "1"],
        ["unknown variant 'bag'", "did you mean 'bga'?"],
    ),
    "perft players": (
        ["perft", "bga", "--players", "7", "--starting-dice", "1"],
        ["--players", "7", "/ arena perft / see: arena perft --help"],
    ),
    "perft without dice": (
        ["perft", "bga", "--players", "2"],
        ["--starting-dice", "/ arena perft"],
    ),
    "no positions": (["judge", "none.jsonl"], ["cannot be read: ", "/ none.jsonl"]),
    "a folder of positions": (["judge", "."], ["cannot be read: ", "/ ."]),
}


@pytest.mark.parametrize(("arguments", "parts"), USAGE.values(), ids=USAGE)
def test_wrong_command_line_is_refused(
    tmp_path: Path, arguments: list[str], parts: list[str]
) -> None:
    ran = run(*arguments, cwd=tmp_path)
    assert (ran.out, ran.err.count("\n")) == ("", 1)
    error_line(ran, *parts)
