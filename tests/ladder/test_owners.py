"""Whose a bot's name is: that of the author whose version passed its check first."""

import pytest

from arena.io.errors import ArenaError
from arena.ladder.book.tables import Action, State
from tests.ladder.desk import FAILED, PASSED, Desk

TAKEN = "the name 'mine' is taken"


def refusal(desk: Desk, author: str, bot: str, content: bytes = b"refused") -> str:
    """Return the refusal of a submission, after a look whether it names nobody."""
    with pytest.raises(ArenaError) as refused:
        desk.submit(author, bot, content)
    assert "ann" not in str(refused.value)
    assert refused.value.hint
    return refused.value.what


def test_refused_version_holds_no_name(desk: Desk) -> None:
    assert desk.submit("ann", "mine") == "mine@1"
    desk.run(FAILED)
    assert desk.submit("bob", "mine", b"2") == "mine@2"
    desk.run(PASSED)
    assert [desk.state(f"mine@{number}") for number in (1, 2)] == [
        State.REFUSED,
        State.PROVISIONAL,
    ]
    assert refusal(desk, "ann", "mine") == TAKEN


def test_first_of_two_that_passes_its_check_has_the_name(desk: Desk) -> None:
    desk.submit("ann", "mine")
    desk.submit("bob", "Mine", b"2")
    desk.run(PASSED, PASSED)
    loser = desk.book.version("mine@2")
    assert (desk.state("mine@1"), loser.state) == (State.PROVISIONAL, State.REFUSED)
    assert loser.why.startswith("the name 'Mine' is taken / bot.yaml / ")
    assert refusal(desk, "bob", "mine") == TAKEN
    assert desk.submit("ann", "mine", b"3") == "mine@3"


@pytest.mark.parametrize("first", ["bully", "Bully", "bu1ly"])
def test_name_that_looks_like_another_author_s_is_refused_at_receipt(
    desk: Desk, first: str
) -> None:
    desk.submit("ann", first)
    desk.run(PASSED)
    for name in ("buIly", "BULLY", "bul1y"):
        assert refusal(desk, "bob", name) in {
            f"the name '{name}' looks like '{first}', which is taken",
            f"the name '{name}' is taken",
        }
    assert desk.submit("ann", "bul1y", b"2") == "bul1y@1"


def test_names_that_look_alike_are_compared_again_when_checks_end(desk: Desk) -> None:
    desk.submit("ann", "good-bot")
    desk.submit("bob", "g00d-bot", b"2")
    desk.run(PASSED, PASSED)
    why = "the name 'g00d-bot' looks like 'good-bot', which is taken / bot.yaml / "
    assert desk.book.version("g00d-bot@1").why.startswith(why)


@pytest.mark.parametrize("order", [Action.REST, Action.STRIKE, Action.RECHECK])
def test_name_stays_its_author_s_whatever_becomes_of_the_version(desk: Desk, order: Action) -> None:
    desk.submit("ann", "mine")
    desk.run(PASSED)
    desk.door.order("root", order, desk.book.version("mine@1"), "")
    desk.obey()
    assert refusal(desk, "bob", "mine") == TAKEN
    desk.run(FAILED)
    assert refusal(desk, "bob", "mine") == TAKEN


def test_refused_version_that_is_checked_again_finds_its_name_taken(desk: Desk) -> None:
    desk.submit("ann", "mine")
    desk.run(FAILED)
    desk.submit("bob", "mine", b"2")
    desk.run(PASSED)
    desk.door.order("root", Action.RECHECK, desk.book.version("mine@1"), "")
    desk.obey()
    desk.run(PASSED)
    assert desk.book.version("mine@1").why.startswith(TAKEN)
    assert refusal(desk, "ann", "mine") == TAKEN


def test_name_is_written_one_way(desk: Desk) -> None:
    desk.submit("zoe", "best")
    said = "'BEST' is written 'best' here"
    assert refusal(desk, "zoe", "BEST") == said
    desk.run(FAILED)
    assert desk.submit("zoe", "BEST", b"2") == "BEST@2"
    desk.run(PASSED)
    desk.door.order("root", Action.RECHECK, desk.book.version("best@1"), "")
    desk.obey()
    desk.run(PASSED)
    assert desk.book.version("best@1").why.startswith("'best' is written 'BEST' here / ")


def test_same_files_under_the_same_name_of_two_authors_are_refused(desk: Desk) -> None:
    desk.submit("ann", "mine", b"same")
    assert "were submitted" in refusal(desk, "bob", "mine", b"same")
    assert desk.submit("bob", "theirs", b"same") == "theirs@1"


def test_authors_of_names_that_look_alike_already_go_on(desk: Desk) -> None:
    for author, name in (("ann", "bully"), ("bob", "other")):
        desk.submit(author, name)
    desk.run(PASSED, PASSED)
    desk.book._file.execute("UPDATE versions SET bot = 'buIly' WHERE bot = 'other'")
    assert desk.submit("ann", "bully", b"2") == "bully@2"
    desk.run(PASSED)
    assert desk.state("bully@2") is State.PROVISIONAL
