"""The log of a ladder: who did what to people, and that no line of it was changed."""

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from arena.ladder.door import access
from arena.ladder.door.access import Scope, SecretKind, Secrets
from arena.ladder.folder import Folder
from arena.ladder.new import operator
from arena.ladder.run import run_ladder
from arena.ladder.season.field import delete_account
from tests.cli.command import error_line, run
from tests.ladder import club as clubs
from tests.ladder.desk import Desk


def take_in(desk: Desk) -> None:
    """Enter what people did into the log, as a ladder that runs does."""
    desk.book.enter_deeds(desk.door.deeds(desk.book.last_deed()))


def told(desk: Desk, *options: str) -> list[str]:
    """Return the lines of the log without their times."""
    take_in(desk)
    ran = run("ladder", "log", desk.folder.root, *options, cwd=desk.folder.root.parent)
    assert ran.code == 0, ran.err
    return [line.partition(" ")[2] for line in ran.out.splitlines()]


def invite(desk: Desk, *names: str) -> None:
    ran = run("ladder", "invite", desk.folder.root, *names, cwd=desk.folder.root.parent)
    assert ran.code == 0, ran.err


def test_log_has_who_did_what_to_whom(desk: Desk) -> None:
    me = operator()
    invite(desk, "ann")
    invite(desk, "ann", "--admin")
    word, _ = access.invite(desk.folder, "bob", Scope.AUTHOR, by="bob")
    with Secrets(desk.folder, writes=True) as secrets:
        secrets.spend(word)
        secrets.make_token("bob", "laptop", Scope.SUBMIT)
        [token] = [one for one in secrets.held("bob") if one.kind is SecretKind.TOKEN]
        secrets.end("bob", token.id)
    ran = run("ladder", "revoke", desk.folder.root, "bob", cwd=desk.folder.root.parent)
    assert ran.code == 0, ran.err
    assert told(desk)[1:] == [
        f"ann: invited (by {me})",
        f"ann: given a new link that administrates (by {me})",
        "bob: joined",
        "bob: logged in",
        "bob: made a token: submit",
        "bob: ended a token",
        f"bob: all 2 links, sessions and tokens revoked (by {me})",
    ]
    assert told(desk) == told(desk)


def test_log_of_an_author_and_of_a_time(desk: Desk) -> None:
    invite(desk, "ann", "bob")
    assert [line.partition(":")[0] for line in told(desk, "--author", "BOB")] == ["bob"]
    assert len(told(desk, "--since", "1h")) == len(told(desk, "--since", "2001-01-01")) == 3
    assert told(desk, "--since", "2100-01-01T00:00:00Z") == []
    log = ("ladder", "log", desk.folder.root)
    ran = run(*log, "--since", "soon", cwd=desk.folder.root)
    error_line(ran, "'soon' is not a time", "--since")
    error_line(run(*log, "--author", "eve", cwd=desk.folder.root), "unknown author 'eve'")
    ran = run(*log, "--author", "ann", "--json", cwd=desk.folder.root)
    [line] = json.loads(ran.out)
    assert (line["author"], line["who"], len(line["hash"])) == ("ann", operator(), 64)


def test_author_who_left_is_named_in_no_line_and_the_chain_holds(desk: Desk) -> None:
    invite(desk, "ann", "bob")
    access.invite(desk.folder, "bob", Scope.AUTHOR, by="ann")
    take_in(desk)
    pseudonym = desk.door.forget("ann")
    [order] = desk.door.orders()
    delete_account(order, desk.folder, desk.door, desk.book)
    lines = told(desk)
    assert not any("ann" in line for line in lines)
    assert f"{pseudonym}: invited (by {operator()})" in lines
    assert f"bob: given a new link (by {pseudonym})" in lines


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET text = 'it never was' WHERE n = 2",
        "UPDATE events SET who = 'bob' WHERE n = 2",
        "DELETE FROM events WHERE n = 2",
    ],
)
def test_a_line_that_was_changed_is_noticed(desk: Desk, tmp_path: Path, change: str) -> None:
    invite(desk, "ann", "bob", "eve")
    take_in(desk)
    with closing(sqlite3.connect(desk.folder.ladder)) as other:
        other.execute(change)
        other.commit()
    ran = run("ladder", "log", desk.folder.root, cwd=tmp_path)
    assert ran.code == 1
    assert "of the log is not as it was written" in ran.err
    ran = run("ladder", "backup", desk.folder.root, tmp_path / "saved", "--verify", cwd=tmp_path)
    error_line(ran, "the backup is damaged")


def test_log_has_the_ladder_yaml_that_each_start_read(tmp_path: Path) -> None:
    club = clubs.make(tmp_path)
    stop = threading.Event()
    stop.set()
    for uploads in (5, 7):
        clubs.change(club, quotas={"uploads": uploads})
        run_ladder(Folder(club), stop, lambda _: None)
    log = run("ladder", "log", club, cwd=tmp_path)
    lines = [line for line in log.out.splitlines() if "ladder.yaml" in line]
    assert len(lines) == 2
    assert "SHA-256" in lines[0]
    assert "quotas was" in lines[1]


def test_log_is_followed_until_it_is_interrupted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def more(_: float) -> None:
        if "later" in {line.text for line in desk.book.events()}:
            raise KeyboardInterrupt
        desk.book.note("later")

    invite(desk, "ann")
    take_in(desk)
    monkeypatch.setattr("arena.cli.ladder.running.time.sleep", more)
    ran = run("ladder", "log", desk.folder.root, "--follow", "--json", cwd=desk.folder.root)
    lines = [json.loads(line)["text"] for line in ran.out.splitlines()]
    assert lines == ["made the ladder", "invited", "later"]
