"""TextArena's agents in our seats, without a line changed."""

import json
import re
from io import StringIO
from random import Random

import numpy as np
import pytest
import textarena
from textarena.agents.wrappers import AnswerTokenAgentWrapper

from arena.game.rules.books import LIARS_DICE, VARIANTS
from arena.lab.env import Observation, Policy, bot, perudo_v0
from arena.lab.textarena import policy
from tests.protocol.golden import POSITIONS


class RandomAgent(textarena.Agent):  # type: ignore[misc]
    """Draws one of the actions that it is told are legal."""

    system_prompt = "Play."

    def __init__(self) -> None:
        self.random, self.observations = Random(1), list[str]()

    def __call__(self, observation: str) -> str:
        self.observations.append(observation)
        legal: list[str] = re.findall(r"\[[^]]+\]", observation.rsplit("Legal:", maxsplit=1)[-1])
        return f"I feel lucky. Final Answer: {self.random.choice(legal)}"


def anything(observation: Observation, random: Random) -> int:
    return int(random.choice(np.flatnonzero(observation["action_mask"]).tolist()))


class Scripted(textarena.Agent):  # type: ignore[misc]
    """Gives the answers that it was made with, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def __call__(self, observation: str) -> str:
        self.asked.append(observation)
        return self.answers.pop(0)


def play(rival: Policy, games: int, variant: str = "bga") -> list[float]:
    """Play some games against it; returns the rewards of an agent that draws its actions."""
    env, random, rewards = perudo_v0.single_agent([rival], variant, 2), Random(2), []
    for game in range(games):
        seen, _ = env.reset(seed=game)
        out = False
        while not out:
            seen, reward, out, *_ = env.step(anything(seen, random))
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("variant", VARIANTS)
def test_agent_that_draws_plays_whole_games_legally(variant: str) -> None:
    agent = RandomAgent()
    assert set(play(policy(agent, VARIANTS[variant]), 20, variant)) == {-1, 1}
    assert all("Please resubmit" not in seen for seen in agent.observations)


def test_wrapped_agent_is_an_agent() -> None:
    """The wrapper cuts what stands before the answer off: TextArena reads the rest."""
    agent = RandomAgent()
    assert set(play(policy(AnswerTokenAgentWrapper(agent)), 20)) == {-1, 1}
    assert agent.system_prompt == "Play."


def test_person_at_the_keyboard_is_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    def typed(prompt: str) -> str:
        assert prompt.startswith("Current observations: [GAME] You are Player 0 in an 2-player")
        return "call" if "[Call]" in prompt.rsplit("Legal:", maxsplit=1)[-1] else "Bid: 1, 6"

    monkeypatch.setattr("builtins.input", typed)
    assert set(play(policy(textarena.agents.HumanAgent()), 5)) == {-1, 1}


def after_two_fours() -> Observation:
    """Return what a player sees after a bid of 2 fours opened the game."""
    env = perudo_v0.raw_env(seed=3)
    env.reset()
    env.step(env.table.bid(2, 4))
    observation: Observation = env.last()[0]
    return observation


def test_observation_is_in_the_words_of_textarena() -> None:
    agent = Scripted("[Call]")
    assert policy(agent)(after_two_fours(), Random()) == 0
    [asked] = agent.asked
    assert "- the end: the last player with a die wins" in asked
    assert "New round - Remaining dice: \tPlayer 0: 5; \tPlayer 1: 5" in asked
    assert "Player 1 bids 2 of face 4." in asked


def test_earlier_rounds_are_told_with_their_dice() -> None:
    """From the first round on, as TextArena tells them; of one game only."""
    agent = RandomAgent()
    asks = policy(agent)
    env = perudo_v0.single_agent([asks, asks], starting_dice=2)
    random, rounds = Random(3), 0
    for game in range(4):
        seen, info = env.reset(seed=game)
        out = False
        while not out:
            agent.observations.clear()
            number = info["request"].round
            seen, _, out, _, info = env.step(anything(seen, random))
            for told in agent.observations:
                earlier = told.count(" one die.\n[GAME] The dice were: \tPlayer ")
                assert told.count("New round - ") == earlier + 1
                assert earlier >= number
                rounds += earlier
    assert rounds > 20


def test_words_of_an_earlier_round_are_those_of_textarena() -> None:
    agent = Scripted("[Call]")
    asks = policy(agent)
    ended = {
        "palifico_seat": None,
        "bids": [{"seat": 0, "quantity": 2, "face": 4}],
        "caller": 1,
        "call": "dudo",
        "dice": [[4, 6], [1, 4]],
        "count": 3,
        "loser": 1,
        "gainer": None,
    }
    asks.hear({"type": "hello"})
    asks.hear({"type": "round_end", "game": 0, "round": 0, **ended})
    asks.hear({"type": "fault", "game": 0, "round": 1, "seat": 0, "cause": "crash"})
    asks.hear({"type": "turn", "game": 0, "seat": 1})
    asks(after_two_fours(), Random())
    told = agent.asked[0].partition("New round - ")[2].splitlines()
    counted = "The actual count of face 4 is 3, which is >= 2."
    assert told[:6] == [
        "Remaining dice: \tPlayer 0: 2; \tPlayer 1: 2",
        "[GAME] Your current Dice are: 1, 4",
        "[GAME] Ones are wild in this round.",
        "[GAME] Player 1 bids 2 of face 4.",
        f"[GAME] Player 0 calls! {counted} Player 0 loses one die.",
        "[GAME] The dice were: \tPlayer 0: 1, 4;\tPlayer 1: 4, 6",
    ]
    assert told[6:8] == [
        "[GAME] Player 1 was eliminated by invalid move.",
        "[GAME] New round - Remaining dice: \tPlayer 0: 5; \tPlayer 1: 5",
    ]


def test_pacos_that_are_never_wild_are_not_called_so() -> None:
    agent = Scripted("[Call]")
    policy(agent, LIARS_DICE)(after_two_fours(), Random())
    assert "Ones are not wild in this round." in agent.asked[0]


def test_illegal_answer_is_asked_once_more_with_the_reason() -> None:
    agent = Scripted("[Bid: 1, 2]", "[Bid: 3, 4]")
    assert policy(agent)(after_two_fours(), Random()) == 3 + 2 * 6 + 3
    assert "Reason: '[Bid: 1, 2]' is no legal action. Please resubmit" in agent.asked[1]


@pytest.mark.parametrize("said", ["", "four", "[Bid: 0, 2]", "[Bid: 999, 9]", "[Raise]", "]["])
def test_second_illegal_answer_is_the_end(said: str) -> None:
    with pytest.raises(ValueError, match="is no legal action"):
        policy(lambda _: said)(after_two_fours(), Random())


def test_agent_is_a_bot_that_speaks_the_protocol() -> None:
    said = StringIO()
    bot(policy(RandomAgent()), POSITIONS.read_text(encoding="utf-8").splitlines(), said)
    answers = [json.loads(line) for line in said.getvalue().splitlines()]
    assert {answer.get("action") for answer in answers} == {None, "bid", "dudo"}
