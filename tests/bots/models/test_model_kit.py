"""The kit of a bot that asks a model: its rules are the clauses, its league plays with a script."""

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import asdict, replace

from arena.bots.kits import create
from arena.bots.models.config import Cap, Caps, Model
from arena.bots.models.gateway import Access
from arena.bots.models.scripted import ScriptedServer
from arena.game.rules.books import LIARS_DICE, VARIANTS, Rules, variant
from arena.game.rules.clauses import in_force
from arena.league.store.store import Store
from tests.cli.command import ROOT, run
from tests.support.model_leagues import stored

ONCE = Caps(game=Cap(tokens=1))
"""The cap is reached by the first answer."""


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield the program of a new bot, imported from its folder."""
    folder = create(tmp_path / "my-bot", "model").folder
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    import bot  # type: ignore[import-not-found]

    yield bot
    for name in ("bot", "perudo", "words", "ask_openai"):
        sys.modules.pop(name, None)


RULES = [
    *VARIANTS.values(),
    variant("bga", {"raise_to_lower_face": True}, calza=True, starting_dice=3),
    replace(VARIANTS["italian"], lost_dice_visible=True, palifico_once=True),
    LIARS_DICE,
    replace(VARIANTS["classic"], name="ours", base="classic", next_opener="left"),
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_rules_in_the_prompt_are_the_clauses_in_force(kit: ModuleType, rules: Rules) -> None:
    said = list(kit.rules_in_words(asdict(rules)))
    assert said == [f"- {clause}" for clause in in_force(rules)]


def test_rules_of_the_kit_are_those_of_the_command() -> None:
    shipped = (ROOT / "protocol/kits/model/rules.json").read_text(encoding="utf-8")
    assert shipped == run("rules", "--json", cwd=ROOT).out, "make rules"


def test_switch_that_is_set_otherwise_is_said_in_the_words_of_another_book() -> None:
    lower = in_force(variant("bga", {"raise_to_lower_face": True}))
    assert "more dice of a lower face: allowed: eight twos may follow seven fours" in lower
    assert "dice and players: 3" in in_force(variant("bga", {}, starting_dice=3))


@pytest.mark.parametrize("name", ["bot.py", "words.py"])
def test_kit_is_short(name: str) -> None:
    source = (ROOT / "protocol/kits/model" / name).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 90


def test_earlier_rounds_and_games_are_told_until_the_next_table(
    kit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds of one game and the places of those before it; the next table begins anew."""
    hello = {"seed": 1, "seats": 2, "rules": {"starting_dice": 2}}
    ended = {
        "round": 0,
        "palifico_seat": None,
        "bids": [{"seat": 1, "quantity": 2, "face": 4}],
        "caller": 0,
        "call": "dudo",
        "dice": [[1, 4], [6, 6]],
        "count": 2,
        "loser": 0,
        "gainer": None,
    }
    turn = {
        "seat": 0,
        "dice": [3],
        "bids": [],
        "raises": [],
        "dice_counts": None,
        "palifico_seat": 0,
        "round": 1,
    }
    lines = [
        {"type": "hello", **hello},
        {"type": "game_end", "game": 0, "places": [1, 2]},
        {"type": "round_end", "game": 1, **ended},
        {"type": "turn", "game": 1, **turn},
        {"type": "hello", **hello},
        {"type": "turn", "game": 0, **turn},
    ]
    Path("told.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    first, second = importlib.import_module("perudo").positions("told.jsonl")
    assert kit.history(first, 1000).splitlines() == [
        "Earlier games at this table:",
        "Game 0, places: player 0: 1, player 1: 2.",
        "Earlier rounds of this game:",
        (
            "Round 0: player 1: 2 fours, player 0: dudo. player 0 had [1, 4]; player 1 had [6, 6]: "
            "2 counted. player 0 loses a die."
        ),
    ]
    assert kit.history(second, 1000) == ""
    assert (first.left, second.left) == ([1, 2], [2, 2])


@pytest.mark.parametrize("module", ["bot", pytest.param("ask_openai", marks=pytest.mark.slow)])
def test_model_is_asked_at_the_socket(
    kit: ModuleType, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """By the standard library and by the package of OpenAI: the same answer, the same refusal."""
    with (
        ScriptedServer(lambda messages: f"{messages[-1].content}? [dudo]") as server,
        Access({"small": Model(server.url, "there", caps=ONCE)}).gateway(["a"]) as gateway,
    ):
        socket = gateway.open(0, ("small",), time.monotonic)
        socket.asked(1, 0, b'{"round":0}')
        monkeypatch.setenv("ARENA_MODELS", str(socket.path))
        asking = importlib.import_module(module)
        messages = [{"role": "user", "content": "3 fives"}]
        assert asking.ask(messages) == "3 fives? [dudo]"
        with pytest.raises(OSError, match="the 1 tokens for a game are used up"):
            asking.ask(messages)
        if module == "ask_openai":
            asking.SOCKET.close()


def test_bot_without_a_model_says_why(kit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_MODELS", raising=False)
    with pytest.raises(OSError, match="No such file"):
        kit.ask([])


def test_check_tries_the_bot_with_a_script_and_without_its_models(tmp_path: Path) -> None:
    create(tmp_path / "my-bot", "model")
    trusted = ("--sandbox", "process", "--trust-bots", "--json", "--stderr")
    tried = ("check", "my-bot", *trusted, "--step")
    checked = run(*tried, "6", cwd=tmp_path)
    assert checked.code == 0, checked.err
    assert "is illegal. So far: " in json.loads(checked.out)[0]["stderr"]
    checked = run(*tried, "16", cwd=tmp_path)
    assert checked.code == 0, checked.err
    assert "tokens for a game are used up. So far: " in json.loads(checked.out)[0]["stderr"]


@pytest.mark.slow
def test_league_of_two_prompts_two_programs_and_a_policy(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/model_league.py"), "league", "--games", "1"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "league/site/models.html").is_file()
    played = stored(tmp_path / "league/league.sqlite")
    asked = {one.fixture.seats[each.seat] for one in played for each in one.exchanges}
    assert asked == {"careful", "bold"}
    with Store(tmp_path / "league/league.sqlite") as store:
        assert not any(any(game.faults) for result in store.results() for game in result.games)
