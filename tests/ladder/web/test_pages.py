"""What pages say to people: at once, in words, with links that lead somewhere."""

import html
import re
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.ladder.book.book import Book
from arena.ladder.book.tables import ReportedFault, State, TimedStep
from arena.ladder.door import access
from arena.ladder.door.access import Scope
from arena.ladder.door.remote import Remote
from arena.ladder.folder import locked
from tests.cli.command import bot, run
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.ladder.desk import FAILED, PASSED, Desk
from tests.ladder.web.doors import SAME_SITE, Door, door_of, uploads
from tests.ladder.web.test_uploads import form, post

CRASHED = replace(
    FAILED,
    steps=2,
    timed=(TimedStep("manifest", 0.1), TimedStep("program", 1.5)),
    build="it was built",
    stderr="Traceback (most recent call last):\nValueError: no dice",
)


def text(door: Door, path: str, headers: dict[str, str]) -> str:
    """Return a page."""
    answer = door.ask(path, **headers)
    assert answer.status == 200, answer
    return html.unescape(answer.body.decode())


def checked(desk: Desk) -> None:
    """End a check of a bot of ann, which crashed."""
    desk.submit("ann", "mine")
    desk.run(CRASHED)


SHOWN = ("it crashed", "it was built", "ValueError: no dice", "program: 1.50 s")


def test_a_check_that_ended_is_on_the_page_of_its_version_before_any_publication(
    desk: Desk,
) -> None:
    checked(desk)
    assert not [*desk.folder.private.iterdir()]
    with door_of(desk.folder) as door:
        page = text(door, "/versions/mine@1", door.session("ann"))
        for said in SHOWN:
            assert said in page, said
        result = door.ask("/api/v1/versions/mine@1/check", **door.token("ann")).json()
        assert (result["stderr"], result["build"]) == (CRASHED.stderr, CRASHED.build)
        assert result["timed"][1] == {"name": "program", "seconds": 1.5}


def test_the_result_of_a_check_is_for_its_author_and_administrators(desk: Desk) -> None:
    checked(desk)
    with door_of(desk.folder) as door:
        path = "/api/v1/versions/mine@1/check"
        assert door.ask(path).status == 401
        assert door.ask(path, **door.session("bob")).status == 404
        assert door.ask(path, **door.session("root", Scope.ADMINISTRATOR)).status == 200


def test_a_version_whose_check_has_not_ended_has_no_result(desk: Desk) -> None:
    desk.submit("ann", "mine")
    with door_of(desk.folder) as door:
        answer = door.ask("/api/v1/versions/mine@1/check", **door.token("ann"))
        assert (answer.status, answer.problem()["what"]) == (404, "no check of it has ended yet")
        remote = Remote(door.base, door.token("ann")["Authorization"].partition(" ")[2])
        assert remote.check_result("mine@1") is None


def test_no_page_has_a_link_to_private_pages_that_are_not_written(desk: Desk) -> None:
    checked(desk)
    with door_of(desk.folder) as door:
        ann, root = door.session("ann"), door.session("root", Scope.ADMINISTRATOR)
        visits = [("/versions/mine@1", ann), ("/me", ann), ("/administration/people/ann", root)]
        for path, who in visits:
            assert "/private/" not in text(door, path, who), path
        pages = desk.folder.private / "ann"
        pages.mkdir()
        for name in ("index.html", "mine@1.html", "mine@1.why.html", "mine@1.changes.html"):
            (pages / name).write_text("hers")
        for path, who in visits:
            links = re.findall('href="(/private/[^"]+)"', text(door, path, who))
            assert links, path
            assert {door.ask(link, **who).status for link in links} == {200}


def refuse(door: Door) -> None:
    """Check what was received, and refuse it."""
    [upload] = uploads(door)
    with Book(door.folder, writes=True) as book:
        book.add(upload, State.QUEUED, "it came")
        version = book.version(upload.version)
        book.end_check(book.begin_check(version, 1.0), msgspec.json.encode(CRASHED))
        book.set_state(version, State.REFUSED, CRASHED.reason)


def test_submit_prints_what_a_refused_bot_wrote(
    own_door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = own_door.token("ann")["Authorization"].partition(" ")[2]
    monkeypatch.setenv("ARENA_TOKEN", token)
    source = bot(tmp_path / "mine", "pass")
    remote = Remote(own_door.base, token)
    remote.submit(source)
    refuse(own_door)
    wait_until(lambda: remote.check_result("mine@1"))  # the door looks now and then
    for target in (own_door.base, own_door.folder.root):
        who = () if target == own_door.base else ("--author", "ann")
        ran = run("submit", source, "--to", target, *who, cwd=tmp_path)
        assert ran.code == 1, ran.err
        assert "  build: it was built\n" in ran.out
        assert "  stderr: ValueError: no dice\n" in ran.out


@pytest.mark.slow
def test_a_check_tells_the_time_of_each_step_up_to_the_one_that_failed(tmp_path: Path) -> None:
    source = bot(tmp_path / "dead", clubs.CRASHES)
    result = clubs.checked(clubs.check_order(clubs.make(tmp_path), source))
    assert not result.ok
    assert len(result.timed) == result.steps + 1
    assert all(step.seconds >= 0 for step in result.timed)
    assert "no good" in result.stderr


def test_a_file_that_is_no_archive_is_refused_in_words_of_its_author(tmp_path: Path) -> None:
    source = tmp_path / "mine"
    source.write_text("<!doctype html>")
    page = source.rename(tmp_path / f"{'0' * 64}.tar")
    order = replace(clubs.check_order(clubs.make(tmp_path), page), bot="mine")
    reason = clubs.checked(order).reason
    assert reason.startswith("it is neither a zip nor a tar archive / the archive of mine / ")


def test_the_front_page_names_the_versions_that_play(desk: Desk) -> None:
    desk.submit("ann", "mine")
    desk.run(PASSED)
    with door_of(desk.folder) as door:
        page = text(door, "/", {})
    assert "<bdi>mine@1</bdi>" in page


def test_the_next_version_to_be_checked_is_called_that(desk: Desk) -> None:
    desk.submit("ann", "mine")
    with locked(desk.folder), door_of(desk.folder) as door:
        page = text(door, "/versions/mine@1", door.session("ann"))
    assert "Its check is the next; the oldest submission has waited" in page


def test_a_reason_is_short_whatever_a_bot_said_and_the_result_has_all_of_it() -> None:
    said = '{"type": "bid"} ' * 30
    result = replace(FAILED, faults=(ReportedFault(said, said, "mend it", came=said),))
    assert len(result.reason) < 400
    assert result.reason.endswith(" / mend it")
    assert result.faults[0].came == said


def test_visitors_are_told_to_log_in_in_words(own_door: Door) -> None:
    answer = own_door.ask("/me")
    page = html.unescape(answer.body.decode())
    assert answer.status == 401
    assert "<h1>Log in first</h1>" in page
    assert "This is for authors who are logged in." in page


def test_the_way_back_after_a_login_leads_to_the_own_page(own_door: Door) -> None:
    word, _ = access.invite(own_door.folder, "ann", Scope.AUTHOR)
    entered = own_door.ask(f"/link/{word}", "POST", **SAME_SITE)
    cookie = entered.headers["set-cookie"].partition(";")[0]
    back = own_door.ask(f"/link/{word}", Cookie=cookie)
    assert (back.status, back.headers["location"]) == (303, "/me")
    assert own_door.ask(f"/link/{word}").status == 404


def test_a_form_that_is_refused_keeps_what_was_typed(own_door: Door) -> None:
    own_door.put("taken", b"1", own_door.token("bob"))
    answer = post(own_door, form(b"taken", b"1"))
    page = answer.body.decode()
    assert (answer.status, 'value="taken"' in page) == (409, True)
    assert "already, and not by you" in page
    root = own_door.session("root", Scope.ADMINISTRATOR)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    body = "what=quota&author=bob&uploads=9999&why=he%20asked"
    answer = own_door.ask("/administration", "POST", body, **root, **kind)
    page = answer.body.decode()
    assert (answer.status, 'value="he asked"' in page, 'value="9999"' in page) == (400, True, True)
    assert 'role="alert"' in page


def test_states_look_like_what_they_mean(desk: Desk) -> None:
    for bot_name, state in (("a", State.RATED), ("b", State.REFUSED), ("c", State.RESTING)):
        desk.book.set_state(desk.book.version(desk.submit("ann", bot_name)), state, "so")
    desk.submit("ann", "d")
    with door_of(desk.folder) as door:
        page = text(door, "/me", door.session("ann"))
    looks = dict(re.findall('<span class="chip (\\w+)">(\\w+)</span>', page))
    assert looks == {"plays": "rated", "failed": "refused", "out": "resting", "waits": "queued"}
