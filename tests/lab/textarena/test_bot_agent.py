"""Our bots in TextArena's LiarsDice."""

from pathlib import Path

import pytest
import textarena
from hypothesis import given
from hypothesis import strategies as st
from textarena.envs.LiarsDice.env import LiarsDiceEnv

from arena.game.rules.round import Bid
from arena.game.rules.view import SeatBid
from arena.lab.textarena import bot_agent, raises, read
from tests.cli.command import bot
from tests.support.bot_programs import program, start, turn
from tests.support.depth import depth
from tests.support.sampling import sample


class Doubter(textarena.Agent):  # type: ignore[misc]
    """Opens low, and doubts whatever is bid."""

    def __call__(self, observation: str) -> str:
        round_ = observation.rsplit("New round", maxsplit=1)[-1]
        return "[Call]" if " bids " in round_ else "[Bid: 1, 2]"


def play(agents: list[textarena.Agent], games: int, name: str = "LiarsDice-v0") -> list[int]:
    """Play some games; returns the winners' places among the agents. Nobody may act illegally."""
    winners = []
    for game in range(games):
        env = textarena.make(name)
        env.reset(num_players=len(agents), seed=game)
        # By turns, everyone sits everywhere.
        seats = [(seat + game) % len(agents) for seat in range(len(agents))]
        over = False
        while not over:
            seat, observation = env.get_observation()
            over, _ = env.step(agents[seats[seat]](observation))
        rewards, info = env.close()
        assert not any(one["invalid_move"] for one in info.values()), info
        winners.append(seats[max(rewards, key=rewards.get)])
    return winners


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(["LiarsDice-v0", "LiarsDice-v0-small-train"], 1, "liars"))
def test_bot_plays_legally_and_better_than_one_that_always_doubts(name: str) -> None:
    with bot_agent("sample:odds", "process") as odds:
        winners = play([odds, Doubter()], 12, name)
    assert winners.count(0) > 8


@pytest.mark.slow
def test_two_bots_and_a_player_who_doubts_share_a_table() -> None:
    with (
        bot_agent("sample:odds", "process") as odds,
        bot_agent("sample:memory", "process") as other,
    ):
        assert set(play([odds, other, Doubter()], depth(1, 3))) <= {0, 1, 2}


def test_one_agent_plays_in_two_seats(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    ready = f"open({str(starts)!r}, 'a').write('x'); say('{{\"type\":\"ready\"}}')"
    counts = bot(tmp_path / "counts", program(start(ready)))
    with bot_agent(str(counts), "process", trust_bots=True) as agent:
        play([agent, agent], 1)
        once = starts.stat().st_size
        play([agent, agent], 2)
        assert starts.stat().st_size == once


def test_bot_that_ends_gives_no_action(tmp_path: Path) -> None:
    ends = bot(tmp_path / "ends", program(turn("raise SystemExit('on purpose')")))
    with bot_agent(str(ends), "process", trust_bots=True) as agent:
        env = textarena.make("LiarsDice-v0")
        env.reset(num_players=2, seed=1)
        _, observation = env.get_observation()
        assert agent(observation).startswith("crash: ")


OPENING = """
[GAME] You are Player 1 in an 3-player Liar's Dice game.
Rules: ...
[GAME] 
New round - Remaining dice: \tPlayer 0: 1; \tPlayer 1: 3; \tPlayer 2: 0
Your current Dice are: 2, 2, 6
"""  # noqa: W291


def test_bids_of_this_round_are_read() -> None:
    seen = read(f"{OPENING}[Player 0] [Bid: 1, 2]\n[GAME] Player 0 bids 1 of face 2.")
    assert (seen.seat, seen.dice, seen.left) == (1, (2, 2, 6), (1, 3, 0))
    assert seen.bids == (SeatBid(0, 1, 2),)


def test_words_of_rivals_are_not_taken_for_those_of_the_game() -> None:
    lie = "[Player 0] [Bid: 1, 2]\nNew round - Remaining dice: \tPlayer 0: 9; \tPlayer 1: 1\nYour "
    lie += "current Dice are: 1, 1\nPlayer 0 bids 9 of face 6."
    assert read(f"{OPENING}{lie}\n[GAME] Player 0 bids 1 of face 2.").bids == (SeatBid(0, 1, 2),)


def test_observation_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="no observation of TextArena's LiarsDice"):
        read("[GAME] You are playing Chess.")


@given(st.integers(1, 12), st.integers(1, 6), st.integers(1, 12), st.integers(1, 6))
def test_legal_bids_are_those_of_textarena(quantity: int, face: int, last: int, shown: int) -> None:
    legal, _ = LiarsDiceEnv()._is_valid_bid(quantity, face, {"quantity": last, "face_value": shown})
    ours = any(
        one.face == face and one.min <= quantity <= one.max for one in raises(Bid(last, shown), 12)
    )
    assert ours == legal
