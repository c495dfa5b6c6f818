"""`arena coach`: over a quick table and over a stored league."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from arena.author.coach.coaching import CAUTION, Choice, Coaching, Method, Puzzle, RequestTime
from arena.cli.author import coach as coached_games
from arena.playstats.coach.coach import (
    LEAST_WORTH,
    CalibrationBin,
    Cost,
    Judgement,
    Leak,
    TableCost,
)
from arena.playstats.coach.decisions import Decision
from arena.playstats.coach.lookahead import DEALS, FLOOR, LEAST_CHANCE
from tests.cli.command import LOWEST, ROOT, Ran, bot, error_line, league, run
from tests.league.store import edit
from tests.publish.pages import broken_links, read

QUICK = ("--games", "2", "--seed", "s", "--sandbox", "process")


def coached(*arguments: object, cwd: Path) -> dict[str, Any]:
    ran = run("coach", *arguments, "--json", cwd=cwd)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """A folder with the league of a quick table, and what was said of it."""
    folder = tmp_path_factory.mktemp("coach")
    return folder, run("coach", "sample:honest", *QUICK, "--into", "quick", cwd=folder)


def test_all_that_there_is_to_say_fits_on_a_screen(quick: tuple[Path, Ran]) -> None:
    _, ran = quick
    assert ran.code == 0, ran.err
    assert re.match(r"honest won \d of 4 games: \d+ to \d+ % \(95 %\); leaks found in ", ran.out)
    for heading in ("1. doubts too early: ", "Bids, by how likely", "time of its"):
        assert heading in ran.out
    assert len(ran.out.splitlines()) < 45
    assert max(map(len, ran.out.splitlines())) <= 120
    assert "arena report quick/league.yaml --replays all" in ran.err


def test_coach_calls_a_copy_by_its_folder(tmp_path: Path) -> None:
    for copy in ("my-bot", "my-bot-2"):
        bot(tmp_path / copy, name="my-bot")
    options = ("--games", "1", "--sandbox", "process", "--trust-bots", "--against")
    alone = coached("my-bot-2", *options, "sample:random", cwd=tmp_path)
    against = coached("my-bot-2", *options, "my-bot", cwd=tmp_path)
    assert (alone["bot"], against["bot"]) == ("my-bot-2", "my-bot-2")
    assert against["judgement"]["games"] == 2


def test_stored_games_get_the_judgement_of_the_quick_table(quick: tuple[Path, Ran]) -> None:
    folder, _ = quick
    again = coached("sample:honest", *QUICK, cwd=folder)
    stored = coached("honest", "--league", "quick/league.yaml", cwd=folder)
    assert stored["judgement"] == again["judgement"]
    assert stored["judgement"]["games"] == 4
    assert stored["times"] is None
    assert stored["caution"] == CAUTION
    assert sum(one["requests"] for one in again["times"]) == again["judgement"]["decisions"]
    assert {one["kind"] for one in again["times"]} >= {"opening", "reply"}


def test_every_decision_is_written_on_request(quick: tuple[Path, Ran]) -> None:
    folder, _ = quick
    stored = ("honest", "--league", "quick/league.yaml", "--decisions", "all.jsonl")
    found = coached(*stored, cwd=folder)["judgement"]
    lines = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]
    assert len(lines) == found["decisions"]
    assert sum(one["loss"] for one in lines) / 4 == pytest.approx(found["cost"]["per_game"])
    assert [one for one in lines if one == found["worst"][0]]
    error_line(run("coach", *stored, cwd=folder), "it exists already", "all.jsonl")
    missing = ("--league", "quick/league.yaml", "--decisions", "new.jsonl")
    error_line(run("coach", "nobody", *missing, cwd=folder), "'nobody'")
    assert not (folder / "new.jsonl").exists()


def test_progress_says_what_is_left(
    quick: tuple[Path, Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coached_games, "SOON", 0)
    ran = run("coach", "honest", "--league", "quick/league.yaml", cwd=quick[0])
    first = next(line for line in ran.err.splitlines() if line.startswith("judging"))
    assert re.fullmatch(r"judging game 1 of [1-9]\d*", first)


def test_worst_decisions_lead_to_their_step(quick: tuple[Path, Ran]) -> None:
    folder, _ = quick
    worst = coached("honest", "--league", "quick/league.yaml", cwd=folder)["judgement"]["worst"]
    losses = [one["loss"] for one in worst]
    assert losses == sorted(losses, reverse=True)
    one = worst[0]
    path = ("rerun", "quick/league.yaml", one["fixture"], one["game"])
    assert run(*path, cwd=folder).code == 0


@pytest.mark.slow
def test_tables_of_a_league_are_judged_apart(tmp_path: Path) -> None:
    path = league(tmp_path, variants=["bga", "italian"], players=[2, 3], games=1)
    assert run("run", path, "--sandbox", "process", cwd=tmp_path).code == 0
    found = coached("odds", "--league", path, cwd=tmp_path)["judgement"]
    tables = {(one["variant"], one["players"]) for one in found["tables"]}
    assert tables == {("bga", 2), ("bga", 3), ("italian", 2), ("italian", 3)}
    assert "italian, 3 players" in run("coach", "odds", "--league", path, cwd=tmp_path).out


def test_bots_of_ones_own_are_coached_at_larger_tables(tmp_path: Path) -> None:
    bot(tmp_path / "mine", LOWEST)
    rivals = ("--against", "sample:honest", "--against", "sample:random")
    options = ("--games", "1", "--variant", "italian", "--trust-bots", "--sandbox", "process")
    found = coached("mine", *rivals, *options, cwd=tmp_path)
    assert found["bot"] == "mine"
    [table] = found["judgement"]["tables"]
    assert (table["variant"], table["players"]) == ("italian", 3)


def test_bad_input_is_one_line(quick: tuple[Path, Ran]) -> None:
    folder, _ = quick
    stored = ("--league", "quick/league.yaml")
    error_line(run("coach", "nowhere", cwd=folder), "no such bot folder")
    error_line(run("coach", "sample:*", cwd=folder), "names", "bots", "name one of them")
    error_line(run("coach", "honset", *stored, cwd=folder), "'honset'", "did you mean 'honest'?")
    error_line(run("coach", "honest", *stored, "--games", "3", cwd=folder), "--games has no effect")
    error_line(run("coach", "sample:odds", "--store", "x", cwd=folder), "--store has no effect")
    error_line(
        run("coach", "honest", "--league", "none.yaml", cwd=folder), "no such file / none.yaml"
    )
    error_line(run("coach", "honest", "--league", ".", cwd=folder), "not a league, but a folder")
    itself = run("coach", "sample:odds", "--against", "sample:*", cwd=folder)
    error_line(itself, "'odds' cannot play against itself", "--against")


def test_the_usual_rival_gets_another_one(tmp_path: Path) -> None:
    ran = run("coach", "sample:odds", *QUICK, "--into", "quick", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = json.loads((tmp_path / "quick" / "league.yaml").read_text())
    assert found["name"] == "honest, odds"


def test_forbidden_events_are_named(finished: Path) -> None:
    """Somebody wrote a bid into the store that no rule allows."""

    def overbid(record: dict[str, Any]) -> None:
        bid = next(event for event in record["games"][0]["events"] if event[0] == "bid")
        bid[2] = 99

    edit.edit_record(finished / "league.sqlite", 0, overbid)
    ran = run("coach", "odds", "--league", "league.yaml", cwd=finished)
    error_line(ran, "the rules forbid", "fixture 0, game 0, event 1", "arena verify")


def test_bots_without_games_are_named(tmp_path: Path) -> None:
    """A league that was only begun has conditions, and no games."""
    path = league(tmp_path)
    error_line(run("coach", "odds", "--league", path, cwd=tmp_path), "league.sqlite")


def test_page_leads_to_the_replays(quick: tuple[Path, Ran]) -> None:
    folder, _ = quick
    ran = run("coach", "honest", "--league", "quick/league.yaml", "--site", "site", cwd=folder)
    assert ran.code == 0, ran.err
    assert "page: site/coach-honest.html" in ran.err
    page = folder / "site" / "coach-honest.html"
    shown = coached("honest", "--league", "quick/league.yaml", cwd=folder)["judgement"]
    steps = [link for link in read(page).links if "&see=" in link]
    assert len(steps) == 10 + sum(len(leak["examples"]) for leak in shown["leaks"])
    assert broken_links(folder / "site") == []
    assert run("report", "quick/league.yaml", "--site", "site", cwd=folder).code == 0
    assert page.exists()


def test_hostile_names_are_text_on_the_page(tmp_path: Path) -> None:
    bot(tmp_path / "x", LOWEST, name="<b>x</b>")
    options = ("--games", "1", "--trust-bots", "--site", "site", "--sandbox", "process")
    ran = run("coach", "x", *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    [page] = (tmp_path / "site").glob("coach-*.html")
    assert "b" not in {tag for tag, _ in read(page).tags}
    assert "&lt;b&gt;x&lt;/b&gt;" in page.read_text(encoding="utf-8")


def test_leaks_come_with_their_change_positions_and_test(quick: tuple[Path, Ran]) -> None:
    """`honest` doubts whatever its own dice do not back."""
    folder, ran = quick
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    change = next(
        line for line in lines if line.startswith("change doubt a bid only if it is less")
    )
    assert re.search(r"less than \d+ % likely to be true by its own dice; otherwise raise", change)
    assert sum(line.startswith("look at ") for line in lines) >= 2
    assert "test arena compare sample:honest NEW" in lines
    [first, *_] = coached("honest", "--league", "quick/league.yaml", cwd=folder)["judgement"][
        "leaks"
    ]
    assert (first["kind"], first["rule"]) == ("doubts too early", "doubt")
    assert 0 < first["value"] < 0.6
    for one in first["examples"]:
        assert one["kind"] == "doubts too early"
        assert len(one["hand"]) == one["dice"]
        last = one["bids"][-1]
        assert one["last"] == {"do": "bid", "quantity": last["quantity"], "face": last["face"]}


@pytest.mark.parametrize(
    ("options", "test"),
    [
        ((), "arena compare ./my-bot ./my-bot-2 --trust-bots"),
        (
            ("--variant", "italian", "--against", "sample:honest", "--against", "sample:odds"),
            "arena compare ./my-bot ./my-bot-2 --variant italian --players 3 --trust-bots",
        ),
    ],
)
def test_the_line_that_tests_a_change_is_for_the_tables_that_were_judged(
    tmp_path: Path, options: tuple[str, ...], test: str
) -> None:
    bot(tmp_path / "my-bot", LOWEST)
    options = (*options, "--games", "1", "--trust-bots", "--sandbox", "process")
    assert coached("./my-bot", *options, cwd=tmp_path)["test"] == test


@pytest.mark.slow
def test_leaks_come_with_what_their_estimate_does_not_know(tmp_path: Path) -> None:
    bot(tmp_path / "x", LOWEST)
    options = ("--games", "6", "--trust-bots", "--site", "site", "--sandbox", "process")
    ran = run("coach", "x", *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    [page] = (tmp_path / "site").glob("coach-*.html")
    assert CAUTION in ran.out
    assert CAUTION in page.read_text(encoding="utf-8")


def test_documents_name_every_field_and_figure() -> None:
    text = (ROOT / "docs" / "guides" / "coach.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[`.](\w+)", text.split("## JSON")[1]))
    shown = (
        Coaching,
        Judgement,
        Cost,
        TableCost,
        Decision,
        Leak,
        CalibrationBin,
        RequestTime,
        Method,
        Puzzle,
        Choice,
    )
    for struct in shown:
        assert {field.name for field in fields(struct)} <= named, struct
    for figure in (
        f"{FLOOR} + *p*",
        f"{DEALS} deals",
        f"least {LEAST_CHANCE:.0%}".replace("%", " %"),
    ):
        assert figure in text
    assert f"{LEAST_WORTH} wins per game" in text
