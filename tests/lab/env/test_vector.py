"""The vectorised environment is held to the engine, state by state."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import NODEFAULT
from msgspec.structs import fields, replace

from arena.game.rules import round as rounds
from arena.game.rules.books import VARIANTS, Rules
from arena.game.rules.view import SeatBid
from arena.lab.env.perudo_policy import CALZA, DUDO, FIRST_BID, PASS
from arena.lab.env.vector import _FOLLOWED, VectorEnv
from tests.support.depth import depth
from tests.support.random_games import rules
from tests.support.sampling import paired, random

STEPS = depth(200, 600)
TABLES = [(2, 5, False), (2, 2, True), (3, 3, True), (4, 1, True), (6, 2, True), (5, 2, False)]


class Shadow:
    """One game of the environment, played along by the engine."""

    def __init__(self, env: VectorEnv, game: int) -> None:
        self.env, self.game = env, game
        self.begin()

    def begin(self) -> None:
        rules, players = self.env.setting.rules, self.env.setting.players
        opener = int(self.env.opener[self.game])
        self.deal(rounds.first_standing(rules, players, opener))
        self.places = [0] * players
        self.number = 0

    def deal(self, standing: rounds.Standing) -> None:
        faces = self.env.hands[self.game]
        self.hands = tuple(
            tuple(face for face in range(1, 7) for _ in range(hand[face - 1])) for hand in faces
        )
        self.now, self.said = rounds.open_round(standing), list[SeatBid]()
        self.offered, self.callers = list[int](), list[int]()

    @property
    def seat(self) -> int:
        return self.offered[0] if self.offered else self.now.to_act

    def check(self) -> None:
        """Compare the state, what may be done and what is seen."""
        env, game, table, standing = self.env, self.game, self.env.table, self.now.standing
        assert env.seat[game] == self.seat
        assert tuple(env.dice[game]) == standing.dice == tuple(map(len, self.hands))
        assert tuple(env.palifico_used[game]) == standing.palifico_used
        assert list(env.places[game]) == self.places
        assert env.round[game] == self.number
        ranges = [(one.face, one.min, one.max) for one in rounds.raises(self.now)]
        mask = table.mask(ranges, dudo=self.now.bid is not None)
        assert np.array_equal(MASKS[game], table.offer_mask() if self.offered else mask)
        palifico = standing.palifico_seat, standing.palifico_used
        bids = [(bid.seat, bid.quantity, bid.face) for bid in self.said]
        hand, dice = self.hands[self.seat], standing.dice
        seen = table.observation(self.seat, hand, dice, palifico, bids, bool(self.offered))
        assert np.array_equal(SEEN[game], seen)

    def act(self, action: int) -> None:
        """Play an action by the engine; `follow` compares what came of it."""
        self.after: rounds.Standing | None = None
        if self.offered:
            seat = self.offered.pop(0)
            if action == CALZA:
                self.callers.append(seat)
            if not self.offered and self.callers:
                outcome = rounds.calza(self.now, self.hands, self.callers[0])
                self.after = outcome.after
        elif action == DUDO:
            outcome = rounds.dudo(self.now, self.hands)
            self.after = outcome.after
        else:
            answer = self.env.table.answer(action)
            bid = rounds.Bid(answer["quantity"], answer["face"])
            self.said.append(SeatBid(self.now.to_act, bid.quantity, bid.face))
            self.now = rounds.place(self.now, bid)
            self.offered = rounds.calza_seats(self.now)
            self.callers = []

    def follow(self, rewards: list[float], over: bool) -> None:
        if self.after is None:
            assert not over
            assert not any(rewards)
            return
        before, after = self.now.standing, self.after
        self.number += 1
        new = {s for s, left in enumerate(after.dice) if before.dice[s] and not left}
        placed = dict.fromkeys(new, before.alive)
        if after.winner is not None:
            placed[after.winner] = 1
        elif self.number == self.env.setting.max_rounds:
            self.check_ranks(after, rewards)
            assert over
            self.begin()
            return
        for seat, reward in enumerate(rewards):
            place = placed.get(seat)
            assert reward == pytest.approx(self.env.setting.reward(place) if place else 0)
        assert over == (after.winner is not None)
        if over:
            self.begin()
            return
        for seat, place in placed.items():
            self.places[seat] = place
        self.deal(after)

    def check_ranks(self, after: rounds.Standing, rewards: list[float]) -> None:
        """With more dice comes more reward."""
        ranked = sorted(
            (after.dice[s], rewards[s]) for s in range(len(after.dice)) if after.dice[s]
        )
        assert [reward for _, reward in ranked] == sorted(reward for _, reward in ranked)


MASKS: np.ndarray = np.zeros(0)
SEEN: np.ndarray = np.zeros(0)


def play(env: VectorEnv, steps: int, rng: Random) -> Iterator[int]:
    """Play random legal actions in all games, each with a shadow; yields the actions."""
    global MASKS, SEEN
    shadows = [Shadow(env, game) for game in range(env.games)]
    for _ in range(steps):
        MASKS, SEEN = env.masks(), env.observations()
        for shadow in shadows:
            shadow.check()
        actions = np.array([choose(mask, rng) for mask in MASKS])
        for shadow, action in zip(shadows, actions, strict=True):
            shadow.act(int(action))
        rewards, over = env.step(actions)
        for shadow, action in zip(shadows, actions, strict=True):
            shadow.follow(list(rewards[shadow.game]), bool(over[shadow.game]))
            yield int(action)


def choose(mask: np.ndarray, rng: Random) -> int:
    """Draw a legal action: often a low bid, so that rounds are long."""
    legal = [int(one) for one in np.flatnonzero(mask)]
    if CALZA in legal:
        return CALZA if rng.random() < 0.3 else PASS
    if DUDO in legal and (len(legal) == 1 or rng.random() < 0.3):
        return DUDO
    return rng.choice([one for one in legal if one >= FIRST_BID][: rng.choice([3, 400])])


@pytest.mark.slow
@pytest.mark.parametrize(("table", "book"), paired(TABLES, VARIANTS, "vector"))
def test_games_are_those_of_the_engine(table: tuple[int, int, bool], book: str) -> None:
    players, dice, calza = table
    env = VectorEnv(depth(8, 20), book, players, dice, calza=calza, seed=11)
    actions = set(play(env, STEPS, random(f"vector {book} {players}")))
    assert (CALZA in actions) == (calza and (players > 2 or book == "bga"))


def followed(chosen: Rules) -> Rules:
    """The rules with the switches at their default that arrays do not follow."""
    others = {
        field.name: field.default
        for field in fields(Rules)
        if field.default is not NODEFAULT and field.name not in _FOLLOWED
    }
    return replace(chosen, **others)


@given(rules().map(followed), st.integers(2, 5), st.integers(0, 2**32))
def test_games_of_any_switches_are_those_of_the_engine(
    chosen: Rules, players: int, seed: int
) -> None:
    env = VectorEnv(3, chosen, players, seed=seed)
    for _ in play(env, 60, Random(seed)):
        pass


def test_game_ends_at_the_limit_of_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.lab.env.game.max_rounds", lambda *_: 3)
    env = VectorEnv(20, "bga", 3, 5, calza=True)
    for _ in play(env, 60, random("limit")):
        pass
    assert env.round.max() < 3


def test_samples_are_legal_and_any_legal_action_is_drawn() -> None:
    env = VectorEnv(50, "pressman", 2, 2, calza=True, seed=3)
    drawn = set()
    for _ in range(depth(100, 400)):
        actions = env.sample()
        assert env.masks()[np.arange(50), actions].all()
        drawn |= set(actions.tolist())
        env.step(actions)
    assert drawn == set(range(env.table.actions)) - {CALZA, PASS}


def test_dice_are_fair_and_openers_are_drawn() -> None:
    env = VectorEnv(depth(4000, 40000), "classic", 2, 5, seed=5)
    faces = env.hands.sum((0, 1)) / env.hands.sum()
    assert np.abs(faces - 1 / 6).max() < 0.01
    assert abs(env.opener.mean() - 0.5) < 0.05


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ([DUDO, DUDO], "action 0 is not legal in game 0"),
        ([FIRST_BID + 1, 999], "action 999 is not legal in game 1"),
        ([FIRST_BID + 1, -1], "action -1 is not legal in game 1"),
        ([FIRST_BID + 1], "2 whole numbers are 2 actions"),
        ([1.0, 2.0], "2 whole numbers are 2 actions"),
    ],
)
def test_actions_that_are_not_legal_are_refused(actions: list[float], problem: str) -> None:
    env = VectorEnv(2)
    before = env.observations()
    with pytest.raises(ValueError, match=problem):
        env.step(actions)
    assert np.array_equal(env.observations(), before)


def test_table_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown variant"):
        VectorEnv(2, "bgaa")
    with pytest.raises(ValueError, match="at least 1 game"):
        VectorEnv(0)


@pytest.mark.parametrize("book", VARIANTS)
def test_ranges_are_those_of_the_masks(book: str) -> None:
    env = VectorEnv(64, book, 3, 2, calza=True, seed=1)
    for _ in range(40):
        bids = env.masks()[:, FIRST_BID:].reshape(64, env.table.cap, 6).astype(bool)
        least, most = env.ranges()
        quantities = np.arange(1, env.table.cap + 1)[:, None]
        within = (quantities >= least[:, None]) & (quantities <= most[:, None])
        assert np.array_equal(within & (least > 0)[:, None], bids)
        env.step(env.sample())
