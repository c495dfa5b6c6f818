"""The source of two bots: copies are found however they are disguised, what all share is not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.author.alike.by_text import MOST_PLACES, TextShare, compare_text
from arena.author.alike.sources import (
    GUARANTEE,
    K,
    Source,
    arenas_kgrams,
    kgrams_of,
    read_source,
    source_file,
    source_of,
    winnow,
)
from arena.author.alike.tokens import Token, language_of, tokenize
from arena.bots.kits import create
from arena.bots.runtimes import KITS
from arena.io import shipped
from tests.author.alike.plants import HARMLESS, ORIGINAL, PLANTS, Plant, original, renamed, write

PLAIN = Plant("bot.py", ORIGINAL, "python3 bot.py")


def source(folder: Path, plant: Plant, common: frozenset[int] = frozenset()) -> Source:
    return read_source(write(folder, plant), common)


def compared(folder: Path, one: Plant, other: Plant) -> TextShare:
    found = compare_text(source(folder / "one", one), source(folder / "other", other))
    assert found
    return found


def test_identical_is_all_of_both(tmp_path: Path) -> None:
    found = compared(tmp_path, original(), original())
    assert (found.of_one, found.of_other) == (1, 1)
    [place] = found.places
    assert (place.one.first, place.one.last) == (2, len(ORIGINAL.splitlines()))
    assert place.one == place.other


@pytest.mark.parametrize("copy", ["renamed", "reordered"])
def test_disguised_copies_share_nearly_all(tmp_path: Path, copy: str) -> None:
    found = compared(tmp_path, original(), PLANTS[copy])
    assert found.most > 0.7
    if copy == "renamed":
        assert found.of_one == found.of_other == 1


def test_a_copy_inside_a_longer_source_is_all_of_the_shorter_one(tmp_path: Path) -> None:
    longer = Plant("bot.py", f"{HARMLESS}\n{renamed()}\n", "python3 bot.py")
    found = compared(tmp_path, original(), longer)
    assert found.of_one > 0.9
    assert found.of_other < 0.9
    assert found.places[0].other.first > len(HARMLESS.splitlines()) - 2


def test_bots_that_share_nothing_share_nothing(tmp_path: Path) -> None:
    found = compared(tmp_path, original(), Plant("bot.js", PLANTS["another-language"].source, ""))
    assert (found.of_one, found.of_other, found.places) == (0, 0, ())


def test_bots_that_were_written_apart_share_little(tmp_path: Path) -> None:
    found = compared(tmp_path, original(), Plant("bot.py", HARMLESS, "python3 bot.py"))
    assert found.most < 0.2


@pytest.mark.parametrize("kit", KITS)
def test_a_kit_leaves_a_bot_nothing_of_its_own(tmp_path: Path, kit: str) -> None:
    common = frozenset().union(*arenas_kgrams().values())
    found = read_source(create(tmp_path / "bot", kit).folder, common)
    assert found.kgrams
    assert not found.chosen
    assert found.shared_with[f"kit {kit}"] == 1


@pytest.mark.parametrize("sample", ["odds", "c-counter", "js-cautious", "sh-minimal"])
def test_a_copy_of_a_sample_bot_says_whose_it_is(tmp_path: Path, sample: str) -> None:
    folder = shipped.folder("sample_bots") / sample
    found = read_source(folder, kgrams_of(folder))
    assert not found.chosen
    assert found.shared_with[f"sample:{sample}"] == 1


def test_source_of_a_kit_is_left_out_of_both_shares(tmp_path: Path) -> None:
    common = frozenset().union(*arenas_kgrams().values())
    folders = []
    for name, own in (("one", original()), ("other", PLANTS["renamed"])):
        folder = create(tmp_path / name, "python").folder
        (folder / "choose.py").write_text(own.source, encoding="utf-8")
        folders.append(folder)
    found = compare_text(*(read_source(folder, common) for folder in folders))
    assert found
    assert found.most == 1
    assert {place.one.file for place in found.places} == {"choose.py"}


def test_too_little_of_its_own_is_not_compared(tmp_path: Path) -> None:
    few = Plant("bot.py", "import sys\nprint(sys.argv)\n", "python3 bot.py")
    one, other = (source(tmp_path / name, few) for name in ("one", "other"))
    assert compare_text(one, other) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bot", b"\x7fELF\0\0\0"),
        ("bot.py", b"import sys\0\n" * 100),
        ("bot.txt", ORIGINAL.encode()),
        ("bot.py", b"x = 1\n" * 100_000),
        ("bot.py", b""),
    ],
    ids=["program", "binary", "prose", "generated", "empty"],
)
def test_only_source_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert read_source(tmp_path, frozenset()).kgrams == 0


LINES = (
    "value = value + 12",
    "if value in values: return value[12]",
    "for value in values: call(value, 'text')",
    "while not value.done(): value.step(12, 12)",
    "values[value] = [value for value in values if value]",
    "raise Wrong(f'{value}') from None",
    "with call(value) as (value, values): pass",
    "assert value == 12 or value",
)
PYTHON = language_of(Path("bot.py"))
lines = st.lists(st.sampled_from(LINES), max_size=30).map("\n".join)
shared_lines = st.lists(st.sampled_from(LINES), min_size=12, max_size=30).map("\n".join)
Where = tuple[str, int, int]


def of_texts(*texts: str) -> tuple[Source, list[list[Token]]]:
    """Return a bot with a file of each text, and their tokens."""
    assert PYTHON
    files = [source_file(f"{at}.py", text, PYTHON) for at, text in enumerate(texts)]
    return source_of(files, frozenset()), [tokenize(text, PYTHON) for text in texts]


def slowly(
    one: Source, my_tokens: list[list[Token]], other: Source, your_tokens: list[list[Token]]
) -> Iterator[tuple[int, Where, Where]]:
    """Yield the place of each shared fingerprint: tokens, and lines in both bots."""
    for hash_ in one.chosen.keys() & other.chosen.keys():
        (number, a), (there, b) = one.chosen[hash_], other.chosen[hash_]
        mine, yours = my_tokens[number], your_tokens[there]
        while a and b and mine[a - 1].text == yours[b - 1].text:
            a, b = a - 1, b - 1
        size = 0
        while max(a - len(mine), b - len(yours)) + size < 0 and (
            mine[a + size].text == yours[b + size].text
        ):
            size += 1
        last = size - 1
        at = f"{number}.py", mine[a].line, mine[a + last].line
        yield size, at, (f"{there}.py", yours[b].line, yours[b + last].line)


@given(before=lines, shared=shared_lines, after=lines, others=lines)
def test_places_are_those_around_each_shared_fingerprint(
    before: str, shared: str, after: str, others: str
) -> None:
    one = of_texts(f"{before}\n{shared}", f"{others}\n{after}")
    other = of_texts(f"{after}\n{shared}\n{before}", others)
    found = compare_text(one[0], other[0])
    if found is None:
        return
    slow = sorted(
        (-tokens, *mine[:2], *yours[:2], mine[2], yours[2])
        for tokens, mine, yours in {*slowly(*one, *other)}
    )
    places = [
        (-tokens, mine.file, mine.first, yours.file, yours.first, mine.last, yours.last)
        for mine, yours, tokens in ((text.one, text.other, text.tokens) for text in found.places)
    ]
    assert places == slow[:MOST_PLACES]
    assert (found.more, found.not_placed) == (len(slow) - len(places), 0)


numbers = st.lists(st.integers(0, 3), max_size=80)


@given(before=numbers, shared=st.lists(st.integers(), min_size=8, max_size=40), after=numbers)
def test_winnowing_keeps_its_guarantee(
    before: list[int], shared: list[int], after: list[int]
) -> None:
    assert GUARANTEE - K + 1 == 8, "so many k-grams are in so many tokens"
    one = winnow([*before, *shared]).values()
    other = winnow([*shared, *after]).values()
    assert set(one) & set(other) & set(shared)


@given(hashes=st.lists(st.integers(0, 9), max_size=60), common=st.sets(st.integers(0, 9)))
def test_winnowing_chooses_in_every_window_what_is_not_common(
    hashes: list[int], common: set[int]
) -> None:
    chosen = winnow(hashes, common)
    assert not common & set(chosen.values())
    for start in range(len(hashes) - 7):
        own = [(hashes[at], -at) for at in range(start, start + 8) if hashes[at] not in common]
        assert not own or -min(own)[1] in chosen
