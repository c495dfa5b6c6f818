"""`arena export --rows decisions`: each decision of the records, the same in every format."""

import csv
import io
import json
from fractions import Fraction
from itertools import chain, product
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from arena.game.rules.books import Rules, variant
from arena.game.rules.round import Bid, Round, Standing, raises
from arena.publish.export import DecisionRow
from tests.cli.command import READY, ROOT, bot, opened, play_league, run
from tests.league.store import edit

CRASHES = READY + "            sys.exit(3)\n"
ODDS = 1e-12


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league with calza, and with a bot that has a formula for a name."""
    folder = tmp_path_factory.mktemp("decisions")
    bot(folder / "broken", CRASHES, name="=1+1")
    variants = [{"variant": "classic", "calza": True, "starting_dice": 3}]
    bots = ["sample:odds", "sample:memory", "sample:honest", "broken"]
    # On these dice all calls and losses occur.
    return play_league(
        folder, code=1, bots=bots, players=[2, 3], variants=variants, shared_dice=True
    )


def jsonl(folder: Path, *options: str) -> list[dict[str, Any]]:
    ran = run("export", "league.yaml", "--rows", "decisions", "--json", *options, cwd=folder)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.slow
def test_rows_are_the_decisions_of_the_records(played: Path) -> None:
    rules = variant("classic", {}, calza=True, starting_dice=3)
    rows, expected = jsonl(played), list[dict[str, Any]]()
    for record in opened(played / "league.sqlite"):
        for game in record["games"]:
            expected += decisions(record["fixture"], game, rules)
    assert len(rows) == len(expected)
    for row, same in zip(rows, expected, strict=True):
        assert row.pop("chance") == pytest.approx(same.pop("chance"), abs=ODDS)
        assert row == same
    assert {row["action"] for row in rows} == {"bid", "dudo", "calza"}
    assert {row["dice_lost"] for row in rows} == {-1, 0, 1}


def decisions(fixture: dict[str, Any], game: dict[str, Any], rules: Rules) -> list[dict[str, Any]]:
    """Read the decisions from a stored game, by the rules of two readings: brute force and here."""
    rows: list[dict[str, Any]] = []
    used, shown = [False] * len(fixture["seats"]), list[str]()
    for step, (kind, *event) in enumerate(game["events"]):
        if kind == "round":
            number, opener, palifico, dice = event
            said: list[list[int]] = []
            of_round = len(rows)
            turn = opener
            standing = Standing(rules, tuple(map(len, dice)), tuple(used), opener, palifico)
        elif kind in ("bid", "call"):
            seat = event[0]
            bid = event[1:3] if kind == "bid" else said[-1][1:]
            calza = kind == "call" and event[1] == "calza"
            last = Bid(*said[-1][1:]) if said else None
            legal = raises(Round(standing, seat, last, said[-1][0] if said else None))
            rows.append(
                {
                    "variant": fixture["variant"],
                    "players": len(fixture["seats"]),
                    "starting_dice": 3,
                    "fixture": fixture["id"],
                    "index": fixture["index"],
                    "block": fixture["block"],
                    "counts": True,
                    "game": game["game"],
                    "round": number,
                    "step": step,
                    "key": f"{fixture['index']}.{game['game']}.{number}.{len(said)}.{seat}",
                    "seat": seat,
                    "bot": fixture["seats"][seat],
                    "dice": dice[seat],
                    "dice_counts": list(map(len, dice)),
                    "palifico_seat": palifico,
                    "palifico_used": [one for one, had in enumerate(used) if had],
                    "shown": " ".join(shown),
                    "bids": [list(one) for one in said],
                    "raises": [[r.face, r.min, r.max] for r in legal] if seat == turn else [],
                    "dudo": bool(said) and seat == turn,
                    "action": "bid" if kind == "bid" else event[1],
                    "quantity": bid[0] if kind == "bid" else None,
                    "face": bid[1] if kind == "bid" else None,
                    "decided_by": "",
                    "chance": chance(bid, dice, seat, palifico, exact=calza),
                    "true": holds([*chain(*dice)], bid, palifico, exact=calza),
                    "dice_lost": 0,
                    "place": game["places"][seat],
                }
            )
            said.append([seat, *bid])
            turn = next((seat + n) % len(dice) for n in range(1, 7) if dice[(seat + n) % len(dice)])
            if kind == "call":
                for row in rows[of_round:]:
                    row["dice_lost"] = (event[3] == row["seat"]) - (event[4] == row["seat"])
                if palifico is not None:
                    used[palifico] = True
                shown.append("/".join("".join(map(str, hand)) for hand in dice))
    return rows


def holds(dice: list[int], bid: list[int], palifico: int | None, *, exact: bool) -> bool:
    quantity, face = bid
    count = sum(die == face or (die == 1 and palifico is None) for die in dice)
    return count == quantity if exact else count >= quantity


def chance(
    bid: list[int], dice: list[list[int]], seat: int, palifico: int | None, *, exact: bool
) -> Fraction:
    """Count over all hands of the others, each die as a match or not."""
    face, hidden = bid[1], sum(map(len, dice)) - len(dice[seat])
    match = Fraction(1 + (face != 1 and palifico is None), 6)
    total = Fraction(0)
    other = 3 if face == 2 else 2
    for hits in product((True, False), repeat=hidden):
        table = dice[seat] + [face if hit else other for hit in hits]
        if holds(table, bid, palifico, exact=exact):
            total += match ** sum(hits) * (1 - match) ** (hidden - sum(hits))
    return total


def test_csv_has_the_same_and_no_formula(played: Path) -> None:
    ran = run("export", "league.yaml", "--rows", "decisions", cwd=played)
    assert ran.code == 0, ran.err
    for row, same in zip(csv.DictReader(io.StringIO(ran.out)), jsonl(played), strict=True):
        assert row == {name: as_cell(value) for name, value in same.items()}


def as_cell(value: Any) -> str:
    if isinstance(value, list):
        nested = value and isinstance(value[0], list)
        return "; ".join(map(as_cell, value)) if nested else " ".join(map(str, value))
    return "" if value is None else f"'{value}" if value == "=1+1" else str(value)


def test_parquet_has_the_same(played: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    options = ("--rows", "decisions", "--format", "parquet", "-o", "decisions.parquet")
    assert run("export", "league.yaml", *options, cwd=played).code == 0
    assert parquet.read_table(played / "decisions.parquet").to_pylist() == jsonl(played)


def test_anonymous_rows_name_nobody_and_are_the_same_otherwise(played: Path) -> None:
    hidden, named = jsonl(played, "--anonymous"), jsonl(played)
    pseudonyms = dict(zip((r["bot"] for r in named), (r["bot"] for r in hidden), strict=True))
    assert len({*pseudonyms.values()}) == len(pseudonyms)
    assert not pseudonyms.keys() & {*pseudonyms.values()}
    changed = [{**row, "bot": pseudonyms[row["bot"]], "fixture": ""} for row in named]
    assert hidden == changed
    key = run("report", "league.yaml", "--anonymous-key", "who.csv", "--site", "s", cwd=played)
    assert key.code == 0
    who = csv.DictReader(io.StringIO((played / "who.csv").read_text(encoding="utf-8")))
    of_report = {one["name"].lstrip("'"): one["pseudonym"] for one in who if one["kind"] == "bot"}
    assert pseudonyms.items() <= of_report.items()


@pytest.mark.parametrize("rows", ["games", "pairs"])
def test_other_rows_are_anonymous_too(played: Path, rows: str) -> None:
    ran = run("export", "league.yaml", "--rows", rows, "--json", "--anonymous", cwd=played)
    assert ran.code == 0
    assert ran.out
    assert not [name for name in ("odds", "memory", "honest", "=1+1") if f'"{name}"' in ran.out]


def test_seed_that_readers_know_is_warned_of(played: Path) -> None:
    ran = run("export", "league.yaml", "--anonymous", cwd=played)
    assert ran.err.startswith("warning: whoever guesses the seed")


def test_damaged_league_is_one_line(played: Path, tmp_path: Path) -> None:
    edit.copied(played / "league.sqlite", tmp_path / "league.sqlite")
    logs = tmp_path / "league.logs.sqlite"
    logs.write_bytes(logs.read_bytes()[: logs.stat().st_size // 2])
    (tmp_path / "league.yaml").write_bytes((played / "league.yaml").read_bytes())
    ran = run("export", "league.yaml", "--rows", "decisions", "-o", "d.csv", cwd=tmp_path)
    assert ran.code in (1, 2)
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "d.csv").exists()


def test_unknown_rows_are_refused(played: Path) -> None:
    ran = run("export", "league.yaml", "--rows", "rounds", cwd=played)
    assert ran.code == 2
    assert "'rounds'" in ran.err


def test_page_describes_every_column() -> None:
    lines = (ROOT / "docs" / "guides" / "lab.md").read_text(encoding="utf-8").splitlines()
    for column, kind in get_type_hints(DecisionRow, include_extras=True).items():
        [description] = [
            one.description for one in kind.__metadata__ if hasattr(one, "description")
        ]
        assert f"| `{column}` | {description} |" in lines
