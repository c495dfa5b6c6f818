"""A new rule switch: the lab follows it through the engine, or refuses rules that use it."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict, replace

from arena.game.rules import round as rounds
from arena.game.rules.books import BGA, PRESSMAN, SWITCHES, Rules
from arena.game.rules.round import Raises, Standing
from arena.io.errors import ArenaError
from arena.lab.env import perudo_v0
from arena.lab.env.openspiel import one_round
from arena.lab.env.vector import VectorEnv
from arena.lab.equilibrium.endgames import EndgameState, standing_of
from arena.lab.equilibrium.strategy_tables import name_of
from arena.lab.exploit import ExploitRequest, exploit
from tests.test_structure import ARENA, modules, parsed


class HouseRules(Rules, frozen=True, kw_only=True):
    """Rules with a made-up switch: nobody may bid a single die."""

    no_ones: bool = False


STATE = EndgameState(1, 1, palifico=True)


def house_rules(*, no_ones: bool) -> Rules:
    return HouseRules(**{**asdict(BGA), "starting_dice": 1, "no_ones": no_ones})


def exploited(rules: Rules) -> object:
    request = ExploitRequest(
        bot="sample:honest",
        rules=rules,
        dice=2,
        asks=2,
        seed="a seed",
        sandbox="process",
        packages=False,
    )
    return exploit(request, lambda _: None, trusted=True)


USERS: dict[str, Callable[[Rules], object]] = {
    "vector": lambda rules: VectorEnv(1, rules),
    "name of tables": name_of,
    "state": lambda rules: standing_of(STATE, rules),
    "exploit": exploited,
}
"""Code that is written for the switches that it knows."""


@pytest.mark.parametrize("use", USERS.values(), ids=USERS)
def test_rules_with_an_unknown_switch_are_refused(use: Callable[[Rules], object]) -> None:
    with pytest.raises((ArenaError, ValueError), match="the rule switch 'no_ones'"):
        use(house_rules(no_ones=True))


def test_unknown_switch_at_its_default_changes_nothing() -> None:
    rules = house_rules(no_ones=False)
    assert np.array_equal(
        VectorEnv(1, rules).masks(), VectorEnv(1, replace(BGA, starting_dice=1)).masks()
    )
    assert name_of(rules) == name_of(BGA)


@pytest.mark.parametrize(
    "rules", [replace(BGA, calza=True), replace(PRESSMAN, palifico_with_two_left=True)]
)
def test_rules_for_which_states_say_too_little_are_refused(rules: Rules) -> None:
    with pytest.raises(ArenaError, match="equilibria are not known"):
        standing_of(STATE, rules)


@pytest.fixture
def _no_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Teach the engine the made-up switch."""
    known = rounds._raises_over

    def raises_over(standing: Standing, seat: int, bid: object) -> tuple[Raises, ...]:
        ranges = known(standing, seat, bid)  # type: ignore[arg-type]
        if not getattr(standing.rules, "no_ones", False):
            return ranges
        return tuple([replace(one, min=max(2, one.min)) for one in ranges if one.max > 1])

    monkeypatch.setattr(rounds, "_raises_over", raises_over)


def mask(rules: Rules) -> np.ndarray:
    env = perudo_v0.raw_env(rules, 2)
    env.reset()
    return env.observe(env.agent_selection)["action_mask"]


def mask_of_the_agent(rules: Rules) -> np.ndarray:
    env = perudo_v0.single_agent([lambda seen, _: int(seen["action_mask"].argmax())], rules)
    return env.reset()[0]["action_mask"]


def mask_in_openspiel(rules: Rules) -> np.ndarray:
    state = one_round(rounds.first_standing(rules, 2, 0), lambda _: (0.0, 0.0)).new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    return np.array(state.legal_actions_mask())


@pytest.mark.usefixtures("_no_ones")
@pytest.mark.parametrize("legal", [mask, mask_of_the_agent, mask_in_openspiel])
def test_environments_follow_the_engine(legal: Callable[[Rules], np.ndarray]) -> None:
    before, after = (legal(house_rules(no_ones=no_ones)) for no_ones in (False, True))
    assert before.sum() > after.sum() > 0


NAMED = re.compile(rf"\.({'|'.join(sorted(SWITCHES))})\b".encode())
"""What a module may read a switch by: only those that have it are parsed."""


def readers(path: Path) -> set[str]:
    if not NAMED.search(path.read_bytes()):
        return set()
    nodes = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)]
    read = {node.attr for node in nodes if node.attr in SWITCHES - {"palifico"}}
    # Decisions and positions have a palifico, too.
    return read | {"palifico" for node in nodes if ast.unparse(node).endswith("rules.palifico")}


@pytest.mark.slow
def test_only_the_engine_and_the_lab_read_switches() -> None:
    """Other code takes what follows from them from the engine, so a new one cannot miss it."""
    files = {path.relative_to(ARENA) for path in modules(ARENA) if readers(path)}
    assert {str(path) for path in files if path.parts[0] != "game"} == {
        "lab/env/vector.py",
        "lab/equilibrium/endgames.py",
    }
