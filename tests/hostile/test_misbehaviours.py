"""Every misbehaviour, in every sandbox, costs its bot the game and harms no one else."""

import pytest

from tests.hostile.attack import attack
from tests.hostile.bots import __main__ as program
from tests.hostile.checks import check
from tests.hostile.misbehaviours import CASES, MISBEHAVIOURS
from tests.support.sampling import sample

IN_DOCKER = [case for case in CASES if case[1] == "docker"]
"""The slow ones."""
SAMPLE = [case for case in CASES if case[1] != "docker"] + sample(IN_DOCKER, 24, "hostile docker")


@pytest.mark.slow
@pytest.mark.parametrize(("misbehaviour", "sandbox"), SAMPLE)
def test_bot_that(misbehaviour: str, sandbox: str) -> None:
    check(attack(misbehaviour, sandbox))


def test_every_hostile_bot_has_an_outcome() -> None:
    assert program.MISBEHAVIOURS.keys() == MISBEHAVIOURS.keys()
