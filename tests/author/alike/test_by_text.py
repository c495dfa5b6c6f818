"""The source of two bots: copies are found however they are disguised, what all share is not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.author.alike.by_text import TextShare, compare_text
from arena.author.alike.fingerprints import GUARANTEE, K, winnow
from arena.author.alike.sources import Source, arenas_kgrams, kgrams_of, read_source
from arena.bots.kits import KITS, create
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
