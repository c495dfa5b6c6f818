"""`arena export`: a row a game, the same in every format, harmless, also while a league runs."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.io import shipped
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.cli.command import (
    FORMULA,
    ROOT,
    Ran,
    confined,
    error_line,
    league,
    opened,
    run,
    unread,
)
from tests.league.store import edit

NAMES = {"odds", "honest", FORMULA}


@pytest.fixture
def played(played_with_crashes: Path, tmp_path: Path) -> Path:
    """A copy of the folder of a league that was played."""
    return Path(shutil.copytree(played_with_crashes, tmp_path / "played"))


def jsonl(folder: Path, *options: str) -> list[dict[str, Any]]:
    ran = run("export", "league.yaml", "--format", "jsonl", *options, cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.slow
def test_rows_are_what_the_records_say(played: Path) -> None:
    rows = jsonl(played)
    records = opened(played / "league.sqlite")
    assert len(rows) == 24
    games = [(record["fixture"], game) for record in records for game in record["games"]]
    for row, (fixture, game) in zip(rows, games, strict=True):
        tags = [event[0] for event in game["events"]]
        faults = {event[1]: event[2] for event in game["events"] if event[0] == "fault"}
        seats = fixture["seats"]
        assert row == {
            "fixture": fixture["id"],
            "index": fixture["index"],
            "block": fixture["block"],
            "variant": "bga",
            "players": len(seats),
            "game": game["game"],
            "counts": True,
            "winner": next(seats[at] for at, place in enumerate(game["places"]) if place == 1),
            "rounds": tags.count("round"),
            "max_rounds": 250 * len(seats),
            "bids": tags.count("bid"),
            "sandbox": "process",
            "clock": row["clock"],
            "seats": seats,
            "places": game["places"],
            "faults": [faults.get(seat) for seat in range(len(seats))],
        }
    assert {cause for row in rows for cause in row["faults"]} == {None, "crash"}


def test_json_is_jsonl(played: Path) -> None:
    one = run("export", "league.yaml", "--json", cwd=played)
    assert one == run("export", "league.yaml", "--format", "jsonl", cwd=played)


def test_csv_has_the_same_and_no_formula(played: Path) -> None:
    ran = run("export", "league.yaml", "-o", "games.csv", cwd=played)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    text = (played / "games.csv").read_text(encoding="utf-8")
    assert text == run("export", "league.yaml", cwd=played).out
    rows = list(csv.DictReader(io.StringIO(text)))
    for row, same in zip(rows, jsonl(played), strict=True):
        names = [row[f"seat_{seat}"].removeprefix("'") for seat in range(3)]
        assert names[: same["players"]] == same["seats"]
        assert [row[f"place_{seat}"] for seat in range(same["players"])] == [
            str(place) for place in same["places"]
        ]
        assert [row[f"fault_{seat}"] or None for seat in range(same["players"])] == same["faults"]
        if same["players"] == 2:
            assert (row["seat_2"], row["place_2"], row["fault_2"]) == ("", "", "")
    cells = {cell for row in rows for cell in row.values()}
    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith("=")]


def test_parquet_has_the_same(played: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    ran = run("export", "league.yaml", "--format", "parquet", "-o", "games.parquet", cwd=played)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert parquet.read_table(played / "games.parquet").to_pylist() == jsonl(played)


def test_parquet_without_pyarrow(played: Path, tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('pyarrow')")
    ran = run(
        "export",
        "league.yaml",
        "--format",
        "parquet",
        "-o",
        tmp_path / "games.parquet",
        cwd=played,
        env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
    )
    error_line(ran, "parquet needs pyarrow", shipped.how_to_install("parquet"))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["pyarrow.py"]


def test_pairs_are_those_of_the_report(played: Path) -> None:
    pairs = jsonl(played, "--rows", "pairs")
    found = {(one["players"], one["bot"], one["opponent"]): one for one in pairs}
    assert len(found) == len(pairs) == 12
    assert run("report", "league.yaml", "--site", "pairs", cwd=played).code == 0
    for players in (2, 3):
        for kind, columns in (("better", ["probability"]), ("head-to-head", ["ahead", "games"])):
            table = json.loads((played / f"pairs/data/{kind}-bga-{players}p.json").read_bytes())
            assert table["all_pairs"] is None
            assert len(table["rows"]) == 6
            for row in table["rows"]:
                pair = found[players, row["bot"], row["opponent"]]
                assert [pair[name] for name in columns] == [row[name] for name in columns]


def test_pairs_are_the_same_in_every_format(played: Path) -> None:
    pairs = jsonl(played, "--rows", "pairs")
    ran = run("export", "league.yaml", "--rows", "pairs", cwd=played)
    for row, same in zip(csv.DictReader(io.StringIO(ran.out)), pairs, strict=True):
        shown = {
            name: f"'{value}" if value == FORMULA else str(value) for name, value in same.items()
        }
        assert row == shown
    parquet = pytest.importorskip("pyarrow.parquet")
    to = ("--format", "parquet", "-o", "pairs.parquet")
    assert run("export", "league.yaml", "--rows", "pairs", *to, cwd=played).code == 0
    assert parquet.read_table(played / "pairs.parquet").to_pylist() == pairs


def test_games_that_no_longer_count_are_marked(played: Path, tmp_path: Path) -> None:
    edit.copied(played / "league.sqlite", tmp_path / "league.sqlite")
    league(tmp_path, bots=["sample:odds", "sample:honest"], players=[2, 3])
    bots = ["sample:odds", "sample:honest", "sample:random"]
    league(tmp_path, bots=bots, players=[2, 3], struck=[FORMULA])
    play = ("run", "league.yaml", "--sandbox", "process", "--accept-changes")
    assert run(*play, cwd=tmp_path).code == 0
    rows = jsonl(tmp_path)
    assert {row["counts"] for row in rows} == {True, False}
    assert all(row["counts"] == (FORMULA not in row["seats"]) for row in rows)


def test_export_while_a_league_runs(played: Path, tmp_path: Path) -> None:
    """A row for each game that was stored when the export began, whoever writes meanwhile."""
    edit.copied(played / "league.sqlite", tmp_path / "league.sqlite")
    with Store(tmp_path / "league.sqlite", create=True) as writer:
        [*_, last] = writer.played()
        assert jsonl(tmp_path) == jsonl(played)
        writer.add(pack(last))
        assert jsonl(tmp_path) == jsonl(played)


@pytest.mark.parametrize("target", ["league.sqlite", "league.logs.sqlite", "league.yaml"])
def test_files_of_the_league_are_not_overwritten(played: Path, target: str) -> None:
    before = (played / target).read_bytes()
    error_line(run("export", "league.yaml", "-o", target, cwd=played), "overwrite the league")
    assert (played / target).read_bytes() == before


def test_output_that_cannot_be_written_is_an_error(played: Path) -> None:
    ran = run("export", "league.yaml", "-o", "none/games.csv", cwd=played)
    error_line(ran, "the export cannot be written: ", "none/games.csv", "name a file in a folder")


def test_existing_file_survives_a_failed_export(played: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    shell = 'printf before > "$0/games.csv"; "$@"; code=$?; cat "$0"/* "$0"/.g*; exit $code'
    under = [*confined("--size", 4096, "--tmpfs", disk), "sh", "-c", shell, disk]
    ran = run("export", "league.yaml", "-o", disk / "games.csv", cwd=played, under=under)
    assert (ran.code, ran.out) == (2, "before")
    assert ran.err.startswith("error: the export cannot be written: No space left")


def test_export_that_nobody_reads_stops(played: Path) -> None:
    assert unread("export", "league.yaml", cwd=played) == Ran(141, "", "")


def test_store_without_games_is_refused(tmp_path: Path) -> None:
    league(tmp_path)
    error_line(run("export", "league.yaml", cwd=tmp_path), "nothing was played yet", "arena run")
