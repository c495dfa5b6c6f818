"""What a ladder publishes: complete blocks, always whole."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.folder import Folder
from arena.ladder.site import in_complete_blocks, publish_all
from arena.records import Fixture
from tests.publish.pages import broken_links


def fixture(number: int, block: int, variant: str) -> Fixture:
    return Fixture(str(number), number, variant, ("a", "b"), "seed", 1, block)


BLOCKS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["bga", "classic"])), max_size=20)


@given(BLOCKS, st.sets(st.integers(0, 19)))
def test_a_block_is_shown_when_all_of_it_is_finished(
    places: list[tuple[int, str]], finished: set[int]
) -> None:
    fixtures = [fixture(number, *place) for number, place in enumerate(places)]
    shown = in_complete_blocks(fixtures, {str(number) for number in finished})
    for number, place in enumerate(places):
        block = {other for other, at in enumerate(places) if at == place}
        assert (str(number) in shown) == (block <= finished)


def test_publications_take_turns_so_that_readers_keep_a_whole_one(copy: Path) -> None:
    folder, copies = Folder(copy), set[str]()
    for _ in range(2):
        publish_all(folder)
        assert broken_links(folder.site.resolve()) == []
        copies.add(folder.site.readlink().name)
    assert copies == {"a", "b"}
