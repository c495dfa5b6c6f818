"""At tables of three and more `equilibrium` answers as `odds` does."""

import json

import numpy as np
import pytest

from arena.game.rules.books import VARIANTS
from arena.game.wire.codec import encode
from arena.lab.env import perudo_v0
from arena.lab.env.perudo_v0 import PerudoEnv
from tests.lab.equilibrium.bot_module import bot_module
from tests.support.depth import depth
from tests.support.sampling import random


@pytest.mark.parametrize("players", [3, 6])
@pytest.mark.parametrize("variant", VARIANTS)
def test_answers_are_those_of_odds(variant: str, players: int) -> None:
    env, rng = perudo_v0.raw_env(variant, players, calza=True), random(f"{variant} {players}")
    for _ in range(depth(2, 30)):
        env.reset(seed=rng.randrange(1000))
        while env.game.seat is not None:
            answers_alike(env)
            bids = np.flatnonzero(env.game.mask)
            env.game.act(int(bids[rng.randrange(min(len(bids), 4))]))


def answers_alike(env: PerudoEnv) -> None:
    equilibrium, odds = bot_module(), bot_module("odds")
    request = json.loads(encode(env.game.request))
    hidden = sum(env.game.referee.standing.dice) - len(request["dice"])
    if request["type"] == "calza":
        start = env.setting.rules.starting_dice
        assert equilibrium.call(request, hidden, start) == odds.call(request, hidden, start)
    else:
        assert equilibrium.choose(request, hidden, None, 1) == odds.choose(request, hidden)
