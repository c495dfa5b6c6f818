"""league.yaml and bot.yaml read badly: one ArenaError, with the line, and what mends it."""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.io.errors import ArenaError
from arena.league.terms.config import load_league
from tests.league import leagues
from tests.support.refusals import refused

each_slip = settings(max_examples=100, deadline=None, database=None)

TWO = "bots: ['sample:honest', 'sample:random']\n"
ENTRY = "variants:\n  - variant: bga\n    "
LAUGHS = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20)
)

BAD: dict[str, tuple[str, str, str, str]] = {
    # what is in the file, line:column, words of the error, words of the hint
    "path of an account": (
        TWO + "sandbox_paths: [/usr/share, /etc/passwd]\n",
        "2:29",
        "sandbox_paths: '/etc/passwd' cannot be shown: no bot may see /etc/passwd",
        "name the folder of a language or a library",
    ),
    **{
        f"path {path}": (TWO + f"sandbox_paths: ['{path}']\n", "2:17", words, "/opt/julia")
        for path, words in {
            "/": "no bot may see",
            "/etc": "no bot may see",
            "/etc/shadow": "no bot may see /etc/shadow",
            "/etc/ssh/keys": "cannot be shown",
            "/home/ada/lib": "cannot be shown",
            "/proc/self/root": "no bot may see",
            "/var/lib": "no bot may see",
            "/usr": "is there in every sandbox",
            "/opt/no-such-folder": "No such file or directory",
            "opt/julia": "is not an absolute path",
            "~/julia": "is not an absolute path",
            "/usr/../etc": "is not an absolute path, or has '..'",
            "": "is not an absolute path",
            "/opt/a:b": "has a ':' or an invisible character",
        }.items()
    },
    "unknown key": (TWO + "gmaes: 3\n", "2:1", "unknown key 'gmaes'", "'games'"),
    "far key": (TWO + "zzzzzz: 3\n", "2:1", "unknown key 'zzzzzz'", "known: blocks, bots, enter"),
    "odd key": (TWO + "'a.b[0]': 3\n", "2:1", "unknown key 'a.b[0]'", "known: blocks, bots"),
    "number as key": (TWO + "1: x\n", "2:1", "unknown key '1'", ""),
    "limit's key": (TWO + "limits: {anwser: 3}\n", "2:10", "unknown key 'anwser'", "'answer'"),
    "variant's key": (TWO + ENTRY + "calzza: true\n", "4:5", "unknown key 'calzza'", "'calza'"),
    "variant": (TWO + "variants: [bga, clasic]\n", "2:17", "unknown variant 'clasic'", "'classic'"),
    "switch": (
        TWO + ENTRY + "overrides: {palifico_onse: true}\n",
        "4:17",
        "unknown rule switch 'palifico_onse'",
        "'palifico_once'",
    ),
    "override": (
        TWO + ENTRY + "overrides: {palifico_once: 3}\n",
        "4:17",
        "palifico_once: expected true or false, not a whole number",
        "",
    ),
    "reveal": (TWO + ENTRY + "overrides: {reveal: never}\n", "4:17", "reveal 'never'", "at_once"),
    "no dice": (TWO + ENTRY + "starting_dice: 0\n", "4:5", "1 to 10 dice per seat, not 0", ""),
    "11 dice": (TWO + ENTRY + "starting_dice: 11\n", "4:5", "1 to 10 dice per seat, not 11", ""),
    "same label": (TWO + "variants: [bga, bga]\n", "2:17", "two variants are called", "label"),
    "no variants": (TWO + "variants: []\n", "2:1", "variants is empty", ""),
    "variant of null": (TWO + "variants: [~]\n", "2:12", "expected a text or keys with values", ""),
    "no list": (TWO + "variants: bga\n", "2:1", "variants: expected a list, not a text", ""),
    "games in words": (
        TWO + "games: many\n",
        "2:1",
        "games: expected a whole number, not a text",
        "",
    ),
    "games yes": (TWO + "games: yes\n", "2:1", "games: expected a whole number, not a text", ""),
    "half games": (
        TWO + "games: 2.5\n",
        "2:1",
        "games: expected a whole number, not a decimal number",
        "",
    ),
    "no games": (TWO + "games: 0\n", "2:1", "games must be 1 to 100000, not 0", ""),
    "-1 games": (TWO + "games: -1\n", "2:1", "games must be 1 to 100000, not -1", ""),
    "many games": (TWO + f"games: {'9' * 30}\n", "2:1", "games must be 1 to 100000", ""),
    "no blocks": (TWO + "blocks: 0\n", "2:1", "blocks must be 1 to 10000, not 0", "leave it out"),
    "many blocks": (TWO + "blocks: 10001\n", "2:1", "blocks must be 1 to 10000", "leave it out"),
    "half a block": (
        TWO + "blocks: 0.5\n",
        "2:1",
        "blocks: expected a whole number or nothing",
        "",
    ),
    "until when": (TWO + "until: seperated\n", "2:1", "not 'seperated'", "`until: separated`"),
    "until's key": (TWO + "until: {separate: 1}\n", "2:9", "unknown key 'separate'", "'separated'"),
    "no budget": (TWO + "until: separated\n", "2:1", "until needs a budget", "`blocks: 100`"),
    "two ends": (
        TWO + "until: {separated: 0.95, winner: 0.95}\n",
        "2:1",
        "until names one of separated and winner",
        "`until: {winner: 0.95}`",
    ),
    "no end": (TWO + "until: {games: 5}\n", "2:1", "until.games are those of a playoff", ""),
    "no playoff": (TWO + "until: {winner: 0.9, games: 0}\n", "2:22", "1 to 10000000, not 0", ""),
    "in per cent": (
        TWO + "until: {separated: 95}\n",
        "2:9",
        "until.separated must be 0.5 to 0.9999, not 95",
        "0.95 stands for 95 %",
    ),
    "certain": (TWO + "until: {separated: 1}\n", "2:9", "0.5 to 0.9999, not 1", ""),
    "not a number": (
        TWO + "until: {separated: .nan}\n",
        "2:9",
        "until.separated: expected a number or nothing",
        "",
    ),
    "dice": (
        TWO + "shared_dice: 1\n",
        "2:1",
        "shared_dice: expected true or false or nothing, not a whole number",
        "",
    ),
    "dice and memory": (
        TWO + "memory_across_fixtures: true\nshared_dice: true\n",
        "3:1",
        "shared_dice cannot be true with memory_across_fixtures",
        "leave shared_dice out: a bot would know the dice of its next tables",
    ),
    "name": (TWO + "name: 3\n", "2:1", "name: expected a text, not a whole number", ""),
    "7 players": (TWO + "players: 7\n", "2:1", "players must be 2 to 6, not 7", ""),
    "1 player": (TWO + "players: [2, 1]\n", "2:14", "players[1] must be 2 to 6, not 1", ""),
    "same size": (TWO + "players: [2, 2]\n", "2:1", "each table size once", ""),
    "no size": (TWO + "players: []\n", "2:1", "each table size once", ""),
    "start": (TWO + "limits: {start: 0}\n", "2:10", "limits.start must be above 0", ""),
    "answer": (TWO + "limits: {answer: -1}\n", "2:10", "limits.answer must be above 0", ""),
    "game": (TWO + "limits: {game: .inf}\n", "2:10", "limits.game: expected a number", ""),
    "nan": (TWO + "limits: {game: .nan}\n", "2:10", "limits.game: expected a number", ""),
    "fixture": (TWO + "limits: {fixture: 0}\n", "2:10", "limits.fixture must be above 0", ""),
    "endless": (TWO + "limits: {fixture: .inf}\n", "2:10", "limits.fixture: expected a number", ""),
    "overflow": (TWO + "limits: {wall: 1e999}\n", "2:16", "the number 1e999 is too large", ""),
    "no limit": (TWO + "limits: {fixture: null}\n", "2:10", "limits.fixture", ""),
    "restarts": (TWO + "limits: {restarts: -1}\n", "2:10", "limits.restarts must be 0 to 1000", ""),
    "no game": (
        TWO + "limits: {concurrent_games: 0}\n",
        "2:10",
        "limits.concurrent_games must be 1 to 1024, not 0",
        "1 plays one by one",
    ),
    "enter": (TWO + "enter: example.org\n", "2:1", "not a web address", "https://"),
    "rating key": (TWO + "ratings: {ancor: odds}\n", "2:11", "unknown key 'ancor'", "'anchor'"),
    "provisional": (
        TWO + "ratings: {provisional: -1}\n",
        "2:11",
        "0 or more, not -1",
        "0 marks no bot",
    ),
    "alpha": (TWO + "ratings:\n  alpha: 2\n", "3:3", "must be 0 to 0.5, not 2", ""),
    "overall": (
        TWO + "ratings: {overall: 3}\n",
        "2:11",
        "ratings.overall: expected true or false or nothing",
        "",
    ),
    "no workers": (TWO + "workers: 0\n", "2:1", "workers must be 1 to 1024, not 0", ""),
    "workers": (TWO + "workers: -2\n", "2:1", "workers must be 1 to 1024, not -2", ""),
    "sandbox": (TWO + "sandbox: bublewrap\n", "2:1", "unknown sandbox 'bublewrap'", "'bubblewrap'"),
    "no bots key": ("games: 3\n", "1:1", "missing key 'bots'", ""),
    "bot of null": ("bots: [~]\n", "1:8", "bots[0]: expected a text", ""),
    "no folder": ("bots:\n  - ../nowhere\n", "2:5", "no such bot folder", ""),
    "no sample": ("bots:\n  - sample:honets\n", "2:5", "no sample bot 'honets'", "'honest'"),
    "no match": ("bots: ['x/*']\n", "1:8", "no bot folder matches 'x/*'", ""),
    "stars": ("bots: ['**x']\n", "1:8", "'**x' names no folder", ""),
    "no home": ("bots: ['~nobody-of-that-name/x']\n", "1:8", "names no folder", ""),
    "NUL": ('bots: ["a\\0b"]\n', "1:8", "no such bot folder", ""),
    "a list": ("- a\n", "1:1", "expected keys with values (`key: value`), not a list", ""),
    "a word": ("hello\n", "1:1", "expected keys with values (`key: value`), not a text", ""),
    "tab": ("bots:\n\t- a\n", "2:1", "bad YAML", ""),
    "open bracket": ("bots: [a\n", "2:1", "bad YAML: while parsing a flow sequence", ""),
    "colons": ("bots: a: b\n", "1:8", "bad YAML: mapping values are not allowed", ""),
    "two documents": (TWO + "---\n" + TWO, "2:1", "a second document", ""),
    "same key": (TWO + "games: 3\ngames: 4\n", "3:1", "duplicate key 'games'", ""),
    "list as key": (TWO + "? [a]\n: x\n", "2:3", "a key that is a list or a mapping", ""),
    "alias": (TWO + "name: &n x\nseed: *n\n", "3:7", "the alias *n is not supported", ""),
    "merge": ("x: &x {a: 1}\nlimits: {<<: *x}\n", "2:14", "the alias *x is not supported", ""),
    "list in itself": ("bots: &a [*a]\n", "1:11", "the alias *a is not supported", ""),
    "laughs": (LAUGHS, "2:10", "the alias *a0 is not supported", ""),
    "python": (TWO + "name: !!python/object/apply:os.getcwd []\n", "2:7", "bad YAML", ""),
    "half a character": (
        TWO + 'seed: "\\ud800"\n',
        "2:10",
        "invalid Unicode",
        "",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_league_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    text, spot, what, hint = BAD[case]
    path = tmp_path / "league.yaml"
    path.write_text(text, encoding="utf-8")
    with refused(what, f"{path}:{spot}", hint):
        load_league(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b"# nothing but a comment\n", "the file is empty"),
        (b"name: caf\xe9\n", "cannot be read"),
        (b"\xff\xfeb\0o\0t\0s\0", "cannot be read"),
        (b"name: \x07\n", "bad YAML"),
        (b"[" * 20_000, "values more than 8 deep"),
        (TWO.encode() + b"games: " + b"9" * 5000 + b"\n", "a number of more than 100 characters"),
    ],
)
def test_file_that_is_not_yaml(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "league.yaml"
    path.write_bytes(content)
    with pytest.raises(ArenaError) as caught:
        load_league(path)
    assert caught.value.what.startswith(what)
    assert caught.value.where.split(":")[0] == str(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path, what in ((tmp_path / "none.yaml", "no such file"), (tmp_path, "cannot be read")):
        with refused(what, path):
            load_league(path)


BAD_BOTS = {
    "name: ann\ncomand: cat\n": ("unknown key 'comand'", ":2:1", "'command'"),
    "name: ann\ncommand: ''\n": ("command is empty", "", "python3 bot.py"),
}


@pytest.mark.parametrize("text", BAD_BOTS)
def test_bad_manifest_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    """All that can be wrong with one is a table in tests/bots/test_manifest.py."""
    what, spot, hint = BAD_BOTS[text]
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "bot.yaml").write_text(text, encoding="utf-8")
    with refused(what, f"{tmp_path}/ann/bot.yaml{spot}", hint):
        leagues.league(tmp_path, bots=["ann"])


def test_folder_without_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    with refused("no bot.yaml in the bot's folder", tmp_path / "ann"):
        leagues.league(tmp_path, bots=["ann"])


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        ({"x": "ann", "y": "bob"}, ["ann/twin", "bob/twin"]),
        ({"ann": "", "bob": "", "twin": ""}, ["ann/twin", "bob/twin", "twin"]),
        ({"twin": "ann", "twin-2": "ann"}, ["twin", "twin-2"]),
        ({"ann/twin": "", "bob/twin": ""}, ["ann/twin", "bob/twin"]),
        ({"ann/bot": "", "bob/bot": "me"}, ["ann/twin", "bob/twin"]),
        ({"ann": "a" * 50, "bob": "b" * 50}, ["ann/twin", "bob/twin"]),
    ],
)
def test_bots_with_one_name_are_called_by_authors_or_folders(
    tmp_path: Path, folders: dict[str, str], names: list[str]
) -> None:
    for folder, author in folders.items():
        twin(tmp_path / folder, author)
    league = leagues.league(tmp_path, bots=[*folders])
    assert [bot.name for bot in league.bots] == names


def twin(folder: Path, author: str = "") -> None:
    """Write the folder of a bot that is called as others are."""
    folder.mkdir(parents=True)
    (folder / "bot.yaml").write_text(f"name: twin\ncommand: cat\nauthor: '{author}'\n")


def test_bots_that_nothing_tells_apart_are_refused(tmp_path: Path) -> None:
    for folder in ("1/ann/bot", "2/ann/bot"):
        twin(tmp_path / folder)
    where = f"{tmp_path}/1/ann/bot, {tmp_path}/2/ann/bot"
    with refused("two bots are called 'twin'", where, "change `name`"):
        leagues.league(tmp_path, bots=["1/ann/bot", "2/ann/bot"])


WHOLE = json.dumps({"bots": ["sample:honest"], "players": [2], "limits": {"start": 1}, "seed": "x"})
SNIPPETS = st.sampled_from(
    [*"[]{}:,\"'&*!|>%@`#-?~\\\n\t", "- ", ": ", "*a", "&a ", "!!set ", "<<"]
)


@each_slip
@given(st.integers(0, len(WHOLE)), SNIPPETS | st.text(max_size=4), st.integers(0, 3))
def test_any_typo_is_an_arena_error(at: int, slip: str, cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league.yaml"
        path.write_text(WHOLE[:at] + slip + WHOLE[at + cut :], "utf-8", "surrogatepass")
        with suppress(ArenaError):
            load_league(path)
