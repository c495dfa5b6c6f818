"""What is read of a ladder's book is that of one moment, whatever the ladder does meanwhile."""

from collections.abc import Callable
from itertools import count

import pytest

from arena.ladder.backup import backup
from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import State
from arena.ladder.folder import Folder
from arena.ladder.status import status
from arena.ladder.web.snapshot import look
from tests.ladder.desk import Desk
from tests.support.restless import restless


def in_status(folder: Folder) -> int:
    return sum(status(folder).versions.values())


def on_the_site(folder: Folder) -> int:
    return len(look(folder, None).versions)


def in_a_backup(folder: Folder) -> int:
    copies = (folder.root.with_name(f"copy{number}") for number in count())
    return in_status(backup(folder, next(path for path in copies if not path.exists())))


def at_query(number: int, act: Callable[[], None]) -> Callable[[], None]:
    """Return what acts when it is called so often."""
    calls = count()

    def called() -> None:
        if next(calls) == number:
            act()

    return called


@pytest.mark.parametrize("counted", [in_status, on_the_site, in_a_backup])
def test_submission_that_is_entered_meanwhile_is_counted_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, counted: Callable[[Folder], int]
) -> None:
    desk.door.invite("ann")

    def enter() -> None:
        for upload in desk.door.uploads(desk.book.last_upload()):
            desk.book.add(upload, State.QUEUED, "it came")

    for number in range(12):
        desk.door.submit("ann", "one", b"%d" % number, ".tar", Quotas(1000, 1000))
        with restless(monkeypatch, at_query(number, enter)):
            assert counted(desk.folder) == number + 1
        enter()
