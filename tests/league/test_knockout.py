"""The draw of a final, and who plays next."""

from hypothesis import given
from hypothesis import strategies as st

from arena.league.schedule.knockout import (
    BYE,
    draw_knockout,
    draw_table,
    next_contest,
    round_name,
    rounds,
)

_sizes = st.integers(2, 40)
_seeds = st.text(max_size=8)


def ranked(bots: int) -> list[str]:
    return [f"bot-{rank}" for rank in range(1, bots + 1)]


@given(_sizes, _seeds)
def test_the_better_of_two_halves_meet_late(bots: int, seed: str) -> None:
    """Of the best 2, 4, 8 ... no two meet before so many are left; nobody is drawn twice."""
    names = ranked(bots)
    draw = draw_knockout(names, seed)
    assert sorted(filter(None, draw)) == sorted(names)
    best = 2
    while best <= bots:
        part = len(draw) // best
        parts = [draw[at : at + part] for at in range(0, len(draw), part)]
        assert all(len({*part} & {*names[:best]}) == 1 for part in parts)
        best *= 2
    assert (BYE, BYE) not in zip(draw[::2], draw[1::2], strict=True)


@given(_sizes, _seeds)
def test_a_knockout_ends_after_a_match_for_each_loser(bots: int, seed: str) -> None:
    draw, winners = draw_knockout(ranked(bots), seed), dict[int, list[str]]()
    while match := next_contest(rounds(draw, 2, 2, winners)):
        assert match.players
        winners.setdefault(match.number, []).append(min(match.players))
    assert [*winners] == [*range(1, bots)]
    assert all(len(won) == 2 for won in winners.values())
    [last] = rounds(draw, 2, 2, winners)[-1]
    assert last.winner == min(ranked(bots))


def test_the_seed_decides_the_draw() -> None:
    draws = {draw_knockout(ranked(8), str(seed)) for seed in range(20)}
    assert len(draws) > 5
    assert draw_knockout(ranked(8), "s") == draw_knockout(ranked(8), "s")
    assert {draw_table(ranked(3), str(seed))[0] for seed in range(30)} == {*ranked(3)}


def test_one_table_is_a_match_of_all() -> None:
    draw = draw_table(ranked(4), "s")
    [[match]] = rounds(draw, 4, 2, {1: ["bot-1", "bot-3", "bot-3"]})
    assert match.winner == "bot-3"
    assert [*match.score.items()][:2] == [("bot-3", 2), ("bot-1", 1)]


def test_rounds_have_their_usual_names() -> None:
    assert [round_name(2**left) for left in range(4)] == [
        "final",
        "semi-final",
        "quarter-final",
        "last 16",
    ]
