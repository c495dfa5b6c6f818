"""The Gymnasium environment: its API, rivals that are policies, and live bots."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env

from arena.game.wire.codec import encode
from arena.io.errors import ArenaError
from arena.lab.env import Observation, Policy, perudo_v0
from arena.lab.env.perudo_v0 import SingleAgentEnv
from tests.cli.command import bot
from tests.support.bot_programs import program, turn
from tests.support.depth import depth


def first(observation: Observation, _: Random) -> int:
    """Do the first legal action: dudo if there is a bid, else the lowest one."""
    return int(observation["action_mask"].argmax())


def anything(observation: Observation, random: Random) -> int:
    return random.choice([int(one) for one in np.flatnonzero(observation["action_mask"])])


def play(env: gymnasium.Env[Any, Any], policy: Policy, games: int) -> list[float]:
    """Play some games; returns the rewards at their ends."""
    random, rewards = Random(1), []
    for _ in range(games):
        seen, _ = env.reset()
        out, reward = False, 0.0
        while not out:
            assert reward == 0
            seen, got, out, _, _ = env.step(policy(seen, random))
            reward = float(got)
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize(("rivals", "calza"), [([first], False), ([first, anything], True)])
def test_environment_passes_the_check_of_gymnasium(rivals: list[Policy], calza: bool) -> None:
    check_env(perudo_v0.single_agent(rivals, calza=calza), skip_render_check=True)


@pytest.mark.parametrize("rivals", [1, 5])
def test_rewards_are_those_of_places(rivals: int) -> None:
    env = perudo_v0.single_agent([anything] * rivals, "classic", 2, calza=True)
    rewards = play(env, anything, depth(30, 300))
    places = {1 - 2 * place / rivals for place in range(rivals + 1)}
    assert set(rewards) <= places
    assert len(set(rewards)) > 1


def test_same_seed_gives_the_same_games() -> None:
    seen = []
    for _ in range(2):
        env = perudo_v0.single_agent([anything])
        env.reset(seed=5)
        play(env, anything, 3)
        assert env.game
        seen.append(env.game.referee.events)
    assert seen[0] == seen[1]


def test_without_a_seed_environments_play_different_games() -> None:
    """Gymnasium's vector environments reset theirs without one, unless they get one."""
    seen = [perudo_v0.single_agent([first]).reset()[0]["observation"].tobytes() for _ in range(4)]
    assert len({*seen}) == 4
    keys = {perudo_v0.raw_env().key for _ in range(4)}
    assert len(keys) == 4


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_registered_id_makes_one_environment_and_several(mode: str) -> None:
    env = gymnasium.make(perudo_v0.ID, rivals=[first], variant="classic")
    assert isinstance(env.unwrapped, SingleAgentEnv)
    assert env.unwrapped.setting.rules.name == "classic"
    kwargs = {"autoreset_mode": mode}
    envs = gymnasium.make_vec(
        perudo_v0.ID, 3, "sync", vector_kwargs=kwargs, rivals=[anything], starting_dice=1
    )
    seen, _ = envs.reset(seed=1)
    ended = 0
    for _ in range(30):
        # After the end, too, there is a legal action, which is ignored before the next game.
        assert seen["action_mask"].any(1).all()
        seen, _, over, *_ = envs.step(seen["action_mask"].argmax(1))
        ended += over.sum()
    assert ended > 10


def test_person_sees_what_everyone_does(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(perudo_v0.ID, rivals=[first], render_mode="human")
    env.reset(seed=1)
    play(env, first, 1)
    assert env.render() is None
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"player_[01] to act, dice left \(5, 5\), no bid, own dice \(([1-6], ){4}[1-6]\)", lines[0]
    )
    assert re.fullmatch(r"the game is over, places \([12], [12]\)", lines[-1])
    perudo_v0.env(render_mode="human").reset()
    assert capsys.readouterr().out.endswith("to act, dice left (5, 5), no bid\n")


def test_picture_in_another_mode_is_refused() -> None:
    ansi = perudo_v0.single_agent([first], render_mode="ansi")
    assert ansi.render() is None
    ansi.reset(seed=1)
    assert "own dice" in str(ansi.render())
    with pytest.raises(ValueError, match="render_mode is None, 'ansi' or 'human', not 'rgb_array'"):
        perudo_v0.single_agent([first], render_mode="rgb_array")
    with pytest.raises(ValueError, match="not 'rgb_array'"):
        perudo_v0.env(render_mode="rgb_array")


def test_action_that_is_not_legal_is_a_fault_as_in_a_league() -> None:
    env = perudo_v0.single_agent([first, first])
    seen, _ = env.reset(seed=2)
    illegal = int((seen["action_mask"] == 0).argmax())
    _, reward, out, _, info = env.step(illegal)
    assert (reward, out) == (-1.0, True)
    assert info == {"place": 3, "fault": f"action {illegal} is not legal now: see the mask"}
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(first(seen, Random()))


@pytest.mark.parametrize("said", ["dudo", None, 1.5, 1000, -1, 2])
def test_rival_that_returns_nonsense_is_an_error(said: object) -> None:
    env = perudo_v0.single_agent([lambda *_: said])  # type: ignore[list-item]
    with pytest.raises(InvalidAction, match="the rival in seat 1: "):
        play(env, first, 2)


def test_request_is_what_a_bot_in_that_seat_would_get() -> None:
    env = perudo_v0.single_agent([first])
    _, info = env.reset(seed=3)
    assert env.game
    assert encode(info["request"]).startswith(b'{"type":"turn","seat":0,"dice":[')


def test_no_game_without_reset() -> None:
    env = perudo_v0.single_agent([first])
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.action_masks()


@pytest.fixture
def live() -> Iterator[SingleAgentEnv]:
    env = perudo_v0.single_agent(["sample:honest", anything, "sample:memory"], sandbox="process")
    yield env
    env.close()


def test_live_bots_are_rivals(live: SingleAgentEnv) -> None:
    assert {round(1.5 * (1 - reward)) for reward in play(live, anything, 3)} <= {0, 1, 2, 3}
    seen, _ = live.reset()
    assert np.array_equal(live.action_masks(), seen["action_mask"])


def test_reset_after_close_starts_the_bots_again(live: SingleAgentEnv) -> None:
    play(live, anything, 1)
    live.close()
    assert play(live, anything, 1)


def test_bot_that_faults_is_out_of_that_game_and_back_in_the_next(tmp_path: Path) -> None:
    bot(tmp_path / "broken", program(turn("sys.exit(3)")))
    broken = str(tmp_path / "broken")
    env = perudo_v0.single_agent([broken], sandbox="process", trust_bots=True)
    try:
        assert play(env, first, 3) == [1.0] * 3
    finally:
        env.close()


def test_bot_that_cannot_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="there is no sample bot"):
        perudo_v0.single_agent(["sample:nobody"])
    bot(tmp_path / "mine", program(""))
    with pytest.raises(ArenaError, match="does not isolate"):
        perudo_v0.single_agent([str(tmp_path / "mine")], sandbox="process")


@pytest.mark.parametrize(
    ("rivals", "variant", "dice", "message"),
    [
        (6, "bga", 5, "2 to 6 play at a table, not 7"),
        (0, "bga", 5, "2 to 6 play at a table, not 1"),
        (1, "bgaa", 5, r"unknown variant 'bgaa' / did you mean 'bga'\?"),
        (1, "bga", 11, "1 to 10 dice"),
    ],
)
def test_table_that_there_is_not_is_refused(
    rivals: int, variant: str, dice: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        perudo_v0.single_agent([first] * rivals, variant, dice)


def test_step_after_the_end_is_refused() -> None:
    env = perudo_v0.single_agent([first], starting_dice=1)
    play(env, first, 1)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
