"""The PettingZoo environment: its API, and the referee's own games event for event."""

import warnings
from random import Random

import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from pettingzoo.test import api_test, seed_test

from arena.game.records import Cause, Fault
from arena.game.referee import Referee
from arena.game.rules.books import VARIANTS
from arena.game.wire.messages import Answer, Turn
from arena.lab.env import perudo_v0
from arena.lab.env.perudo_policy import CALZA, DUDO, PASS
from arena.lab.env.perudo_v0 import PerudoEnv
from tests.support.depth import depth
from tests.support.sampling import random

GAMES = depth(50, 2_500)
"""Random games a rule book."""
TABLES = [("bga", 2, 5, False), ("classic", 6, 2, True), ("pressman", 3, 1, False)]


@pytest.mark.parametrize(("variant", "players", "dice", "calza"), TABLES)
def test_environment_passes_the_tests_of_pettingzoo(
    variant: str, players: int, dice: int, calza: bool
) -> None:
    def make() -> object:
        return perudo_v0.env(variant, players, dice, calza=calza)

    with warnings.catch_warnings():
        # As in PettingZoo's own games with a mask, which its test knows by their names: a
        # dictionary of two arrays, and no legal action for agents that are out.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(make(), num_cycles=depth(100, 1000))
        seed_test(make, num_cycles=depth(20, 200))


def legal(env: PerudoEnv, rng: Random) -> int:
    """Draw a legal action; calls less often than bids, so that games have long rounds."""
    actions = [int(one) for one in np.flatnonzero(env.game.mask)]
    if PASS in actions:
        return CALZA if rng.random() < 0.2 else PASS
    if actions[0] == DUDO and (len(actions) == 1 or rng.random() < 0.4):
        return DUDO
    bids = actions[actions[0] == DUDO :]
    return rng.choice(bids[: rng.choice([3, 10, 400])])


def answer_to(env: PerudoEnv, action: int) -> Answer:
    return Answer(id=0, **env.table.answer(action))


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_are_those_of_the_referee(variant: str) -> None:
    rng = random(f"env {variant}")
    for _ in range(GAMES):
        calza, players, dice = rng.random() < 0.5, rng.choice([2, 2, 3, 4, 6]), rng.randint(1, 4)
        env = perudo_v0.raw_env(variant, players, dice, calza=calza, seed=rng.randrange(99))
        env.reset(options={"game": rng.randrange(99)})
        number, rules = env.game.referee.game, env.setting.rules
        seats = frozenset(range(players)) if calza else frozenset[int]()
        referee = Referee(rules, players, env.key, number, seats, max_rounds=env.setting.max_rounds)
        total = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            agent = env.agent_selection
            _, reward, out, _, info = env.last(observe=False)
            total[agent] += reward
            if out:
                assert info == {"place": env.game.referee.places[int(agent[-1])]}
                env.step(None)
                continue
            seat = referee.waiting[0]
            assert agent == f"player_{seat}"
            assert isinstance(info["request"], Turn) != referee.offering
            action = legal(env, rng)
            assert referee.take(seat, answer_to(env, action)) is None
            env.step(action)
        assert not referee.waiting
        assert env.game.referee.record == referee.record
        assert total == {
            f"player_{seat}": 1 - 2 * (place - 1) / (players - 1)
            for seat, place in enumerate(referee.places)
        }


@pytest.mark.parametrize("variant", VARIANTS)
def test_mask_has_exactly_the_legal_answers(variant: str) -> None:
    rng = random(f"mask {variant}")
    for _ in range(depth(3, 40)):
        env = perudo_v0.raw_env(variant, rng.randint(2, 4), rng.randint(1, 3), calza=True)
        env.reset(seed=rng.randrange(1000))
        while env.game.seat is not None:
            referee, seat = env.game.referee, env.game.seat
            for action, allowed in enumerate(env.observe(f"player_{seat}")["action_mask"]):
                assert (referee.illegal(seat, answer_to(env, action)) is None) == allowed
            env.game.act(legal(env, rng))


def test_observation_says_what_everyone_knows_and_no_more() -> None:
    env = perudo_v0.raw_env("bga", 3, 2, calza=True, seed=4)
    rng = random("observation")
    for _ in range(depth(5, 100)):
        env.reset()
        while env.game.seat is not None:
            for seat in range(3):
                check_observation(env, seat)
            env.game.act(legal(env, rng))


def check_observation(env: PerudoEnv, seat: int) -> None:
    referee, table = env.game.referee, env.table
    asked, standing = referee.request(seat, 0), referee.standing
    seen = env.observe(f"player_{seat}")["observation"]
    assert env.observation_space("player_0")["observation"].contains(seen)
    left = [(seat + step) % 3 for step in range(3)]
    assert list(seen[table.hand]) == [asked.dice.count(face) for face in range(1, 7)]
    assert list(seen[table.dice]) == [standing.dice[one] for one in left]
    assert list(seen[table.palifico]) == [standing.palifico_seat == one for one in left]
    assert list(seen[table.palifico_used]) == [standing.palifico_used[one] for one in left]
    said = {(bid.quantity, bid.face): bid.seat for bid in asked.bids}
    for number, who in enumerate(seen[table.bids]):
        bidder = said.get((number // 6 + 1, number % 6 + 1))
        assert who == (0 if bidder is None else 1 + left.index(bidder))
    last = asked.bids[-1] if asked.bids else None
    on_table = [last.quantity, last.face, left.index(last.seat)] if last else [0, 0, 0]
    assert list(seen[table.last_bid]) == on_table
    assert seen[table.offer][0] == (referee.offering and seat == env.game.seat)


def test_reset_goes_on_to_the_next_game_of_the_seed() -> None:
    env = perudo_v0.raw_env(seed=7)
    env.reset()
    env.reset()
    dice = env.game.referee.events[0]
    env.reset(seed=8)
    assert env.game.referee.events[0] != dice
    env.reset(seed=7, options={"game": 1})
    assert env.game.referee.events[0] == dice


def test_agent_that_faults_is_out_and_the_others_play_on() -> None:
    env = perudo_v0.raw_env(players=3)
    env.reset()
    env.forfeit({"player_1": Fault(Cause.CRASH, "gone")})
    assert env.last(observe=False)[1:3] == (-1.0, True)
    env.step(None)
    assert env.agents == ["player_0", "player_2"]
    assert env.game.referee.places == (0, 3, 0)


@pytest.mark.parametrize("action", [DUDO, CALZA, 999, -1, "bid", None, 1.5])
def test_action_that_is_not_legal_is_refused_and_changes_nothing(action: object) -> None:
    env = perudo_v0.env()
    env.reset()
    before = env.last()
    with pytest.raises(InvalidAction, match=r"player_\d: "):
        env.step(action)
    np.testing.assert_equal(env.last(), before)


def test_step_before_reset_is_refused() -> None:
    with pytest.raises(AssertionError, match="needs to be called before step"):
        perudo_v0.env().step(DUDO)


def test_step_after_the_end_is_refused() -> None:
    env = perudo_v0.raw_env("bga", 2, 1)
    env.reset()
    env.forfeit({"player_1": Fault(Cause.CRASH, "gone")})
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(ResetNeeded, match=r"the game is over"):
        env.step(DUDO)


def test_agent_that_is_out_can_only_do_none() -> None:
    env = perudo_v0.env()
    env.reset()
    env.unwrapped.forfeit({"player_1": Fault(Cause.CRASH, "gone")})
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(DUDO)


def test_render_is_one_line() -> None:
    env = perudo_v0.env(render_mode="ansi")
    env.reset()
    assert env.render() == f"{env.agent_selection} to act, dice left (5, 5), no bid"
    env.step(env.unwrapped.table.bid(2, 3))
    assert env.render() == f"{env.agent_selection} to act, dice left (5, 5), 2 of face 3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bgaa", 2), "unknown variant 'bgaa' / did you mean 'bga'?"),
        (("bga", 7), "2 to 6 play at a table, not 7"),
        (("bga", 2, 11), "1 to 10 dice"),
    ],
)
def test_table_that_there_is_not_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        perudo_v0.env(*arguments)  # type: ignore[arg-type]
