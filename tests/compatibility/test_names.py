"""Names that others wrote down: exit codes, addresses of a door, names in Python, environments."""

import inspect
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random

import numpy as np
import pytest

from arena.cli import exit_codes
from arena.lab.env import perudo_v0
from arena.ladder.folder import Folder
from arena.ladder.web.app import routes

EXIT_CODES = {
    "OK": 0,
    "FINDINGS": 1,
    "BAD_INPUT": 2,
    "INTERNAL_ERROR": 3,
    "INTERRUPTED": 130,
    "UNREAD": 141,
}
DOOR = """
/ /welcome /kits/{language}.zip /live /play /play/{secret}/ /feed/{secret} /link/{secret} /me
/account /upload /versions/{version} /private/{author}/{path:path} /administration /site /healthz
/metrics /api/v1/bots/{bot}/versions /api/v1/me /api/v1/ladder /api/v1/ladder/standings
/api/v1/ladder/events /api/v1/versions/{version} /api/v1/versions/{version}/check
/api/v1/versions/{version}/archive /api/v1/versions/{version}/events /api/v1/orders
/api/v1/openapi.json
"""
PYTHON = {
    "arena.lab.env:Observation": "",
    "arena.lab.env:Policy": "",
    "arena.lab.env:Table": "",
    "arena.lab.env:bot": "policy",
    "arena.lab.env.perudo_v0:env": "variant players starting_dice calza seed",
    "arena.lab.env.perudo_v0:raw_env": "variant players starting_dice calza seed",
    "arena.lab.env.perudo_v0:single_agent": "rivals variant starting_dice calza",
    "arena.lab.env.perudo_v0:recorded": "fixture rules record",
    "arena.lab.env.vector:VectorEnv": "",
    "arena.lab.textarena:bot_agent": "pattern sandbox trust_bots",
    "arena.lab.textarena:policy": "agent rules",
}
"""What others may import, and the parameters of functions (docs/reference/stability.md)."""
GAME_OF_V0 = "30ed83be1a7d5c388ae1cd2bcb0df6bf84ba215ac701d41a34b34a6e2dff8100"
"""SHA-256 of what an agent saw and got in some games of the environment that is called v0."""


def test_exit_codes_mean_what_they_meant() -> None:
    assert {name: getattr(exit_codes, name) for name in EXIT_CODES} == EXIT_CODES


def test_addresses_of_a_door_lead_somewhere(tmp_path: Path) -> None:
    known = {route.path.replace(":version}", "}") for route in routes(Folder(tmp_path))}
    assert {*DOOR.split()} - known == set()


@pytest.mark.parametrize(
    "name",
    # TextArena takes seconds to import.
    [pytest.param(name, marks=[pytest.mark.slow] * ("textarena" in name)) for name in PYTHON],
)
def test_name_in_python_takes_what_it_took(name: str) -> None:
    module, _, attribute = name.partition(":")
    found = getattr(import_module(module), attribute)
    if PYTHON[name]:
        assert {*PYTHON[name].split()} - {*inspect.signature(found).parameters} == set()


def test_environment_v0_plays_the_same_games_for_the_same_actions() -> None:
    digest = sha256()
    for variant, players in (("bga", 2), ("classic", 3), ("pressman", 6)):
        env = perudo_v0.raw_env(variant, players, calza=variant == "classic", seed=1)
        env.reset()
        rng = Random(0)
        for agent in env.agent_iter():
            seen, reward, ended, cut, _ = env.last()
            legal = np.flatnonzero(seen["action_mask"])
            digest.update(np.asarray(seen["observation"], "<f4").tobytes())
            digest.update(legal.astype("<i8").tobytes())
            digest.update(f"{agent} {reward} {ended} {cut} ".encode())
            env.step(None if ended or cut else int(rng.choice(legal)))
    assert digest.hexdigest() == GAME_OF_V0
