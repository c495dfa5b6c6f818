"""Every bot plays legally under all rules, and ends when it is told to."""

from itertools import product
from pathlib import Path

import pytest

from arena.game.rules.books import VARIANTS, variant
from tests.sample_bots.harness import Table
from tests.sample_bots.players import BotProcess, Player, Scripted, bot_folders, running
from tests.support.depth import depth
from tests.support.sampling import paired, sample

NAMES = [folder.name for folder in bot_folders()]
TABLES = [*product(VARIANTS, (False, True), (2, 3, 6))]
"""The rule book, whether calza may be called, and the seats."""
DICE = [*product((1, 2, 10), (False, True))]
"""How many dice each has at first, and whether lost ones are shown."""
ASK_FOR_CALZA = {"champion", "equilibrium", "odds", "memory"}


@pytest.mark.parametrize(("name", "table"), paired(NAMES, TABLES, "scripted seats"))
def test_plays_legally_among_scripted_seats(
    name: str, table: tuple[str, bool, int], folders: dict[str, Path], tmp_path: Path
) -> None:
    book, calza, seats = table
    rules = variant(book, {}, calza=calza)
    with running(folders[name], tmp_path) as bot:
        others = [Scripted(seat) for seat in range(1, seats)]
        played = Table(rules, f"{name}/{book}/{seats}", [bot, *others])
        played.begin(2)
        assert (0 in played.wants_calza) == (name in ASK_FOR_CALZA)
        for game in range(2):
            played.play(game)
        assert played.faults == []
        assert any(seat == 0 for seat, *_ in played.moves)


@pytest.mark.parametrize(("name", "kind"), paired(NAMES, DICE, "few and many dice"))
def test_plays_legally_with_few_and_many_dice(
    name: str, kind: tuple[int, bool], folders: dict[str, Path], tmp_path: Path
) -> None:
    """With few dice and few calls, bids reach the cap, and no raise is left."""
    dice, visible = kind
    rules = variant("pressman", {}, starting_dice=dice, lost_dice_visible=visible, calza=True)
    games = depth(8, 20) // min(dice, 4)
    with running(folders[name], tmp_path) as bot:
        table = Table(rules, f"{name}/{dice}", [Scripted(0, doubts=0.02), bot, Scripted(2)])
        table.begin(games)
        for game in range(games):
            table.play(game)
        assert table.faults == []


@pytest.mark.parametrize("name", NAMES)
def test_plays_on_when_others_fault(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    with running(folders[name], tmp_path) as bot:
        players: list[Player] = [Scripted(0, quits_in=1), Scripted(1), bot, Scripted(3, quits_in=4)]
        table = Table(variant("bga", {}, calza=True), name, players)
        table.begin(3)
        for game in range(3):
            table.play(game)
        assert {seat for seat, _ in table.faults} == {0, 3}


@pytest.mark.parametrize("book", sample(VARIANTS, 1, "all bots"))
def test_all_bots_at_one_table(book: str, folders: dict[str, Path], tmp_path: Path) -> None:
    for names in (NAMES[:4], NAMES[4:]):
        bots = [BotProcess(folders[name], tmp_path / name) for name in names]
        try:
            table = Table(variant(book, {}, calza=True), book, bots)
            table.begin(1)
            table.play(0)
            assert table.faults == []
            assert [bot.end() for bot in bots] == [0] * len(bots)
            assert [bot.stderr.read_text() for bot in bots] == [""] * len(bots)
        finally:
            for bot in bots:
                bot.kill()


@pytest.mark.parametrize("name", NAMES)
def test_ends_with_its_input(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    bot = BotProcess(folders[name], tmp_path / "stderr")
    try:
        Table(variant("bga", {}), name, [bot, Scripted(1)]).begin(1)
        assert bot.end(bye=False) == 0
        assert bot.stderr.read_text() == ""
    finally:
        bot.kill()


@pytest.mark.parametrize("name", NAMES)
def test_plays_the_same_game_again(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    moves = []
    for _ in range(2):
        with running(folders[name], tmp_path) as bot:
            table = Table(
                variant("italian", {}, calza=True), "again", [Scripted(0), bot, Scripted(2)]
            )
            table.begin(1)
            table.play(0)
            moves.append(table.moves)
    assert moves[0] == moves[1]
