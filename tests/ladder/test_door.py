"""The door: what was acknowledged is on the disk, and nothing else is taken for it."""

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from arena.io.errors import ArenaError
from arena.ladder.book.book_file import BookFile
from arena.ladder.book.quota import Quotas
from arena.ladder.book.tables import Upload
from arena.ladder.door.door import MAX_UPLOAD, Door
from arena.ladder.folder import Folder
from tests.cli.command import arena, bot, environment
from tests.ladder import club as clubs
from tests.support import sampling
from tests.support.depth import depth

KILLS = depth(3, 30)
MANY = Quotas(1000, 1000)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(clubs.make(tmp_path))
    with Door(folder, writes=True) as door:
        door.invite("ann")
    return folder


def uploads(folder: Folder) -> list[Upload]:
    """Return the submissions, after a look whether each has its bytes."""
    with Door(folder) as door:
        found = door.uploads()
    for one in found:
        content = folder.upload(one.sha256, one.ending).read_bytes()
        assert (sha256(content).hexdigest(), len(content)) == (one.sha256, one.bytes)
    return found


def test_a_row_comes_after_its_bytes(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: BookFile, sql: str, *_: object) -> int:
        raise ArenaError(f"the power fails at {sql.split(maxsplit=1)[0]}", str(self.path))

    with Door(folder, writes=True) as door:
        monkeypatch.setattr(BookFile, "execute", fail)
        with pytest.raises(ArenaError, match="fails at INSERT"):
            door.submit("ann", "bot", b"bytes", ".tar", MANY)
    assert uploads(folder) == []
    assert [path.read_bytes() for path in folder.inbox.iterdir()] == [b"bytes"]


def test_the_same_bytes_are_the_same_version(folder: Folder) -> None:
    with Door(folder, writes=True) as door:
        first, new = door.submit("ann", "bot", b"1", ".tar", Quotas(uploads=1))
        assert (first.version, new) == ("bot@1", True)
        assert door.submit("ann", "bot", b"1", ".tar", Quotas(uploads=1)) == (first, False)
        other, new = door.submit("ann", "other", b"1", ".tar", MANY)
        assert (other.version, new) == ("other@1", True)
    assert len(uploads(folder)) == 2


def test_too_many_bytes_are_refused(folder: Folder) -> None:
    most = f"at most {MAX_UPLOAD // 1024**2} MiB"
    with Door(folder, writes=True) as door, pytest.raises(ArenaError, match=most):
        door.submit("ann", "bot", bytes(MAX_UPLOAD + 1), ".tar", MANY)
    assert list(folder.inbox.iterdir()) == []


def test_numbers_have_no_gaps_when_submissions_are_killed(folder: Folder) -> None:
    rng, acknowledged = sampling.random("kills of submissions"), dict[str, str]()
    clubs.change(folder.root, quotas={"uploads": 1000, "refused": 1000})
    for number in range(KILLS):
        source = bot(folder.root.parent / f"bot-{number}", f"# {number}", name="bot")
        words = arena("submit", source, "--to", folder.root, "--author", "ann", "--no-wait")
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, env=environment(), text=True, cwd=folder.root.parent
        )
        try:
            process.wait(rng.uniform(0.1, 2.0))
        except subprocess.TimeoutExpired:
            process.kill()
        said = process.communicate()[0]
        if said.startswith("received "):
            acknowledged[said.split()[1]] = said.split()[3]
    found = {one.version: one.sha256 for one in uploads(folder)}
    assert acknowledged.items() <= found.items()
    assert sorted(one.number for one in uploads(folder)) == list(range(1, len(found) + 1))
