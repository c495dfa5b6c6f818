"""The trial of a version: games that nobody can tell from those of a season by what they are."""

import json
import textwrap
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.author.check.budget import Budget
from arena.author.check.steps import FIRST_GAME
from arena.bots.manifest import load_bot
from arena.game.records import LimitsInfo
from arena.game.rules.books import VARIANTS
from arena.game.seeds import bot_seed
from arena.ladder.check import scheduler
from arena.ladder.check.submission_check import GAMES, TrialFault, TrialTerms, trial
from arena.ladder.folder import Folder, make_private
from arena.ladder.pages.site import publish_all
from tests.cli.command import LOWEST, bot, run
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs
from tests.ladder.club import inside
from tests.support.live import HANG

pytestmark = pytest.mark.slow

KEEPS = LOWEST.replace('"ready"', '"ready", "reusable": True')
"""A bot that writes what it is greeted with to a file, as a line."""


def keeping(folder: Path, file: Path) -> Path:
    """Write a bot that adds each `hello` to a file."""
    file.touch(0o666)
    file.chmod(0o666)
    keep = f"if asked['type'] == 'hello': print(line.strip(), file=open({str(file)!r}, 'a'))"
    source = textwrap.dedent(KEEPS).replace(
        "    asked = json.loads(line)\n", f"    asked = json.loads(line)\n    {keep}\n"
    )
    return bot(folder, source, name="keeps")


def hellos(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def tried(source: Path, seed: str = "a", **more: Any) -> tuple[int, list[TrialFault]]:
    terms = TrialTerms(
        variants={"bga": VARIANTS["bga"]},
        players=(2,),
        limits=LimitsInfo(answer=HANG, game=HANG),
        sandbox="process",
        images={},
        trusted=True,
        packages=False,
        games=10,
    )
    return trial(replace(terms, **more), load_bot(source), seed, Budget())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    let_others_in(tmp_path)
    return tmp_path


def test_a_trial_is_drawn_from_its_seed(folder: Path) -> None:
    file = folder / "hellos"
    source, greeted = keeping(folder / "keeps", file), []
    for seed in ("a", "a", "b"):
        file.write_text("")
        assert tried(source, seed) == (GAMES, [])
        greeted.append(hellos(file))
    assert greeted[0] == greeted[1]
    seeds = {one["seed"] for one in [*greeted[0], *greeted[2]]}
    assert len(seeds) == 4
    assert bot_seed("trial-0", 0) not in seeds


@pytest.mark.parametrize(
    ("games", "players", "fixtures"),
    [(1, (2,), 20), (3, (2, 3), 7), (10, (2, 3, 4), 3), (40, (2,), 1)],
)
def test_a_trial_is_of_whole_fixtures_and_every_kind_of_table(
    folder: Path, games: int, players: tuple[int, ...], fixtures: int
) -> None:
    source = keeping(folder / "keeps", folder / "hellos")
    played, faults = tried(source, games=games, players=players)
    greeted = hellos(folder / "hellos")
    assert (played, len(greeted), faults) == (games * fixtures, fixtures, [])
    assert {one["seats"] for one in greeted} == {*players}
    assert {one["games"] for one in greeted} == {games}


def test_a_bot_is_greeted_in_its_trial_as_in_a_season(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the seed and the seat, which are drawn. Its author reads what the check measured."""
    monkeypatch.setattr(scheduler, "Job", clubs.AtOnce)
    file, club = folder / "hellos", clubs.make(folder, games=7)
    keeping(folder / "keeps-1", file)
    run("ladder", "invite", club, "ann", cwd=folder)
    clubs.admitted(club, "other", clubs.REUSABLE)
    clubs.submitted(club, "keeps", author="ann")
    with inside(club) as ladder:
        ladder.until(lambda: clubs.is_asleep(club, "keeps@1", "other@1"))
    publish_all(Folder(club), 100)
    assert "CPU time of a decision: median " in " ".join(clubs.page(club, "ann").split())
    noted = clubs.log(club, "keeps@1")
    assert "18 steps, 21 games, 0 faults, p99 " in noted
    assert "of 2000 ms CPU, awaited for " in noted
    trials, rated = ceil(GAMES / 7), clubs.played(clubs.store_of(club))
    greeted = hellos(file)[-trials - rated :]
    assert rated > 0
    assert all(kept(one) == kept(greeted[-1]) for one in greeted)
    assert len({one["seed"] for one in greeted}) == trials + rated


def kept(hello: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in hello.items() if key not in {"seed", "seat"}}


def test_every_check_draws_a_seed_and_keeps_it(folder: Path) -> None:
    club, file = clubs.make(folder, games=GAMES, checks={"steps": FIRST_GAME}), folder / "hellos"
    make_private(Folder(club).versions)
    source = keeping(folder / "keeps", file)
    results = [clubs.checked(clubs.check_order(club, source)) for _ in range(2)]
    assert all((one.ok, one.steps, one.games) == (True, FIRST_GAME, GAMES) for one in results)
    assert len({one.seed for one in results}) == 2
    drawn = hellos(file)[-1]
    file.write_text("")
    again = tried(source, results[-1].seed, games=GAMES, limits=LimitsInfo())
    assert again == (GAMES, [])
    assert hellos(file) == [drawn]
