"""Every way to misbehave, in every sandbox: it costs its bot the game and nobody else anything."""

import pytest

from tests.hostile.attack import attack
from tests.hostile.bots import __main__ as program
from tests.hostile.checks import check
from tests.hostile.misbehaviours import TRIED, WAYS


@pytest.mark.parametrize(("way", "sandbox"), TRIED)
def test_a_bot_that(way: str, sandbox: str) -> None:
    check(attack(way, sandbox))


def test_every_hostile_bot_is_in_the_table() -> None:
    assert program.WAYS.keys() == WAYS.keys()
