"""Bad input: one line, exit code 2, and nothing is changed."""

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.tables import State
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder, locked
from tests.cli.command import Ran, bot, error_line, run
from tests.ladder import club as clubs
from tests.publish.pages import tree


@pytest.fixture
def club(tmp_path: Path) -> Path:
    return clubs.make(tmp_path)


def refused(club: Path, ran: Callable[[], Ran], *parts: str) -> None:
    """Check that a command is refused with one line that has these parts, and changes nothing."""
    before = contents(club)
    error_line(ran(), *parts)
    assert contents(club) == before


def contents(club: Path) -> dict[str, object]:
    """Return what a ladder holds: its files, and the rows of its databases."""
    files = {name: data for name, data in tree(club).items() if ".sqlite" not in name}
    return {**files, "versions": clubs.versions(club), "log": clubs.log(club)}


COMMANDS = ("run", "status", "list", "log", "invite", "backup")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_no_ladder(tmp_path: Path, command: str) -> None:
    more = {"invite": ["ann"], "backup": ["copy"]}.get(command, [])
    ran = run("ladder", command, "nowhere", *more, cwd=tmp_path)
    error_line(ran, "it is no ladder / nowhere / make one: arena ladder init nowhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("order", ["rest", "strike", "season close", "submit", "restore"])
def test_orders_and_submissions_to_a_folder_that_is_no_ladder(tmp_path: Path, order: str) -> None:
    words: dict[str, list[object]] = {
        "submit": ["submit", bot(tmp_path / "mine"), "--to", "nowhere"],
        "restore": ["ladder", "restore", "nowhere", "club"],
        "season close": ["ladder", "season", "close", "nowhere"],
    }
    ran = run(*words.get(order, ["ladder", order, "nowhere", "bot@1"]), cwd=tmp_path)
    error_line(ran, "it is no ladder / nowhere / make one: arena ladder init nowhere")
    assert {path.name for path in tmp_path.iterdir()} <= {"mine"}


def test_an_unknown_command_of_a_ladder(tmp_path: Path) -> None:
    error_line(run("ladder", "stike", cwd=tmp_path), "unknown command 'ladder stike'", "strike")


def test_a_folder_that_is_not_empty_becomes_no_ladder(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    ran = run("ladder", "init", ".", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    error_line(ran, "the folder is not empty")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_sandbox_that_does_not_isolate_needs_trust(tmp_path: Path) -> None:
    ran = run("ladder", "init", "club", "--sandbox", "process", cwd=tmp_path)
    error_line(ran, "the sandbox 'process' does not isolate bots / club /", "--trust-bots")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"quota": 1}, "did you mean 'quotas'?"),
        ({"players": 7}, "players must be 2 to 6, not 7 / "),
        ({"sandbox": "auto"}, "a ladder's sandbox is fixed / "),
        ({"until": "winner"}, "a ladder has no playoff / "),
        ({"quotas": {"uploads": 0}}, "quotas.uploads must be 1 or more, not 0 / "),
        ({"intervals": {"publish": 0}}, "intervals.publish must be 1 or more, not 0 / "),
        ({"checks": {"seconds": 0}}, "checks.seconds must be 6 or more, not 0 / "),
        ({"checks": {"at_a_time": 0}}, "checks.at_a_time must be 1 or more, not 0 / "),
        ({"checks": {"steps": 5}}, "checks.steps must be 6 to 18, not 5 / "),
        ({"checks": {"hours": 1}}, "'hours'"),
        ({"disk": {"logs": "5GB"}}, "'5GB' is not a size / "),
        ({"disk": {"logs": "15MiB"}}, "disk.logs must be 16MiB or more, not 15MiB / "),
        ({"disk": {"free": 5}}, "ladder.yaml:"),
        ({"cluster": "local:0"}, "local:N starts 1 to 1024 workers on this machine, not '0' / "),
        ({"cluster": "here"}, "'here' is not a scheduler address: "),
        ({"cluster": "local:1", "workers": 1}, "leave one of the two out"),
        ({"disk": {"replays": -1}}, "disk.replays must be 0 or more, not -1 / "),
        ({"until": "never"}, "until must be 'separated' or 'winner', not 'never' / "),
    ],
)
def test_a_wrong_key_of_ladder_yaml(club: Path, keys: dict[str, object], message: str) -> None:
    clubs.change(club, **{"workers": None, **keys})
    line = error_line(run("ladder", "run", club, cwd=club.parent), message)
    assert "ladder.yaml:" in line
    assert clubs.log(club) == ""


@pytest.mark.parametrize("number", [".nan", ".inf", "1e999", "-1e999"])
@pytest.mark.parametrize("key", ["checks: {seconds: ", "intervals: {publish: ", "limits: {wall: "])
def test_numbers_of_ladder_yaml_are_finite(club: Path, key: str, number: str) -> None:
    clubs.change(club, checks={}, intervals={}, limits={})
    path = club / "ladder.yaml"
    text = path.read_text().replace(f"{key.partition(':')[0]}: {{}}", f"{key}{number}}}")
    path.write_text(text)
    line = error_line(run("ladder", "status", club, cwd=club.parent))
    assert f"ladder.yaml:{text[: text.index(number)].count(chr(10)) + 1}:" in line


def test_a_submission_by_an_unknown_author(club: Path) -> None:
    refused(
        club,
        lambda: clubs.submitted(club, "bot", author="zoe"),
        "unknown author 'zoe' / ",
        "arena ladder invite",
        "zoe",
    )


def test_a_name_that_another_author_has(club: Path) -> None:
    run("ladder", "invite", club, "ann", "bob", cwd=club.parent)
    assert clubs.submitted(club, "best", author="ann").code == 0
    with Book(Folder(club), writes=True) as book, Door(Folder(club)) as door:
        book.add(door.uploads()[0], State.RATED, "it played")
    refused(
        club,
        lambda: clubs.submitted(club, "best", author="bob", number=2),
        "the name 'best' is taken / bot.yaml / choose another in bot.yaml",
    )
    shouted = bot(club.parent / "shouted", name="BEST")
    taken = "the name 'BEST' is taken / "
    for author, message in (("bob", taken), ("ann", "'BEST' is written 'best' here")):
        submit = partial(run, "submit", shouted, "--to", club, "--author", author)
        refused(club, partial(submit, cwd=club.parent), message)


@pytest.mark.parametrize("name", ["a b", "x" * 33, "bot@2", "böt", "-bot"])
def test_a_name_that_a_ladder_cannot_have(club: Path, name: str) -> None:
    folder = bot(club.parent / "odd", name=name)
    refused(
        club,
        lambda: run("submit", folder, "--to", club, cwd=club.parent),
        "on a ladder the name of a bot cannot be",
    )
    if not name.startswith("-"):
        ran = run("ladder", "invite", club, name, cwd=club.parent)
        error_line(ran, "the name of an author cannot be")


def test_a_quota_that_is_used_up(club: Path) -> None:
    clubs.change(club, quotas={"uploads": 2})
    for number in (1, 2):
        assert clubs.submitted(club, "bot", number=number).code == 0
    refused(
        club,
        lambda: clubs.submitted(club, "bot", number=3),
        "the quota of ",
        " is used up until 2",
        "Z / ",
        "at most 2 submissions in 24 hours",
    )
    again = clubs.submitted(club, "bot", number=2)
    assert again.code == 0
    assert "bot@2" in again.out
    assert "(before: these are the same files)" in again.out


def test_an_archive_that_is_refused(club: Path) -> None:
    with zipfile.ZipFile(club.parent / "bad.zip", "w") as archive:
        archive.writestr("../bot.yaml", "name: bad\ncommand: x\n")
    words = ("submit", "bad.zip", "--to", club)
    refused(
        club,
        lambda: run(*words, cwd=club.parent),
        "the archive holds a path that leads out of the archive / ",
        "bad.zip",
    )


def test_sample_bots_are_submitted_one_at_a_time(club: Path) -> None:
    for name, message in (
        ("*", "bots / BOT / submit one at a time"),
        ("ods", "did you mean 'odds'?"),
    ):
        submit = partial(run, "submit", f"sample:{name}", "--to", club, cwd=club.parent)
        refused(club, submit, message)
    ran = run("submit", "sample:odds", "--to", club, "--no-wait", cwd=club.parent)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("received odds@1 sha256 ")


@pytest.mark.parametrize("order", ["approve", "rest", "resume", "strike", "recheck"])
def test_an_order_about_a_version_that_is_not_there(club: Path, order: str) -> None:
    refused(
        club,
        lambda: run("ladder", order, club, "bot@1", cwd=club.parent),
        "there is no version 'bot@1' / ",
        "arena ladder list",
    )


@pytest.mark.parametrize(
    ("author", "uploads", "parts"),
    [("nn", 7, ["unknown author 'nn'"]), ("ann", 0, ["a quota is 1 to 1,000 ", "ladder revoke"])],
)
def test_an_order_for_a_quota_that_cannot_be(
    club: Path, author: str, uploads: int, parts: list[str]
) -> None:
    run("ladder", "invite", club, "ann", cwd=club.parent)
    order = partial(run, "ladder", "quota", club, author, uploads, cwd=club.parent)
    refused(club, order, *parts)


def test_two_ladders_on_one_folder(club: Path) -> None:
    with locked(Folder(club)):
        refused(
            club,
            lambda: run("ladder", "run", club, cwd=club.parent),
            "another ladder runs in this folder / ",
            "arena ladder status",
        )


def test_a_backup_to_a_folder_that_is_there(club: Path) -> None:
    (club.parent / "copy").mkdir()
    refused(
        club,
        lambda: run("ladder", "backup", club, "copy", cwd=club.parent),
        "it is there already / copy / name a new folder",
    )


def test_a_rule_for_versions_that_is_not_known(club: Path) -> None:
    clubs.change(club, keep="best")
    refused(club, lambda: run("ladder", "run", club, cwd=club.parent), "'best'", "ladder.yaml:")
