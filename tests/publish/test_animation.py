"""A game as an animated picture: read again, frame by frame."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.rules.books import variant
from arena.publish.pages.animation import animation, lzw
from arena.publish.replay_steps import replay
from tests.publish.gif import read, unpacked
from tests.support import played_games as games

SEATS = ("alpha", "Zoë 骰子")
RULES = variant("bga", {}, starting_dice=1)


@settings(max_examples=50, deadline=None, database=None)
@given(st.binary(min_size=1, max_size=300))
def test_lzw_is_read_again(pixels: bytes) -> None:
    assert unpacked(lzw(pixels)) == pixels


def test_lzw_begins_a_new_table_when_one_is_full() -> None:
    pixels = bytes(n * n // 7 % 251 for n in range(20_000))
    assert unpacked(lzw(pixels)) == pixels


@pytest.mark.parametrize("rounds", [None, 1])
def test_every_step_is_a_frame_that_differs(rounds: int | None) -> None:
    fixture = games.fixture(3, "bga", RULES, SEATS, 1)
    game = replay(fixture.games[0], SEATS, RULES)
    first = game.rounds[-1].number if rounds else 0
    steps = [step for step in game.steps if step.round is not None and step.round >= first]
    gif = read(animation(game, SEATS, rounds))
    assert (gif.width, gif.height, gif.repeats) == (600, 204, True)
    assert len(gif.pictures) == len({*gif.pictures}) == len(steps)
    assert gif.times[-1] == 500
    assert gif.times[:2] == [100, 100]
