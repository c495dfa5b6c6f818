"""Names that readers could take for another one: invisible, mixed or look-alike characters."""

import json
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.bots.manifest import find_bots, load_bot
from arena.bots.names import acceptable, flaw, looks_like, script, skeleton
from arena.io.errors import ArenaError
from tests.bots.unicode_tables import TABLES, Icu
from tests.support.archives import zip_of

ALIKE = [
    ("odds", "\u043edds"),  # the first letter is Cyrillic
    ("odds", "\U0001d428\U0001d41d\U0001d41d\U0001d42c"),
    ("odds", "\uff4f\uff44\uff44\uff53"),
    ("coco", "\u0441\u043e\u0441\u043e"),  # all of it Cyrillic
    ("team0", "teamO"),
    ("bot1", "botl"),
    ("modern", "rnodern"),
    ("caf\u00e9", "cafe\u0301"),
    ("odds", "od\u200bds"),
    ("odds", "od\u034fds"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_texts_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("odds", "Odds"), ("odds", "odds2"), ("a b", "a-b"), ("", "-"), ("ñ", "n")]
)
def test_texts_that_differ_to_the_eye_have_two_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    ("name", "other", "alike"),
    [
        ("bully", "bul1y", True),
        ("bully", "buIly", True),
        ("Bully", "buIly", True),
        ("BULLY", "bu1ly", True),
        ("good-bot", "g00d-bot", True),
        ("good-bot", "GOOD-B0T", True),
        ("good-bot", "Good-Bot", True),
        ("AI", "al", True),
        ("modern", "rnodern", True),
        ("good-bot", "good_bot", False),
        ("good-bot", "god-bot", False),
        ("ai", "al", False),
        ("bot1", "bot2", False),
    ],
)
def test_names_look_alike_whatever_their_case(name: str, other: str, *, alike: bool) -> None:
    assert looks_like(name, ["else", other]) == (other if alike else "")
    assert looks_like(other, ["else", name]) == (name if alike else "")


@pytest.mark.parametrize(
    "text",
    [
        "odds",
        "v1.2 (beta)",
        "Þór",
        "Ωμέγα",
        "Чемпион 3",
        "東京ボット",
        "봇",
        "機器人ㄅ",
        "عربي",
        "🎲 6",
        "",
    ],
)
def test_names_of_every_language_are_welcome(text: str) -> None:
    assert flaw(text) == ""
    assert acceptable(text) == (text or "bot")


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("odds ", "spaces at an end", "odds"),
        (" odds", "spaces at an end", "odds"),
        ("my  bot", "several in a row", "my bot"),
        ("my\u00a0bot", "does not show (U+00A0)", "my bot"),
        ("my\nbot", "does not show (U+000A)", "my bot"),
        ("od\u200bds", "does not show (U+200B)", "odds"),
        ("\u202esddo", "does not show (U+202E)", "sddo"),
        ("\x1b[31mred", "does not show (U+001B)", "[31mred"),
        ("odds\u3164", "does not show (U+3164)", "odds"),
        ("odds\u2800", "does not show (U+2800)", "odds"),
        ("odds\ue000", "does not show (U+E000)", "odds"),
        ("\u0301odds", "begins with a combining mark", "bot"),
        ("cafe\u0301", "is not composed", "caf\u00e9"),
        ("\u043edds", "mixes Cyrillic and Latin", "odds"),
        ("m\u043edel", "mixes Cyrillic and Latin", "model"),
        ("Чемпи\u006fн", "mixes Cyrillic and Latin", "Чемпин"),
        ("bot 東京", "mixes Han and Latin", "bot"),
        ("\u200b", "does not show (U+200B)", "bot"),
    ],
)
def test_flaw_is_named_with_a_text_that_would_do(text: str, what: str, instead: str) -> None:
    assert what in flaw(text)
    assert acceptable(text) == instead


def _texts() -> st.SearchStrategy[str]:
    alike = "".join("".join(pair) for pair in ALIKE)
    return st.text(max_size=20) | st.text(
        st.sampled_from(alike + " \u200d\u0300\u3164"), max_size=9
    )


@given(_texts())
@example("\u0958")  # the composed form is the longer one
@example("\u0344")
def test_suggestion_has_no_flaw(text: str) -> None:
    suggested = acceptable(text)
    assert flaw(suggested) == ""
    assert acceptable(suggested) == suggested
    assert suggested == text or flaw(text) or not text


@given(_texts())
def test_skeleton_of_a_skeleton_is_itself(text: str) -> None:
    found = skeleton(text)
    assert skeleton(found) == found
    for form in ("NFC", "NFD"):
        assert skeleton(unicodedata.normalize(form, text)) == found


@given(_texts(), st.sampled_from("\u200b\u200d\u00ad\ufe0f\u034f"), st.integers(0, 20))
def test_invisible_character_makes_no_other_name(text: str, unseen: str, at: int) -> None:
    changed = text[:at] + unseen + text[at:]
    assert skeleton(unicodedata.normalize("NFC", changed)) == skeleton(changed)
    assert flaw(changed)


@cache
def _icu() -> Icu:
    """Return the library, if it is of the Unicode version that the arena's tables are of."""
    try:
        icu = Icu()
    except LookupError as error:
        pytest.skip(str(error))
    if f"Unicode {icu.version}:" not in TABLES.read_text(encoding="utf-8"):
        pytest.skip(f"libicu has Unicode {icu.version}")
    return icu


_VISIBLE = st.characters(exclude_categories=["Cs", "Cf", "Cn", "Co"])


@given(st.text(_VISIBLE, max_size=12))
def test_skeleton_is_that_of_icu(text: str) -> None:
    plain = unicodedata.normalize("NFKD", "".join(one for one in text if not flaw(one)))
    # Prototypes may themselves be raised or wide forms.
    assert skeleton(plain) == skeleton(_icu().skeleton(plain))


@given(_VISIBLE)
def test_scripts_and_ignorable_characters_are_those_of_icu(character: str) -> None:
    icu = _icu()
    assert script(character).casefold() == icu.script(character).casefold()
    assert not (icu.is_ignorable(character) and not flaw(character))


def _bot(folder: Path, **keys: object) -> Path:
    folder.mkdir()
    manifest = {"name": folder.name, "command": "python3 bot.py", **keys}
    (folder / "bot.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.mark.parametrize("key", ["name", "author", "version"])
def test_refusal_names_the_file_and_a_name_that_would_do(tmp_path: Path, key: str) -> None:
    folder = _bot(tmp_path / "mine", **{key: "\u043edds"})
    with pytest.raises(ArenaError) as caught:
        load_bot(folder)
    assert caught.value.what == f"the {key} '\\u043edds' mixes Cyrillic and Latin characters"
    assert caught.value.where == str(folder / "bot.yaml")
    assert caught.value.hint == "for example 'odds'"


def test_tag_of_two_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"the tag 'pyth.*n' mixes Cyrillic and Latin"):
        load_bot(_bot(tmp_path / "mine", tags=["pyth\u043en"]))


def test_refusal_of_an_archive_names_the_archive(tmp_path: Path) -> None:
    manifest = b"name: 'odds '\ncommand: python3 bot.py\n"
    packed = zip_of(tmp_path / "mine.zip", {"bot.yaml": manifest})
    with pytest.raises(ArenaError, match="spaces at an end") as caught:
        load_bot(packed)
    assert caught.value.where.startswith(str(packed))


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("bots", [{"name": "coco"}, {"name": "\u0441\u043e\u0441\u043e"}]),
        ("authors", [{"author": "bot1"}, {"author": "botl"}]),
        ("tags", [{"tags": ["odds", "coco"]}, {"tags": ["\u0441\u043e\u0441\u043e"]}]),
    ],
)
def test_two_that_look_alike_are_named_with_both_files(
    tmp_path: Path, kind: str, keys: list[dict[str, object]]
) -> None:
    folders = [_bot(tmp_path / f"{name}", **some) for name, some in zip("ab", keys, strict=True)]
    with pytest.raises(ArenaError, match=f"the {kind} .* look alike") as caught:
        find_bots([("*", "league.yaml:1")], tmp_path)
    assert all(str(folder) in caught.value.where for folder in folders)
    assert caught.value.what.isascii()
    assert caught.value.hint.endswith("-2'")


def test_one_author_may_have_several_bots(tmp_path: Path) -> None:
    for name in "ab":
        _bot(tmp_path / name, author="Zoë", tags=["fast"])
    assert len(find_bots([("*", "league.yaml:1")], tmp_path)) == 2
