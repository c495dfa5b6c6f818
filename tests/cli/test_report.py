"""`arena report`: shown in a browser, written anew while a league runs, and without names."""

import csv
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.cli.command import (
    HANG,
    PLAY,
    READY,
    arena,
    bot,
    environment,
    error_line,
    play_league,
    run,
    told,
)
from tests.league.store.edit import moved, removed
from tests.publish.pages import broken_links, everything, tree

LOUD = (
    """
    import sys
    print("quetzalcoatl by Wilhelmina", file=sys.stderr, flush=True)
"""
    + READY
    + """
            print("by WILHELMINA ODDFELLOW", flush=True)
"""
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of which one bot talks and faults."""
    folder = tmp_path_factory.mktemp("report")
    bot(folder / "loud", LOUD, name="Quetzalcoatl", author="Wilhelmina Oddfellow")
    field = ["sample:odds", "sample:honest", "loud"]
    return play_league(folder, code=1, bots=field, players=[2, 3])


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(played, tmp_path / "league"))


@pytest.fixture
def halved(copied: Path) -> Path:
    """The folder of a league that was stopped half way."""
    whole = moved(copied / "league.sqlite", copied / "whole.sqlite")
    with Store(whole) as old, Store(copied / "league.sqlite", create=True) as new:
        assert old.league
        new.begin(old.league)
        for one in list(old.played())[::2]:
            new.add(pack(one))
    return copied


@contextmanager
def watching(folder: Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield `arena report --watch` into the folder `watched`."""
    # A run of the tests in the background ignores Ctrl-C, and so would what it starts.
    heeding = ("env", "--default-signal=INT")
    command = [*heeding, *arena("report", "league.yaml", "--watch", "--site", "watched", *more)]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    """The next line, without those that say how far a report is."""
    assert process.stderr
    return next(text for text in process.stderr if told(text))


def rest(process: "subprocess.Popen[str]") -> str:
    """The last line of a process that ends well."""
    said = process.communicate(timeout=HANG)[1]
    assert process.returncode == 0
    return said.splitlines()[-1]


@pytest.mark.slow
def test_watched_site_follows_the_league_and_ends_with_it(halved: Path) -> None:
    with watching(halved) as process:
        assert line(process) == "written: watched/index.html (12 games; 6 fixtures are left)\n"
        assert run(*PLAY, cwd=halved).code == 1
        assert rest(process) == "report: watched/index.html"
    assert tree(halved / "watched") == tree(halved / "site")


@pytest.mark.slow
def test_watching_may_begin_before_the_league(copied: Path) -> None:
    removed(copied / "league.sqlite")
    with watching(copied) as process:
        waiting = "waiting for the first game in league.sqlite: arena run league.yaml\n"
        assert line(process) == waiting
        assert run(*PLAY, cwd=copied).code == 1
        assert rest(process) == "report: watched/index.html"
    assert tree(copied / "watched") == tree(copied / "site")


def test_finished_league_is_not_watched(copied: Path) -> None:
    ran = run("report", "league.yaml", "--watch", cwd=copied)
    assert (ran.code, told(ran.err)) == (0, ["report: site/index.html"])


def test_address_of_the_site_is_in_its_pages(copied: Path) -> None:
    ran = run("report", "league.yaml", "--url", "https://example.org/cup", cwd=copied)
    assert (ran.code, told(ran.err)) == (0, ["report: site/index.html"])
    front = (copied / "site/index.html").read_text()
    assert 'content="https://example.org/cup/podium.png"' in front
    assert run("report", "league.yaml", "--url", "cup", cwd=copied).code == 2


def test_ctrl_c_ends_watching_and_leaves_a_whole_site(halved: Path) -> None:
    with watching(halved) as process:
        assert line(process).startswith("written: ")
        process.send_signal(signal.SIGINT)
        assert rest(process) == "report: watched/index.html"
    assert broken_links(halved / "watched") == []
    removed(halved / "league.sqlite")
    with watching(halved) as process:
        assert line(process).startswith("waiting ")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=HANG)[1] == ""
        assert process.returncode == 0


def browser(folder: Path) -> dict[str, str]:
    """Return what makes the arena open pages with a program that only writes them down."""
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" >> "{folder}/opened"\n')
    program.chmod(0o755)
    return {"BROWSER": f"{program} %s"}


def test_open_shows_the_front_page(copied: Path) -> None:
    ran = run("report", "league.yaml", "--open", cwd=copied, env=browser(copied))
    assert (ran.code, told(ran.err)) == (0, ["report: site/index.html"])
    assert (copied / "opened").read_text() == f"file://{copied}/site/index.html\n"


def test_page_to_open_is_named_without_a_browser(copied: Path) -> None:
    env = {"BROWSER": "/missing %s", "PATH": "/missing", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    ran = run("report", "league.yaml", "--open", cwd=copied, env=env)
    page = copied / "site/index.html"
    assert ran.code == 0
    assert told(ran.err) == [f"no browser was found: open {page}", "report: site/index.html"]


def test_anonymous_site_has_no_names_and_stays_the_same(copied: Path) -> None:
    named = everything(copied / "site").casefold()
    secrets = ["quetzalcoatl", "wilhelmina", "oddfellow"]
    assert [word for word in secrets if word not in named] == []
    for site in ("site", "again"):
        options = ("--anonymous", "--replays", "all", "--site", site)
        assert run("report", "league.yaml", *options, cwd=copied).code == 0
    assert tree(copied / "site") == tree(copied / "again")
    found = everything(copied / "site").casefold()
    assert [word for word in secrets if word in found] == []
    assert "quetz" not in found
    assert "malformed_line" in found
    assert broken_links(copied / "site") == []


def test_seed_in_the_league_is_warned_about(copied: Path) -> None:
    warning = "warning: whoever guesses the seed or reads it in league.yaml can find out who is who"
    for options, said in ((["--anonymous"], [warning]), ([], [])):
        ran = run("report", "league.yaml", "--site", "shown", *options, cwd=copied)
        assert (ran.code, told(ran.err)) == (0, [*said, "report: shown/index.html"])


def test_key_lists_names_and_pseudonyms(copied: Path) -> None:
    options = ("--anonymous-key", "who.csv", "--replays", "all", "--json")
    ran = run("report", "league.yaml", *options, cwd=copied)
    assert ran.code == 0
    with (copied / "who.csv").open() as file:
        rows = {(row["kind"], row["name"]): row["pseudonym"] for row in csv.DictReader(file)}
    mine = rows["bot", "Quetzalcoatl"]
    author = rows["author", "Wilhelmina Oddfellow"]
    page = (copied / f"site/bots/{mine}.html").read_text()
    assert mine in page
    assert author in page
    assert mine in ran.out
    assert "quetzalcoatl" not in (ran.out + ran.err + everything(copied / "site")).casefold()
    assert (copied / "who.csv").stat().st_mode & 0o077 == 0


def test_key_that_cannot_be_written_is_an_error(copied: Path) -> None:
    options = ("--anonymous-key", "missing/who.csv")
    error_line(run("report", "league.yaml", *options, cwd=copied), "the key cannot be written")


def test_a_game_is_written_as_an_animated_picture(copied: Path) -> None:
    ran = run("animate", "league.yaml", "0", "0", "--last", "1", cwd=copied)
    assert (ran.code, told(ran.err)) == (0, ["animation: game-0-0.gif"])
    assert (copied / "game-0-0.gif").read_bytes().startswith(b"GIF89a")
    error_line(run("animate", "league.yaml", "0", "999", cwd=copied), "fixture 0 has no game 999")
    ran = run("animate", "league.yaml", "0", "0", "--into", "no/such.gif", cwd=copied)
    error_line(ran, "it cannot be written", "such.gif")


def test_card_of_a_bot_is_a_file_of_the_report(copied: Path) -> None:
    ran = run("card", "league.yaml", "honest", cwd=copied)
    assert (ran.code, told(ran.err)) == (0, ["card: honest.svg"])
    card = (copied / "honest.svg").read_text()
    assert card == (copied / "site/cards/honest.svg").read_text()
    text = "".join(ElementTree.fromstring(card).itertext())  # noqa: S314 - our own
    assert re.search(r"honest: rank \d( to \d)? of \d, [\d.]+\s% of its rivals beaten", text)
    error_line(run("card", "league.yaml", "honst", cwd=copied), "honst", "did you mean 'honest'?")
    ran = run("card", "league.yaml", "honest", "--into", "no/such.svg", cwd=copied)
    error_line(ran, "the card cannot be written", "such.svg")
