"""bot.yaml: errors have line and column, and hostile files do no harm."""

from pathlib import Path

import msgspec
import pytest

from arena.bots.folder import BotLimits, digest, files_of
from arena.bots.manifest import load_bot
from arena.game.records import BotInfo
from arena.io import shipped
from arena.io.errors import ArenaError
from tests.support.live import write_bot
from tests.support.refusals import refused

GOOD = "name: ada\ncommand: python3 bot.py\n"
KEYS = "known: author, build, command, humans, models, name, runtime, tags, version"

# The text, the place of the error (line:column, "" for the whole file), the reason, the hint.
WRONG = {
    "a misspelt key": (GOOD + "auhtor: Ada\n", "3:1", "unknown key 'auhtor'", "'author'?"),
    "a strange key": (GOOD + "zzz: 1\n", "3:1", "unknown key 'zzz'", KEYS),
    "no command": ("name: ada\n", "1:1", "missing key 'command'", ""),
    "no name": ("command: x\n", "1:1", "missing key 'name'", ""),
    "a name of digits": (
        "name: 12\ncommand: x\n",
        "1:1",
        "name: expected a text, not a whole number",
        "quotes",
    ),
    "a version of digits": (GOOD + "version: 1.0\n", "3:1", "version: expected a text", "quotes"),
    "an unknown runtime": (GOOD + "runtime: perl\n", "3:1", "unknown runtime 'perl'", "python"),
    "a command of digits": (
        "name: a\ncommand: 7\n",
        "2:1",
        "command: expected a text or a list",
        "",
    ),
    "a digit in a command": (
        "name: a\ncommand:\n  - python3\n  - 7\n",
        "4:5",
        "command[1]: expected a text, not a whole number",
        "",
    ),
    "a key twice": (GOOD + "name: eve\n", "3:1", "duplicate key 'name'", ""),
    "a list": (
        "- name\n- ada\n",
        "1:1",
        "expected keys with values (`key: value`), not a list",
        "",
    ),
    "nothing": ("", "", "expected keys with values (`key: value`), not nothing", ""),
    "no YAML": ("name: [ada\ncommand: x\n", "2:8", "bad YAML", ""),
    "a tab": ("name: ada\n\tcommand: x\n", "2:1", "bad YAML", "indent with spaces"),
    "a tag": ("name: !!python/object:os.system x\n", "1:7", "bad YAML", ""),
    "a key that is a list": ("? [a]\n: b\n", "1:3", "bad YAML", ""),
    "two documents": (GOOD + "---\n" + GOOD, "3:1", "bad YAML", ""),
    "a control character": ("name: \x01\n", "1:7", "bad YAML", ""),
    "a list within itself": (
        "name: &a [*a]\ncommand: x\n",
        "1:11",
        "the alias *a is not supported",
        "write out",
    ),
    "an empty command": ("name: a\ncommand: ''\n", "", "command is empty", "python3 bot.py"),
    "an empty list": ("name: a\ncommand: []\n", "", "command is empty", "python3 bot.py"),
    "an empty build": (GOOD + "build: ' '\n", "", "build is empty", ""),
    "a NUL": ('name: a\ncommand: ["a\\0b"]\n', "", "command holds a NUL character", ""),
    "half a character": ('name: "\\udfff"\ncommand: x\n', "1:10", "invalid Unicode", ""),
    "an open quote": ("name: a\ncommand: run 'x\n", "", "command cannot be read", ""),
    "tags that are no list": (GOOD + "tags: python\n", "3:1", "tags: expected a list", ""),
    "nine tags": (GOOD + "tags: [a, b, c, d, e, f, g, h, i]\n", "3:1", "8 tags at most, not 9", ""),
    "an empty tag": (GOOD + "tags: ['']\n", "3:1", "'' is not a tag", "1 to 32 letters"),
    "a long tag": (GOOD + f"tags: [{'a' * 33}]\n", "3:1", "is not a tag", "1 to 32 letters"),
    "a tag of two lines": (GOOD + 'tags: ["a\\nb"]\n', "3:1", r"'a\nb' is not a tag", ""),
    "a tag with a comma": (
        GOOD + "tags: ['a, b']\n",
        "3:1",
        "'a, b' is not a tag",
        "digits, spaces",
    ),
    "a tag twice": (GOOD + "tags: [c, c]\n", "3:1", "duplicate tag 'c'", ""),
    "an empty name": ("name: ''\ncommand: x\n", "1:1", "a bot's name has 1 to 40 characters", ""),
    "a long name": (
        f"name: {'a' * 41}\ncommand: x\n",
        "1:1",
        "a bot's name has 1 to 40 characters",
        "",
    ),
    "a long author": (GOOD + f"author: {'a' * 81}\n", "3:1", "author has at most 80", ""),
    "an author of two lines": (GOOD + 'author: "a\\nb"\n', "3:1", "all of them visible", ""),
    "a long version": (GOOD + f"version: {'1.' * 21}\n", "3:1", "version has at most 40", ""),
    "a tagged boolean": (
        "name: !!bool x\ncommand: x\n",
        "1:7",
        "tag:yaml.org,2002:bool",
        "without",
    ),
    "a tagged number": ('name: !!int ""\ncommand: x\n', "1:7", "tag:yaml.org,2002:int", "without"),
    "a tagged time": ("name: !!timestamp now\n", "1:7", "tag:yaml.org,2002:timestamp", "without"),
    "a large file": (GOOD + "#" * 65_536, "", "larger than 64 KiB", ""),
}


@pytest.mark.parametrize("what", WRONG)
def test_manifest_error_has_place_and_hint(what: str, tmp_path: Path) -> None:
    text, at, reason, hint = WRONG[what]
    path = tmp_path / "bot.yaml"
    path.write_text(text, encoding="utf-8")
    with refused(reason, f"{path}:{at}" if at else path, hint):
        load_bot(tmp_path)


def test_manifest_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_bytes(b"name: \xff\n")
    with refused("it is not in UTF-8", f"{tmp_path / 'bot.yaml'}:1", "save it as UTF-8"):
        load_bot(tmp_path)


def test_error_quotes_only_the_beginning_of_a_long_value(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(GOOD + f"runtime: {'x' * 60_000}\n")
    with pytest.raises(ArenaError, match="unknown runtime 'xxx") as refusal:
        load_bot(tmp_path)
    assert len(str(refusal.value)) < 3000


def test_nested_aliases_are_refused(tmp_path: Path) -> None:
    """Each line holds the one before ten times: a billion values if they were expanded."""
    lines = ["a0: &a0 x"] + [
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)
    ]
    (tmp_path / "bot.yaml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ArenaError, match=r"the alias \*a0 is not supported"):
        load_bot(tmp_path)


def test_missing_folder_and_missing_manifest_are_refused(tmp_path: Path) -> None:
    with refused("no such bot folder", tmp_path / "nobody"):
        load_bot(tmp_path / "nobody")
    with refused("no bot.yaml in the bot's folder", hint="arena help protocol"):
        load_bot(tmp_path)


def test_file_of_a_bot_is_refused_with_its_folder(tmp_path: Path) -> None:
    for name in ("bot.yaml", "bot.py"):
        (tmp_path / name).touch()
    with pytest.raises(ArenaError, match="neither a bot's folder") as refusal:
        load_bot(tmp_path / "bot.py")
    assert refusal.value.hint == f"give its folder: {tmp_path}"


# ---------------------------------------------------------------- what is read


def test_manifest_with_all_fields(tmp_path: Path) -> None:
    more = "author: Ada\nversion: '2'\nruntime: c\nbuild: [cc, -o, bot, 'my bot.c']\n"
    bot = write_bot(tmp_path / "bot", "", "'./my bot' --fast \"a b\"", more)
    assert bot.command == ("./my bot", "--fast", "a b")
    assert bot.build == ("cc", "-o", "bot", "my bot.c")
    info = bot.info
    assert (bot.name, info.author, info.version, info.runtime) == ("bot", "Ada", "2", "c")
    assert bot.folder == (tmp_path / "bot").resolve()
    assert not bot.shipped


def test_manifest_defaults(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(GOOD, encoding="utf-8")
    bot = load_bot(tmp_path)
    assert (bot.info.author, bot.info.version, bot.info.runtime) == ("", "", "any")
    assert bot.build is None
    assert bot.command == ("python3", "bot.py")


def test_sample_bots_are_shipped() -> None:
    assert load_bot(shipped.folder("sample_bots") / "honest").shipped


def test_digest_depends_on_names_and_contents(tmp_path: Path) -> None:
    def digest_of(name: str, text: str) -> str:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / name).write_text(text)
        return digest(folder)

    assert digest_of("a", "x") == digest_of("a", "x")
    assert len({digest_of("a", "x"), digest_of("b", "x"), digest_of("a", "y")}) == 3


def test_folder_over_the_size_limit_is_refused(tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "bot", "").folder
    (folder / "data").write_bytes(bytes(2**20))
    with pytest.raises(ArenaError, match="may hold 1 MiB at most"):
        load_bot(folder, BotLimits(size=2**20))


def test_caches_are_ignored(tmp_path: Path) -> None:
    """Even if the bot's own folder is below a folder with such a name."""
    folder = write_bot(tmp_path / ".git" / "bot", "x").folder
    before = digest(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").write_text("x")
    assert digest(folder) == before
    assert [path.name for path in files_of(folder)] == ["bot.py", "bot.yaml"]


def test_tags_are_read(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(GOOD + "tags: [c++, look ahead, Zufall]\n")
    assert load_bot(tmp_path).info.tags == ("c++", "look ahead", "Zufall")


def test_bot_without_tags_is_encoded_without_the_field(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(GOOD)
    written = msgspec.json.encode(load_bot(tmp_path).info)
    assert b"tags" not in written
    assert msgspec.json.decode(written, type=BotInfo).tags == ()
