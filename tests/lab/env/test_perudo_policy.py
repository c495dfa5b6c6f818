"""A policy as a bot: it sees in play what it saw in training, and its mistakes are named."""

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from arena.bots.kits import create
from arena.game.records import Cause, Fault
from arena.game.wire.codec import encode
from arena.lab.env import Observation, Table, bot, perudo_v0
from arena.lab.env.perudo_policy import Player
from tests.league.table.driver import SEED
from tests.support.depth import depth
from tests.support.sampling import random


def anything(observation: Observation, rng: Random) -> int:
    return rng.choice([int(one) for one in np.flatnonzero(observation["action_mask"])])


def hello(players: int, **rules: object) -> dict[str, Any]:
    return {"type": "hello", "seed": 1, "seats": players, "rules": {"calza": False, **rules}}


def test_policy_sees_as_a_bot_what_it_sees_in_the_environment() -> None:
    rng = random("player")
    for number in range(depth(40, 1000)):
        variant, players = rng.choice(["bga", "classic", "pressman"]), rng.randint(2, 5)
        env = perudo_v0.raw_env(variant, players, rng.randint(1, 4), calza=True, seed=SEED)
        env.reset(options={"game": number})
        game, seen = env.game, list[Observation]()

        def remember(observation: Observation, rng: Random, seen: Any = seen) -> int:
            seen.append(observation)
            return anything(observation, rng)

        bots = [Player(remember) for _ in range(players)]
        rules = msgspec.to_builtins(env.setting.rules)
        for one in bots:
            one.take(hello(players, **rules))
        while game.seat is not None:
            tell(bots, game.referee.notices)
            if rng.random() < 0.01:
                game.forfeit({game.seat: Fault(Cause.CRASH, "gone")})
                continue
            answer = bots[game.seat].take(json.loads(encode(game.request)))
            assert answer
            np.testing.assert_equal(seen.pop(), game.observation(game.seat))
            assert answer.pop("id") == game.request.id
            said = answer["action"], answer.get("quantity", 0), answer.get("face", 0)
            game.act(env.table.action(*said))


def tell(bots: list[Player], notices: list[Any]) -> None:
    for notice in notices:
        for one in bots:
            assert one.take(json.loads(encode(notice))) is None
    notices.clear()


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("dice", range(1, 11))
def test_table_is_told_by_the_lengths_of_its_arrays(players: int, dice: int) -> None:
    table = Table(players, dice)
    arrays = np.zeros(table.size, np.int8), np.zeros(table.actions, np.int8)
    found = Table.of(dict(zip(("observation", "action_mask"), arrays, strict=True)))
    assert (found.players, found.starting_dice) == (players, dice)


def test_actions_are_answers() -> None:
    table = Table(2, 5)
    for action in range(table.actions):
        answer = table.answer(action)
        assert table.action(answer.pop("action"), **answer) == action


TURN = {
    "type": "turn",
    "id": 1,
    "game": 0,
    "round": 0,
    "seat": 0,
    "dice": [2],
    "bids": [],
    "palifico_seat": None,
    "dudo": False,
    "raises": [{"face": 2, "min": 1, "max": 2}],
}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("dudo", "an action is a whole number, not 'dudo'"),
        (None, "an action is a whole number, not None"),
        (2.0, "an action is a whole number, not 2.0"),
        (15, "an action is 0 to 14, not 15"),
        (-1, "an action is 0 to 14, not -1"),
        (0, "action 0 is not legal now: see the mask"),
    ],
)
def test_policy_that_returns_nonsense_ends_the_bot_with_a_line(
    said: Any, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps(hello(2, starting_dice=1)), json.dumps(TURN)]
    out = io.StringIO()
    with pytest.raises(SystemExit) as end:
        bot(lambda *_: said, lines, out)
    assert end.value.code == 2
    assert capsys.readouterr().err == f"the policy: {problem}\n"
    assert len(out.getvalue().splitlines()) == 1


def test_same_request_draws_the_same_numbers() -> None:
    lines = [json.dumps(hello(2, starting_dice=1)), json.dumps(TURN)]
    said = []
    for talk in (lines, [lines[0], lines[1].replace('"game": 0', '"game": 5'), lines[1]]):
        drawn: list[float] = []

        def draw(_: Observation, rng: Random, drawn: list[float] = drawn) -> int:
            drawn.append(rng.random())
            return 4

        bot(draw, talk, io.StringIO())
        said.append(drawn[-1])
    assert said[0] == said[1]


def test_folder_of_the_kit_plays_live(tmp_path: Path) -> None:
    made = create(tmp_path / "trained", "policy")
    env = perudo_v0.single_agent([str(made.folder)], calza=True, sandbox="process", trust_bots=True)
    try:
        rng = random("live kit")
        for _ in range(5):
            seen, _ = env.reset()
            out = False
            while not out:
                seen, _, out, _, _ = env.step(anything(seen, rng))
            assert env.game
            assert not [
                one for one in env.game.referee.events if one.__class__.__name__ == "Faulted"
            ]
    finally:
        env.close()
