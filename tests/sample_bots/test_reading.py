"""How sample bots read messages, count dice and learn."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.game.rules.books import variant
from arena.game.wire.codec import decode_answer
from arena.game.wire.messages import Answer
from tests.sample_bots.harness import Table
from tests.sample_bots.players import BotProcess, Player, Scripted, bot_folders, running

NAMES = [folder.name for folder in bot_folders()]
COUNTERS = ["equilibrium", "odds", "memory", "c-counter"]
NEWS = {"later": {"deep": ["}", {"why": 'a "quote" \\'}], "none": None}, "ok": True}
"""Fields that no bot knows."""


def turn(**changes: Any) -> dict[str, Any]:
    """Return a turn of seat 0 after seat 1 bid two sixes, five dice in hand."""
    base: dict[str, Any] = {
        "type": "turn",
        "id": 7,
        "game": 0,
        "round": 1,
        "seat": 0,
        "dice": [2, 2, 3, 4, 5],
        "bids": [{"seat": 1, "quantity": 2, "face": 6}],
        "alive": [0, 1],
        "dice_counts": None,
        "palifico_seat": None,
        "raises": [{"face": 1, "min": 1, "max": 15}, {"face": 6, "min": 3, "max": 15}],
        "dudo": True,
    }
    return base | changes


def begin(bot: BotProcess) -> None:
    """Say hello at a table of three, with the bot in seat 0."""
    Table(variant("bga", {}), "", [bot, Scripted(1), Scripted(2)]).begin(1)


def ask(bot: BotProcess, *messages: dict[str, Any]) -> Answer:
    for message in messages:
        bot.tell_line(json.dumps(message).encode() + b"\n")
    return decode_answer(bot.exchange())


@pytest.mark.parametrize("name", NAMES)
def test_unknown_fields_and_messages_are_ignored(
    name: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    backwards = dict(reversed(list(turn().items())))
    asked = [turn(), backwards, backwards | NEWS, NEWS | turn()]
    if name == "sh-minimal":  # it reads words, not JSON, as it says
        asked = [turn(), backwards, {"ok": True, **turn(), "later": None}]
    answers = []
    for request in asked:
        with running(folders[name], tmp_path) as bot:
            begin(bot)
            answers.append(ask(bot, {"type": "weather", "sun": True}, request))
    assert answers == [answers[0]] * len(asked)
    assert (answers[0].id, answers[0].action) in {(7, "bid"), (7, "dudo")}


@pytest.mark.parametrize("name", NAMES)
def test_bot_doubts_if_it_cannot_raise(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    """It doubts even a bid that its own dice prove."""
    with running(folders[name], tmp_path) as bot:
        begin(bot)
        last = turn(bids=[{"seat": 1, "quantity": 2, "face": 1}], dice=[1] * 5, raises=[])
        assert ask(bot, last).action == "dudo"


@pytest.mark.parametrize("name", COUNTERS)
def test_hidden_dice_are_counted(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    """Two sixes are likely among ten hidden dice and impossible with one."""
    lost = {
        "type": "round_end",
        "game": 0,
        "round": 0,
        "palifico_seat": None,
        "bids": [{"seat": 1, "quantity": 9, "face": 5}],
        "caller": 0,
        "call": "dudo",
        "dice": [[2, 2, 3, 4, 5], [2, 3, 4, 5, 6], []],
        "count": 2,
        "loser": 1,
        "gainer": None,
    }
    fault = {"type": "fault", "game": 0, "round": 0, "seat": 2, "cause": "timeout"}
    over = {"type": "game_end", "game": 0, "places": [1, 2, 3]}
    with running(folders[name], tmp_path) as bot:
        begin(bot)
        assert ask(bot, turn(alive=[0, 1, 2])).action == "bid"
        few = [fault] + [lost | {"dice": [[2], [3] * left, []]} for left in (5, 4, 3, 2)]
        assert ask(bot, *few, turn()).action == "dudo"
        assert ask(bot, lost | {"loser": None, "gainer": 1, "call": "calza"}, turn()).id == 7
        assert ask(bot, over, turn(game=1, alive=[0, 1, 2])).action == "bid"


def test_odds_counts_dice_by_game(folders: dict[str, Path], tmp_path: Path) -> None:
    """Dice lost in one of several concurrent games are not lost in another."""
    faults = [{"type": "fault", "game": 0, "round": 0, "seat": 2, "cause": "crash"}]
    with running(folders["odds"], tmp_path) as bot:
        begin(bot)
        bid = [{"seat": 1, "quantity": 4, "face": 6}]
        assert ask(bot, *faults, turn(game=0, bids=bid)).action == "dudo"
        assert ask(bot, turn(game=1, bids=bid, alive=[0, 1, 2])).action == "bid"
        assert ask(bot, turn(game=0, bids=bid)).action == "dudo"


@pytest.mark.parametrize("name", ["champion", "equilibrium", "odds", "memory"])
def test_plays_the_same_whether_lost_dice_are_shown(
    name: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    moves = []
    for visible in (False, True):
        rules = variant("bga", {}, calza=True, lost_dice_visible=visible)
        with running(folders[name], tmp_path) as bot:
            players: list[Player] = [Scripted(0), bot, Scripted(2, quits_in=3), Scripted(3)]
            table = Table(rules, "count", players)
            table.begin(3)
            for game in range(3):
                table.play(game)
            moves.append(table.moves)
    assert moves[0] == moves[1]
    # What champion calls depends on its weights.
    calls = any(seat == 1 and action == "calza" for seat, action, *_ in moves[0])
    assert calls or name == "champion"


def test_memory_learns_which_seat_bluffs(folders: dict[str, Path], tmp_path: Path) -> None:
    """A seat that never holds what it bids is doubted sooner than one that always does."""
    sixes = turn(bids=[{"seat": 1, "quantity": 4, "face": 6}], raises=[])
    sixes["raises"] = [{"face": 1, "min": 2, "max": 15}, {"face": 6, "min": 5, "max": 15}]
    actions = []
    for held in (2, 6):
        shown = {
            "type": "round_end",
            "game": 0,
            "round": 0,
            "palifico_seat": None,
            "bids": [{"seat": 1, "quantity": 3, "face": 6}],
            "caller": 0,
            "call": "dudo",
            "dice": [[2, 2, 3, 4, 5], [held] * 5, []],
            "count": 0 if held == 2 else 5,
            "loser": None,
            "gainer": None,
        }
        fault = {"type": "fault", "game": 0, "round": 0, "seat": 2, "cause": "crash"}
        with running(folders["memory"], tmp_path) as bot:
            begin(bot)
            actions.append(ask(bot, fault, *[shown] * 30, sixes).action)
    assert actions == ["dudo", "bid"]


def test_bluffer_and_random_depend_on_their_seed(folders: dict[str, Path], tmp_path: Path) -> None:
    """Two seats with the same requests differ only by their seed."""
    for name in ("bluffer", "random"):
        said = []
        for seat in (0, 1):
            players: list[Player] = [Scripted(0), Scripted(1)]
            with running(folders[name], tmp_path) as bot:
                players[seat] = bot
                Table(variant("bga", {}), "", players).begin(1)
                requests = [turn(id=n, round=n) for n in range(40)]
                said.append([ask(bot, request).action for request in requests])
        assert said[0] != said[1]
