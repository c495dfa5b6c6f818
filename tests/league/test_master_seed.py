"""The master seed: salted where bots could guess it, and kept while nothing is known of it."""

from contextlib import redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path
from re import fullmatch
from typing import Any

import pytest
from msgspec.structs import replace

from arena.game.records import Conditions, Fixture
from arena.game.rules.books import Rules
from arena.game.rules.dice import roll
from arena.game.seeds import commitment, fixture_seed
from arena.io.errors import ArenaError
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms.conditions import resolve
from arena.league.terms.config import League
from arena.league.terms.master_seed import choose, describe, master_seed, seeds_of, withheld
from arena.league.terms.stored_schedule import schedule_of
from tests.cli.command import ROOT
from tests.league import leagues
from tests.league.leagues import begin, store_all

SALT = "0123456789abcdef" * 2
SAMPLES = ["sample:honest", "sample:random"]


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    return leagues.write_bot(tmp_path, "foreign", "cat")


def _league(folder: Path, *more: str, seed: object = "autumn", shared_dice: bool = False) -> League:
    bots = [*SAMPLES, *more]
    return leagues.league(folder, bots=bots, players=[2], seed=seed, shared_dice=shared_dice)


def _played(folder: Path, plan: League, *, trusted: bool = False) -> Conditions:
    """Store all games of a league, and return its conditions."""
    with Store(folder / "store", create=True) as store:
        info = begin(plan, "process", store, accept=True, trusted=trusted)
        store_all(store)
    return info


def _drawn(folder: Path) -> dict[str, tuple[Fixture, Rules]]:
    with Store(folder / "store") as store:
        return schedule_of(store).drawn


def _next(folder: Path, plan: League, *, trusted: bool = False) -> str:
    with Store(folder / "store") as store:
        return master_seed(plan, store, trusted=trusted)


@pytest.mark.parametrize(
    ("named", "trusted", "pattern"),
    [
        ("autumn", False, "autumn/[0-9a-f]{32}"),
        ("autumn", True, "autumn"),
        (None, False, "[0-9a-f]{32}"),
        (None, True, "[0-9a-f]{32}"),
        ("", False, "[0-9a-f]{32}"),
        (f"autumn/{SALT}", False, f"autumn/{SALT}"),
        (f"autumn\n/{SALT}", False, f"autumn\n/{SALT}"),
        (SALT, False, SALT),
        (SALT[:-1], False, f"{SALT[:-1]}/[0-9a-f]{{32}}"),
        (f"autumn {SALT}", False, f"autumn {SALT}/[0-9a-f]{{32}}"),
        (f"{SALT}\n", False, f"{SALT}\n/[0-9a-f]{{32}}"),
        (SALT.upper(), False, f"{SALT.upper()}/[0-9a-f]{{32}}"),
    ],
)
def test_salt_is_mixed_into_a_seed_that_foreign_bots_could_guess(
    tmp_path: Path, foreign: str, named: str | None, trusted: bool, pattern: str
) -> None:
    bots = _league(tmp_path, foreign).bots
    drawn = [choose(named, bots, trusted=trusted) for _ in range(2)]
    assert all(fullmatch(pattern, one) for one in drawn)
    assert len(set(drawn)) == (1 if pattern == named else 2)


def test_seed_of_sample_bots_stays_as_it_is_given(tmp_path: Path) -> None:
    plan = _league(tmp_path)
    assert choose("autumn", plan.bots, trusted=False) == "autumn"
    assert "no salt is mixed" in describe("autumn", "autumn", plan.bots)


def test_run_says_who_could_know_the_dice(tmp_path: Path, foreign: str) -> None:
    bots = _league(tmp_path, foreign).bots
    assert describe("autumn", "autumn", bots).startswith("warning: no salt")
    assert describe("autumn", None, bots).startswith("warning: no salt")
    whole = f"autumn/{SALT}"
    assert describe(whole, whole, bots).startswith("warning: no salt")
    assert describe(whole, "autumn", bots).startswith("a random salt is mixed into")
    assert describe(whole, None, bots).startswith("a random salt is mixed into")
    assert describe(SALT, None, bots).startswith("the master seed was drawn at random")


@pytest.mark.parametrize("trusted", [False, True])
def test_salt_is_drawn_once(tmp_path: Path, foreign: str, trusted: bool) -> None:
    plan = _league(tmp_path, foreign)
    with Store(tmp_path / "store", create=True) as store:
        unplayed = begin(plan, "process", store)
    played = _played(tmp_path, plan)
    assert played == unplayed
    assert played.commitment == commitment(played.seed)
    for seed in ("autumn", None, "", played.seed):
        assert (
            _next(tmp_path, _league(tmp_path, foreign, seed=seed), trusted=trusted) == played.seed
        )
    assert _next(tmp_path, _league(tmp_path)) == played.seed


def test_seed_may_be_named_anew_before_the_first_game(tmp_path: Path, foreign: str) -> None:
    with Store(tmp_path / "store", create=True) as store:
        begin(_league(tmp_path), "process", store)
        assert begin(_league(tmp_path), "process", store).seed == "autumn"
        salted = begin(_league(tmp_path, foreign), "process", store).seed
        assert salted.startswith("autumn/")
        other = begin(_league(tmp_path, foreign, seed="spring"), "process", store).seed
        assert other.startswith("spring/")


def test_another_seed_or_salt_is_refused_after_games(tmp_path: Path, foreign: str) -> None:
    _played(tmp_path, _league(tmp_path, foreign))
    for seed in ("spring", f"autumn/{SALT}", SALT):
        with pytest.raises(ArenaError, match="the master seed cannot change"):
            _next(tmp_path, _league(tmp_path, foreign, seed=seed))


def test_foreign_bot_that_joins_gets_dice_of_a_new_salt(tmp_path: Path, foreign: str) -> None:
    before = _played(tmp_path, _league(tmp_path))
    info = _played(tmp_path, _league(tmp_path, foreign))
    assert (before.seed, info.seed[:7]) == ("autumn", "autumn/")
    assert [one.seed for one in info.earlier_seeds] == ["autumn"]
    drawn = _drawn(tmp_path)
    for fixture, _ in drawn.values():
        master = info.seed if "foreign" in fixture.seats else before.seed
        assert fixture.dice_key == fixture_seed(master, fixture.id)
    old = Schedule(before).drawn
    assert {id_: one for id_, one in drawn.items() if id_ in old} == old
    # Another version of it is another bot, whose author may have read the second salt.
    (tmp_path / "foreign/bot.sh").write_text("cat -")
    third = _played(tmp_path, _league(tmp_path, foreign))
    assert len(seeds_of(third)) == 3
    assert all(one.commitment == commitment(one.seed) for one in third.earlier_seeds)
    # It rests: nobody joined, and nothing new is drawn.
    assert _next(tmp_path, _league(tmp_path)) == third.seed


def test_drawn_seed_is_drawn_again_when_foreign_bots_join(tmp_path: Path, foreign: str) -> None:
    before = _played(tmp_path, _league(tmp_path, seed=None))
    after = _played(tmp_path, _league(tmp_path, foreign, seed=None))
    assert fullmatch("[0-9a-f]{32}", after.seed)
    assert after.seed != before.seed


def test_guessable_seed_goes_on_with_trusted_bots_only(tmp_path: Path, foreign: str) -> None:
    """Of a league that began with --trust-bots, or before there were salts."""
    plan = _league(tmp_path, foreign)
    assert _played(tmp_path, plan, trusted=True).seed == "autumn"
    with pytest.raises(ArenaError, match="the master seed has no salt") as caught:
        _next(tmp_path, plan)
    assert "--trust-bots" in caught.value.hint
    assert _next(tmp_path, plan, trusted=True) == "autumn"
    assert _next(tmp_path, _league(tmp_path)) == "autumn"


def test_no_seed_is_left_in_withheld_conditions(tmp_path: Path, foreign: str) -> None:
    _played(tmp_path, _league(tmp_path))
    info = _played(tmp_path, _league(tmp_path, foreign))
    assert seeds_of(withheld(info)) == {""}
    shown = replace(withheld(info), seed=info.seed, earlier_seeds=info.earlier_seeds)
    assert shown == info


@pytest.mark.parametrize("shared", [True, False])
def test_dice_can_be_derived_as_the_documentation_says(
    tmp_path: Path, foreign: str, *, shared: bool
) -> None:
    page = (ROOT / "docs/reference/rules.md").read_text(encoding="utf-8")
    recipe, names = page.partition("```python\n")[2].partition("```")[0], dict[str, Any]()
    with redirect_stdout(StringIO()):
        exec(recipe, names)  # noqa: S102 - of our own page
    _played(tmp_path, _league(tmp_path, shared_dice=shared))
    info = _played(tmp_path, _league(tmp_path, foreign, shared_dice=shared))
    for fixture, _ in _drawn(tmp_path).values():
        epoch = int("foreign" in fixture.seats)
        master = info.seed if epoch else "autumn"
        key = names["key_of"](master, fixture.id)
        if shared:
            text = f"{master}/block/bga/2/{epoch}/{fixture.block}"
            key = sha256(text.encode()).hexdigest()[:32]
        assert tuple(names["hand"](key, 2, 1, 0, 5)) == roll(fixture.dice_key, 2, 1, 0, 5)


def test_league_that_does_not_say_whether_dice_are_shared_stays_as_it_began(tmp_path: Path) -> None:
    assert _played(tmp_path, _league(tmp_path, shared_dice=True)).shared_dice
    with Store(tmp_path / "store") as store:
        silent = replace(_league(tmp_path), shared_dice=None)
        assert resolve(silent, "process", store).schedule.conditions.shared_dice
        with pytest.raises(ArenaError, match="shared_dice is false, not true"):
            resolve(_league(tmp_path), "process", store)
