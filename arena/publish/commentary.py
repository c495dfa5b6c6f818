"""A game in lines that are read out while it is watched."""

from collections.abc import Iterator, Sequence

from arena.publish.replay_steps import Replay, Step


def commentary(game: Replay, seats: Sequence[str]) -> Iterator[str]:
    """Yield what happens, a line a step; odds are those by the dice of who acts."""
    for step in game.steps:
        yield _line(step)
        if step.kind == "round" and step.round is not None:
            hands = zip(seats, game.rounds[step.round].dice, strict=True)
            yield "  " + "; ".join(
                f"{name} {' '.join(map(str, dice))}" for name, dice in hands if dice
            )


def _line(step: Step) -> str:
    if step.kind == "bid":
        bluff = ": a bluff" if step.bluff else ""
        return f"{step.said.removesuffix('.')}, {step.odds} likely{bluff}"
    if step.kind == "call":
        call, _, rest = step.said.partition(". ")
        return f"{call}, {step.odds} likely to be right. {rest}"
    return step.said
