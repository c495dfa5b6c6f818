"""Many games against sample bots at a time, by Gymnasium's vector API."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from arena.lab.env import Observation, perudo_v0
from arena.lab.env.perudo_policy import DUDO, FIRST_BID, PASS
from arena.lab.rivals_env import RivalsVectorEnv
from tests.support.depth import depth

ROWS = 32
MODES = ["NextStep", "SameStep"]


def make(*rivals: object, **options: Any) -> RivalsVectorEnv:
    envs = gymnasium.make_vec(perudo_v0.ID, num_envs=ROWS, rivals=rivals, **options)
    assert isinstance(envs, RivalsVectorEnv)
    return envs


def careful(observation: Observation, random: np.random.Generator) -> np.ndarray:
    """Bid one of the three lowest raises, or call."""
    mask = observation["action_mask"].copy()
    low = mask[:, FIRST_BID:].cumsum(1) <= 3
    mask[:, FIRST_BID:] *= low
    chosen: np.ndarray = (random.random(mask.shape) * mask).argmax(1)
    return chosen


def played(envs: RivalsVectorEnv, steps: int, seed: int | None = 3) -> list[Any]:
    """Play on; returns all that was seen and rewarded."""
    random = np.random.default_rng(5)
    seen, _ = envs.reset(seed=seed)
    told: list[Any] = [seen]
    for _ in range(steps):
        seen, rewards, over, cut, infos = envs.step(careful(seen, random))
        assert not cut.any()
        told.append((seen, rewards, over, infos))
    assert envs.observation_space.contains(seen)
    return told


@pytest.mark.parametrize("mode", MODES)
def test_whole_games_are_played_against_sample_bots(mode: str) -> None:
    envs = make("sample:memory", "sample:odds", careful, autoreset_mode=mode, calza=True)
    ended = 0
    waits = np.zeros(ROWS, np.bool_)
    for seen, rewards, over, infos in played(envs, depth(60, 600))[1:]:
        assert seen["action_mask"].any(1).all()
        assert not rewards[~over].any()
        assert not rewards[waits].any()
        ended += over.sum()
        if over.any():
            ends = infos if mode == "NextStep" else infos["final_info"]
            assert np.array_equal(ends["_place"], over)
            assert rewards[over] == pytest.approx(1 - 2 * (ends["place"][over] - 1) / 3)
        if mode == "NextStep":
            waits = over
            assert (seen["action_mask"][over].argmax(1) == PASS).all()
    assert ended > 20


def test_seed_gives_the_same_games_and_none_other_ones() -> None:
    first, second = (played(make("sample:bluffer", careful), 30) for _ in range(2))
    np.testing.assert_equal(first, second)
    openings = {make("sample:honest").reset()[0]["observation"].tobytes() for _ in range(3)}
    assert len(openings) == 3


def test_reset_begins_other_games_with_rivals_that_know_nothing() -> None:
    envs = make("sample:memory")
    before, after = played(envs, 40), played(envs, 40)
    np.testing.assert_equal(before, after)


def test_agent_that_plays_as_its_rival_wins_as_often() -> None:
    def doubts(observation: Observation, _: np.random.Generator) -> np.ndarray:
        mask = observation["action_mask"]
        return np.where(mask[:, DUDO] > 0, DUDO, mask.argmax(1))

    envs = RecordEpisodeStatistics(make(doubts))
    seen, _ = envs.reset(seed=1)
    wins: list[float] = []
    while len(wins) < 600:
        seen, rewards, over, *_ = envs.step(doubts(seen, envs.np_random))
        wins += rewards[over].tolist()
    assert abs(np.mean(wins)) < 0.2


@pytest.mark.parametrize("rival", ["sample:champion", "sample:memory"])
def test_one_game_at_a_time_is_played_to_its_end_again_and_again(rival: str) -> None:
    envs = gymnasium.make_vec(perudo_v0.ID, num_envs=1, rivals=[rival], starting_dice=1)
    seen, _ = envs.reset(seed=1)
    ended = 0
    for _ in range(40):
        seen, _, over, *_ = envs.step(seen["action_mask"].argmax(1))
        ended += over[0]
    assert ended > 10


def test_champion_forgets_games_that_are_broken_off() -> None:
    envs = make("sample:champion", "sample:honest")
    for *_, over, _ in played(envs, depth(25, 80))[1:]:
        assert over.dtype == np.bool_


@pytest.mark.parametrize("mode", MODES)
def test_action_that_is_not_legal_is_a_fault_as_in_a_league(mode: str) -> None:
    envs = make("sample:honest", "sample:odds", autoreset_mode=mode)
    seen, _ = envs.reset(seed=1)
    actions = seen["action_mask"].argmax(1)
    actions[[0, 3]] = envs.table.actions - 1, 10**6
    actions[0] = PASS
    _, rewards, over, _, infos = envs.step(actions)
    assert (rewards[0], over[0], rewards[3], over[3]) == (-1, True, -1, True)
    ends = infos if mode == "NextStep" else infos["final_info"]
    assert ends["place"][0] == 3
    assert ends["fault"][0] == f"action {PASS} is not legal now: see the mask"
    assert ends["_fault"].sum() == 2
    envs.step(actions)


def test_rival_that_returns_nonsense_is_an_error() -> None:
    envs = make(lambda seen, _: seen["action_mask"].argmin(1))
    with pytest.raises(InvalidAction, match="the rival in seat 1: "):
        played(envs, 30)


@pytest.mark.parametrize(
    ("rivals", "options", "message"),
    [
        (["sample:nobody"], {}, "'sample:nobody' does not play in arrays / with gymnasium.make"),
        (["my-bot"], {}, "'my-bot' does not play in arrays"),
        ([], {}, "2 to 6 play at a table, not 1"),
        (["sample:odds"], {"variant": "bgaa"}, "did you mean 'bga'"),
        (["sample:odds"], {"render_mode": "human"}, "many games are not drawn"),
        (["sample:odds"], {"autoreset_mode": "Disabled"}, "'NextStep' or 'SameStep'"),
    ],
)
def test_rivals_and_tables_that_there_are_not_are_refused(
    rivals: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(*rivals, **options)


def test_calls_that_make_no_sense_are_refused() -> None:
    envs = make("sample:honest")
    with pytest.raises(ResetNeeded, match="call reset"):
        envs.step(np.zeros(ROWS, np.int64))
    with pytest.raises(ValueError, match="no options: reset_mask"):
        envs.reset(options={"reset_mask": np.ones(ROWS, np.bool_)})
    envs.reset()
    with pytest.raises(InvalidAction, match=f"{ROWS} whole numbers are {ROWS} actions"):
        envs.step(np.zeros(3, np.int64))
