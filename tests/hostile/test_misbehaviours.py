"""Every misbehaviour, in every sandbox, costs its bot the game and harms no one else."""

import pytest

from arena.bots.sandboxes.registry import SANDBOXES
from tests.hostile.attack import attack
from tests.hostile.bots import __main__ as program
from tests.hostile.checks import check
from tests.hostile.misbehaviours import (
    CASES,
    ENDINGS,
    ESCAPE,
    GREED,
    MISBEHAVIOURS,
    OUTPUT,
    SILENCE,
    UNUSUAL,
)
from tests.support.depth import FULL
from tests.support.sampling import paired, sample

ALIKE = {*UNUSUAL, *OUTPUT, *SILENCE, *ENDINGS}
"""What the arena judges in the same way, whichever sandbox the bot runs in."""
HOST = [sandbox for sandbox in SANDBOXES if sandbox != "docker"]
CHOSEN = [
    *sample(paired(sorted(ALIKE - {*OUTPUT}), HOST, "hostile bots"), 22, "hostile bots"),
    *sample(paired(OUTPUT, HOST, "hostile output"), 6, "hostile output"),
    *sample(((name, "bubblewrap") for name in (*GREED, *ESCAPE)), 20, "hostile bubblewrap"),
    *sample(((name, "process") for name in (*GREED, *ESCAPE)), 6, "hostile process"),
    *sample([case for case in CASES if case[1] == "docker"], 5, "hostile docker"),
]
SERIES = CASES if FULL else [case for case in CASES if case in CHOSEN]


@pytest.mark.slow
@pytest.mark.parametrize(("misbehaviour", "sandbox"), SERIES)
def test_bot_that(misbehaviour: str, sandbox: str) -> None:
    check(attack(misbehaviour, sandbox))


def test_every_hostile_bot_has_an_outcome() -> None:
    assert program.MISBEHAVIOURS.keys() == MISBEHAVIOURS.keys()
