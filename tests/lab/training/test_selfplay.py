"""What rounds are worth, decisions that wait for the end of their round, leagues in arrays."""

import numpy as np
import pytest

from arena.game.rules.books import VARIANTS
from arena.lab.training.games import WIDTH, Games
from arena.lab.training.league import Finished, lead, league
from arena.lab.training.policy import draw
from arena.lab.training.rivals import odds, sample_bots
from arena.lab.training.selfplay import LEARNER, Seats, SelfPlay, answers_to, as_actions, ask, kinds
from arena.lab.training.view import DUDO, KINDS, TELLS, Floats, Numbers, Positions, View
from tests.support.depth import depth


def at_random(seen: View) -> tuple[Numbers, Floats]:
    """Draw any legal answer."""
    chances = (seen.legal / seen.legal.sum(1, keepdims=True)).astype(np.float32)
    answers = draw(chances, np.random.default_rng(len(chances)).random(len(chances)))
    return answers, np.log(chances[np.arange(len(answers)), answers])


class Chance:
    """A policy that draws answers, and knows nothing."""

    def act(self, seen: View) -> tuple[Numbers, Floats]:
        return at_random(seen)

    def worth(self, standings: Floats) -> Floats:
        return halves(standings)

    def kinds(self, tells: Floats) -> Floats:
        return np.full((len(tells), KINDS), 1 / KINDS, np.float32)


def halves(standings: Floats) -> Floats:
    return np.full(len(standings), 0.5, np.float32)


@pytest.mark.parametrize("book", VARIANTS)
def test_seats_of_a_round_share_its_places(book: str) -> None:
    """If all who play on are thought equal, the seats of a round beat half of each other."""
    games = Games(64, book, 4, calza=True, seed=1, starting_dice=2)
    ended = 0
    for _ in range(200):
        shown, _ = games.step(odds(games.positions(games.rows), games, games.rows))
        results = games.returns(shown, halves)
        means = np.where(shown.living, results, 0).sum(1) / shown.living.sum(1)
        assert np.allclose(means, 0.5, atol=1e-6)
        assert (results[shown.places == 1] == 1).all()
        ended += int((shown.places == 1).sum())
    assert ended > 20


def test_decisions_wait_for_the_end_of_their_round() -> None:
    tables = [Games(32, book, players, seed=1) for book, players in (("bga", 2), ("pressman", 5))]
    random = np.random.default_rng(1)
    seats = Seats(
        {1: odds}, {}, lambda games, players: random.integers(2, size=(games, players)), kinds
    )
    play = SelfPlay(tables, seats, 400)
    made = 0
    for turn in range(6):
        decisions, rounds, told = play.gather([turn % 2], 400, Chance())
        made += len(decisions.answers)
        assert not np.isnan(decisions.results).any()
        assert decisions.legal[np.arange(len(decisions.answers)), decisions.answers].all()
        assert rounds.standings.shape == (len(rounds.results), WIDTH)
        assert told.numbers.shape == (len(told.kinds), TELLS)
        assert set(told.kinds.tolist()) == {0, KINDS - 1}  # `odds`, and the policy itself
    assert made > 6 * 400 - 32 * 2 * 20


def test_answers_are_actions_and_back() -> None:
    games = Games(256, "classic", 3, calza=True, seed=1)
    for _ in range(20):
        _, rows, seen = ask(games, LEARNER)
        answers, _ = at_random(seen)
        actions = as_actions(seen, answers)
        assert np.array_equal(answers_to(seen, actions), answers)
        assert len(rows) == 256
        games.step(actions)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_league_in_arrays_ranks_the_sample_bots(players: int) -> None:
    field = {name: bot for name, bot in sample_bots(9).items() if name != "equilibrium"}
    games = depth(384, 768)
    scores = league(field, Games(128, "bga", players, seed=1), games)
    assert sum(score.games for score in scores.values()) == games * players
    whole = sum(score.share * score.games for score in scores.values())
    assert whole / (games * players) == pytest.approx(0.5)
    assert scores["random"].share + scores["random"].error < 0.2
    assert scores["memory"].share - scores["memory"].error > 0.5
    always = league(field, Games(128, "bga", players, seed=1), 128, always="honest")
    assert always["honest"].games == 128


def test_a_lead_counts_the_games_that_both_play() -> None:
    """Of 100 games for two it wins 75: 0.5 ahead, with an error of twice that of a share."""
    places = np.where(np.arange(100)[:, None] < 75, [1, 2], [2, 1])
    games = Finished(np.tile([0, 1], (100, 1)), places)
    error = 2 * (0.75 * 0.25 / 100) ** 0.5
    assert lead(games, 0, 1) == pytest.approx(0.5 / error)
    apart = Finished(np.concatenate([games.players, games.players + 2]), np.tile(places, (2, 1)))
    assert lead(apart, 0, 3) == pytest.approx(0.5 / (error / 2**0.5))


def test_a_league_can_be_watched() -> None:
    """Each round that ends is doubted once, by a seat that saw the bid."""
    doubts = rounds = 0

    def watch(table: Games, at: Positions, actions: Numbers) -> None:
        nonlocal doubts, rounds
        doubts += int((actions == DUDO).sum())
        rounds = int(table.env.round.max())
        assert (at.quantity[actions == DUDO] > 0).all()

    league({"one": odds, "other": odds}, Games(1, "bga", 2, seed=1), 1, watch=watch)
    assert doubts == rounds + 1
