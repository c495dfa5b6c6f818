"""A whole league from league.yaml to the site: its files, its output, that it is reproducible."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import FIELD, LOWEST, bare_machine, bot, league, opened, records, run, told
from tests.publish.pages import broken_links, timeless, tree
from tests.support.sampling import sample

SANDBOXES = ("process", "bubblewrap")
VARIANTS = ["bga", "classic", "pressman", "italian"]


def _boards(site: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of each leaderboard by the file's id and the bot's name."""
    paths = site.glob("data/leaderboard-*.json")
    return {
        path.stem.removeprefix("leaderboard-"): {
            row["bot"]: row for row in json.loads(path.read_bytes())["rows"]
        }
        for path in paths
    }


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "several languages"))
def test_a_league_of_bots_in_several_languages(tmp_path: Path, sandbox: str) -> None:
    names = ["c-counter", "honest", "js-cautious", "odds", "sh-minimal"]
    path = league(
        tmp_path,
        bots=["sample:c-counter", "sample:[hjos]*"],
        games=1,
        variants=["bga", "italian"],
        name="All",
    )
    ran = run("run", path, "--sandbox", sandbox, cwd=tmp_path)
    assert ran.code == 0, ran.err
    fixtures = 2 * len(names) * (len(names) - 1)
    said = told(ran.err)
    assert said[0] == f"All: {len(names)} bots, bga, italian, tables of 2"
    assert said[1] == f"sandbox: {sandbox}; store: {tmp_path}/league.sqlite"
    assert said[2] == "SHA-256 of the master seed: " + sha256(b"s").hexdigest()
    assert re.match(rf"{fixtures}/{fixtures} fixtures, {fixtures} games, .*, faults 0$", said[-2])
    assert said[-1] == "report: site/index.html"
    site = tmp_path / "site"
    assert broken_links(site) == []
    assert {path.stem for path in (site / "bots").iterdir()} == set(names)
    assert {"index.html", "conditions.html", "faults.html", "style.css"} <= set(tree(site))
    boards = _boards(site)
    assert set(boards) == {"bga-2p", "italian-2p"}
    for rows in boards.values():
        assert set(rows) == set(names)
        assert {row["games"] for row in rows.values()} == {2 * (len(names) - 1)}
        assert sum(row["wins"] for row in rows.values()) == fixtures // 2
    conditions = (site / "conditions.html").read_text()
    assert sandbox in conditions
    assert sha256(b"s").hexdigest() in conditions
    assert [record["fixture"]["index"] for record in opened(tmp_path / "league.sqlite")] == list(
        range(fixtures)
    )


def test_the_boards_are_printed_best_first(tmp_path: Path) -> None:
    league(tmp_path, variants=["bga", "pressman"], players=[2, 3], ratings={"provisional": 0})
    ran = run("run", "league.yaml", "--sandbox", "process", cwd=tmp_path)
    heads = [f"{name}, {size} players" for name in ("bga", "pressman") for size in (2, 3)]
    *tables, overall = ran.out.strip().split("\n\n")
    assert [table.splitlines()[0] for table in tables] == heads
    assert overall.startswith("overall: ")
    for table, (_, rows) in zip(tables, sorted(_boards(tmp_path / "site").items()), strict=True):
        *of_bots, verdict = table.splitlines()[2:]
        first = [row["bot"] for row in rows.values() if row["may_be_first"]]
        best = "{} is best" if len(first) == 1 else "may be first: {}"
        assert verdict == f"{best.format(', '.join(first))} (95 %)"
        lines = [re.split("  +", line.strip()) for line in of_bots]
        assert [line[0].split() for line in lines] == [
            [str(row["rank"]), row["bot"]] for row in rows.values()
        ]
        for line, row in zip(lines, rows.values(), strict=True):
            ends = [f"{row[end]:+.2f}" for end in ("low", "high") if row[end] is not None]
            assert [word for word in line[4].split() if word[0] in "+-"] == ends
            assert [line[1], *line[7:]] == [
                f"{row['best']}-{row['worst']}",
                str(row["games"]),
                str(row["faults"]),
            ]
            shown = [float(line[at].removesuffix(" %")) for at in (2, 3, 5, 6)]
            shares = [100 * row["beats_average"], 100 * row["win_share"]]
            assert shown[::3] == pytest.approx(shares, abs=0.05)
            assert shown[1:3] == pytest.approx([row["mu"], row["mean_place"]], abs=0.005)


@pytest.mark.slow
def test_the_strongest_sandbox_is_taken_unless_another_is_asked_for(tmp_path: Path) -> None:
    for number, (arguments, in_file, expected) in enumerate(
        [
            ([], "auto", "docker"),
            ([], "bubblewrap", "bubblewrap"),
            (["--sandbox", "process"], "bubblewrap", "process"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        league(folder, bots=FIELD[:2], games=1, sandbox=in_file)
        ran = run("run", "league.yaml", *arguments, cwd=folder)
        assert f"\nsandbox: {expected}; store: league.sqlite\n" in ran.err


@pytest.mark.slow
def test_without_bubblewrap_the_next_sandbox_is_taken_and_said(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    env = bare_machine(tmp_path)
    ran = run("run", "league.yaml", "--sandbox", "bubblewrap", cwd=tmp_path, env=env)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "'bubblewrap' does not work here: bwrap not found / " in ran.err
    ran = run("run", "league.yaml", cwd=tmp_path, env=env)
    assert ran.code == 0
    assert "\nsandbox: process;" in ran.err


def test_a_secret_seed_is_drawn_once_and_published(tmp_path: Path) -> None:
    league(tmp_path, seed=None, bots=FIELD[:2], games=1)
    play = ("run", "league.yaml", "--sandbox", "process")
    first = run(*play, "--json", cwd=tmp_path)
    info = json.loads(first.out)["league"]
    assert len(info["seed"]) == 32
    line = f"SHA-256 of the master seed: {sha256(info['seed'].encode()).hexdigest()}\n"
    assert line in first.err
    assert line in run(*play, cwd=tmp_path).err
    other = run(*play, "--store", "other.sqlite", "--json", cwd=tmp_path)
    assert json.loads(other.out)["league"]["seed"] != info["seed"]


def _play(
    folder: Path, name: str, *arguments: object, code: int = 0
) -> tuple[list[bytes], dict[str, bytes]]:
    """Play the league in a folder once more; returns its records and its site."""
    ends = ("--trust-bots", "--store", f"{name}.sqlite", "--site", name)
    ran = run("run", "league.yaml", *arguments, *ends, cwd=folder)
    assert ran.code == code, ran.err
    return records(folder / f"{name}.sqlite"), timeless(folder / name)


@pytest.mark.slow
def test_the_same_bytes_whatever_the_workers_and_the_sandbox(tmp_path: Path) -> None:
    """Bots that fault are deterministic, too."""
    bot(tmp_path / "cheat", LOWEST.replace('first["min"]', 'first["min"] - (asked["round"] == 1)'))
    bots = ["sample:odds", "sample:memory", "sample:bluffer", "cheat"]
    calza = {"variant": "italian", "calza": True}
    league(tmp_path, bots=bots, variants=[calza], players=3, games=1)
    one, site = _play(tmp_path, "one", "--sandbox", "process", "--workers", 1, code=1)
    many, same_site = _play(tmp_path, "many", "--sandbox", "process", "--workers", 2, code=1)
    boxed, _ = _play(tmp_path, "boxed", "--sandbox", "bubblewrap", "--workers", 2, code=1)
    assert len(one) == 2 * 3 * 2
    assert one == many
    assert one == boxed
    assert site == same_site
    assert b"illegal_action" in site["data/faults.csv"]


def test_another_seed_is_another_league(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[:2], games=1)
    first, _ = _play(tmp_path, "first", "--sandbox", "process")
    league(tmp_path, bots=FIELD[:2], games=1, seed="t")
    second, _ = _play(tmp_path, "second", "--sandbox", "process")
    assert len(first) == len(second) == 2
    assert not set(first) & set(second)


@pytest.mark.slow
def test_odds_beats_honest_beats_random_under_every_rule_book(tmp_path: Path) -> None:
    """With 95 % confidence: the ranges of the ranks do not touch."""
    variants = sample(VARIANTS, 2, "strength")
    league(tmp_path, variants=variants, games=50, seed="strength")
    assert run("run", "league.yaml", "--sandbox", "process", cwd=tmp_path).code == 0
    boards = _boards(tmp_path / "site")
    assert set(boards) == {f"{name}-2p" for name in variants}
    for rows in boards.values():
        ranks = [(rows[name]["best"], rows[name]["worst"]) for name in ("odds", "honest", "random")]
        assert ranks == [(1, 1), (2, 2), (3, 3)], rows
