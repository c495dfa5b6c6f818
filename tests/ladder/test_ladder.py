"""A ladder from its first submission to its second season, run as an operator runs it."""

import json
import os
import re
import shutil
import threading
from collections import defaultdict
from hashlib import sha256
from pathlib import Path

import pytest

from arena.io.job import LATER
from arena.ladder.book.tables import Version
from arena.ladder.check import scheduler
from arena.ladder.folder import Folder
from arena.ladder.pages.site import publish_all
from arena.ladder.run import run_ladder
from arena.ladder.season.season import Season
from arena.league.store.store import Store
from tests.cli.command import READY, run
from tests.ladder import club as clubs
from tests.ladder.club import Inside, inside
from tests.ladder.conftest import EXPECTED


def test_versions_have_a_state_a_reason_and_a_time(club: Path) -> None:
    found = clubs.versions(club)
    assert {name: one["state"] for name, one in found.items()} == EXPECTED
    assert all(one["why"] and one["since"] >= one["received_at"] for one in found.values())
    assert "does not start" in found["dead@1"]["why"] or "crash" in found["dead@1"]["why"]
    assert "illegal_action" in found["cheat@1"]["why"]
    assert found["one@1"]["why"].startswith("after its first ")  # it may have played many more now


def test_the_log_tells_the_story_of_a_version(club: Path) -> None:
    lines = clubs.log(club, "one@1").splitlines()
    told = [line.partition("one@1: ")[2] for line in lines]
    assert [one.partition(":")[0] for one in told] == [
        "received",
        "checking",
        "provisional",
        "rated",
    ]
    assert "18 steps, 20 games, 0 faults" in told[2]


def test_a_season_that_goes_on_has_no_winner(club: Path) -> None:
    page = (club / "site/index.html").read_text()
    assert "It goes on" in page
    assert "Finished" not in page
    assert " wins " not in page


def test_files_of_versions_are_immutable_and_named_by_their_content(club: Path) -> None:
    for path in (club / "versions").iterdir():
        assert sha256(path.read_bytes()).hexdigest() == path.stem
        assert path.stat().st_mode & 0o777 == 0o444
    digests = {one["digest"] for one in clubs.versions(club).values()}
    assert digests == {path.stem for path in (club / "versions").iterdir()}


def test_authors_are_told_what_was_found(club: Path) -> None:
    ann, bob = clubs.page(club, "ann"), clubs.page(club, "bob")
    assert "dead@1: refused" in ann
    assert f"no good, niceness {min(19, os.nice(0) + LATER)}" in ann, "a check is put last"
    assert "cheat@1: refused" in bob
    assert "<dt>answered</dt>" in bob
    assert "&#34;quantity&#34;:" in bob
    assert "cheat" not in ann


def test_the_seed_is_committed_to_and_nobody_else_can_read_it(club: Path) -> None:
    season = club / "seasons/1"
    seed = (season / "seed").read_text()
    [public] = json.loads((club / "site/seasons.json").read_text())
    assert public["commitment"] == sha256(seed.encode()).hexdigest()
    assert (public["seed"], public["root"]) == (None, None)
    assert season.stat().st_mode & 0o077 == 0
    shown = b"".join(path.read_bytes() for path in (club / "site/").rglob("*") if path.is_file())
    assert seed.encode() not in shown
    with Store(season / "league.sqlite") as store:
        keys = {result.fixture.dice_key for result in store.results()}
    assert keys
    assert [key for key in keys if key.encode() in shown] == []


def test_commands_of_a_league_work_on_a_season(club: Path) -> None:
    store = ("seasons/1/league.yaml",)
    assert "all replay byte for byte" in run("verify", *store, cwd=club).out
    assert run("export", *store, cwd=club).out.count("\n") > 4
    assert run("status", *store, "--json", cwd=club).code == 0


def test_status_is_for_monitors(club: Path) -> None:
    ran = run("ladder", "status", club, "--json", cwd=club.parent)
    found = json.loads(ran.out)
    assert ran.code == 1
    assert found["overdue"] == ["no ladder runs here"]
    assert found["versions"] == {"rated": 2, "refused": 2}
    assert (found["queue"], found["season"]) == (0, 1)
    assert [(one["variant"], one["players"]) for one in found["divisions"]] == [("bga", 2)]
    assert 0 < found["logs"] < found["logs_cap"] == 5 << 30
    with inside(club) as ladder:
        ladder.until(lambda: run("ladder", "status", club, cwd=club.parent).code == 0)


def test_refused_checks_do_not_use_up_the_quota(club: Path) -> None:
    ran = clubs.submitted(club, "dead", clubs.CRASHES, author="ann")
    assert "4 of 5 submissions left" in ran.out


def until_ordered(ladder: Inside, club: Path, *order: object) -> None:
    """Give an order to a ladder that runs, and wait until it is answered."""
    before = clubs.log(club).count(": done: ")
    assert run("ladder", *order, cwd=club.parent).code == 0
    ladder.until(lambda: clubs.log(club).count(": done: ") > before)


@pytest.mark.slow
def test_orders_are_carried_out_and_logged_with_who_and_why(copy: Path) -> None:
    with inside(copy) as ladder:
        until_ordered(ladder, copy, "rest", copy, "one@1", "--why", "a holiday")
        assert clubs.states(copy)["one@1"] == "resting"
        assert "a holiday" in clubs.versions(copy)["one@1"]["why"]
        until_ordered(ladder, copy, "resume", copy, "one@1")
        ladder.until(lambda: clubs.states(copy)["one@1"] == "rated")
        until_ordered(ladder, copy, "strike", copy, "two@1")
        assert clubs.states(copy)["two@1"] == "struck"
    ran = run("ladder", "resume", copy, "two@1", cwd=copy.parent)
    assert ran.code == 2
    assert "two@1 is struck: " in ran.err


@pytest.mark.slow
def test_a_closed_season_reveals_its_seed_and_the_next_begins(copy: Path) -> None:
    clubs.change(copy, games=4)
    ran = run("ladder", "run", copy, cwd=copy.parent)
    assert ran.code == 2
    assert "changed what decides games: games is 4, not 2 / " in ran.err
    assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
    with inside(copy) as ladder:
        ladder.until(lambda: clubs.played(clubs.store_of(copy, 2)) > 0)
    assert "season 2 begins" in clubs.log(copy)
    publish_all(Folder(copy), 100)
    first, second = json.loads((copy / "site/seasons.json").read_text())
    assert sha256(first["seed"].encode()).hexdigest() == first["commitment"]
    assert second["seed"] is None
    verify = ("verify", "seasons/1/league.yaml", "--root", first["root"])
    assert run(*verify, cwd=copy).code == 0
    assert first["seed"] in (copy / "site/seasons/1/conditions.html").read_text()
    assert (copy / "seasons/1").stat().st_mode & 0o055 == 0o055


@pytest.mark.slow
def test_a_ladder_that_is_stopped_as_a_season_begins_changes_no_field(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
    stop, enter = threading.Event(), Season.enter

    def enter_and_stop(season: Season, version: Version, archive: Path) -> None:
        enter(season, version, archive)
        if season.store.path == clubs.store_of(copy, 2):
            stop.set()

    with monkeypatch.context() as patch:
        patch.setattr(Season, "enter", enter_and_stop)
        run_ladder(Folder(copy), stop, lambda _: None)
    with Store(clubs.store_of(copy, 2)) as store:
        assert store.league is None
    assert clubs.states(copy)["one@1"] == clubs.states(copy)["two@1"] == "provisional"


@pytest.mark.slow
def test_a_backup_made_while_it_runs_goes_on_elsewhere(copy: Path) -> None:
    folder = copy.parent
    clubs.submitted(copy, "three", clubs.CRASHES, author="bob")
    with inside(copy) as ladder:
        ladder.until(lambda: clubs.is_taken_in(copy, "three@1"))
        assert run("ladder", "backup", copy, "saved", cwd=folder).code == 0
    shutil.rmtree(copy)
    assert (folder / "saved").stat().st_mode & 0o077 == 0
    assert run("ladder", "restore", "saved", "elsewhere/club", cwd=folder).code == 0
    club = folder / "elsewhere/club"
    assert run("verify", "seasons/1/league.yaml", cwd=club).code == 0
    with inside(club) as ladder:
        ladder.until(lambda: clubs.states(club).get("three@1") == "refused")


RECKLESS = READY.replace('"ready"', '"ready", "reusable": True') + (
    """
            answer = {"id": asked["id"], "action": "dudo"}
            if asked["raises"]:
                last = asked["raises"][-1]
                answer |= {"action": "bid", "quantity": last["max"], "face": last["face"]}
            print(json.dumps(answer), flush=True)
"""
)
"""A bot that bids as much as it can, and so hardly ever wins a game."""


@pytest.mark.slow
def test_a_version_that_is_worse_on_the_same_dice_rests_if_the_better_one_is_kept(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clubs.change(copy, keep="better")
    clubs.admitted(copy, "three", clubs.REUSABLE, author="bob")
    monkeypatch.setattr(scheduler, "Job", clubs.Admits)
    with inside(copy) as ladder:
        ladder.until(lambda: clubs.states(copy).get("three@1") == "rated")
        clubs.submitted(copy, "one", RECKLESS, author="ann", number=2)
        ladder.until(lambda: clubs.states(copy).get("one@2") == "resting")
        ladder.until(lambda: "(8 twin games)" in clubs.log(copy, "one@2"))
    publish_all(Folder(copy), 100)
    assert "(8 twin games)" in clubs.page(copy, "ann")
    assert "twin games" not in clubs.page(copy, "bob")
    found = clubs.versions(copy)
    assert found["one@1"]["state"] in {"provisional", "rated"}
    assert found["one@2"]["why"] == "one@1 is better, and plays on"
    told = re.search(r"worse than one@1 with (over )?\d+\.\d % \(8 twin games\)", clubs.log(copy))
    assert told
    again = run("submit", "one-2", "--to", copy, "--author", "ann", cwd=copy.parent)
    assert told[0] in again.out
    with Store(copy / "seasons/1/league.sqlite") as store:
        by_seed = defaultdict[str, list[tuple[str, ...]]](list)
        for one in store.results():
            by_seed[one.fixture.seed].append(one.fixture.seats)
    twins = [sorted(pair) for pair in by_seed.values() if len(pair) > 1]
    assert sorted(twins) == sorted(
        sorted([(*pair[:at], bot, *pair[at:]) for bot in ("one@1", "one@2")])
        for pair in (("three@1",), ("two@1",))
        for at in (0, 1)
    )
    assert "all replay byte for byte" in run("verify", "seasons/1/league.yaml", cwd=copy).out
