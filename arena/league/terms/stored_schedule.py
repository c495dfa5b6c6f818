"""The schedule of a stored league, drawn again from its conditions and their changes."""

from contextlib import suppress

from arena.game.records import Conditions
from arena.game.rules.books import MAX_PLAYERS, MAX_STARTING_DICE, MIN_PLAYERS
from arena.io.errors import ArenaError, FindingError
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms.config import MAX_BLOCKS, MAX_GAMES, MAX_PLAYOFF


def schedule_of(store: Store, *, checked: bool = True) -> Schedule:
    """Draw the schedule of a stored league, an endless one or a playoff as far as it was played.

    Raises ArenaError as `planned` does.
    """
    schedule = planned(store, checked=checked)
    schedule.reach(store.last_position())
    if schedule.conditions.playoff:
        progress = LeagueProgress(schedule)
        # Nothing is drawn from damaged results.
        with suppress(ArenaError):
            for result in store.results():
                progress.add(result)
            progress.due()
    return schedule


def planned(store: Store, *, checked: bool = True) -> Schedule:
    """Draw the schedule of a stored league, an endless one only as far as its changes tell.

    Raises ArenaError as `Store.history` does, and for conditions that no league can have: whoever
    forged them knew of their hashes.
    """
    history = store.history(checked=checked)
    try:
        _check_numbers(history.start)
        _check_numbers(history.now())
        return Schedule(*history)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        what = f"the stored conditions make no schedule: {type(error).__name__}: {error}"
        raise FindingError(what, str(store.path), "put back a copy of the store") from error


def _check_numbers(conditions: Conditions) -> None:
    """Raise ValueError for numbers that league.yaml cannot have, and that nothing could play."""
    playoff = [conditions.playoff] if conditions.playoff else []
    dice = [rules.starting_dice for rules in conditions.variants.values()]
    for name, numbers, low, high in (
        ("players", conditions.players, MIN_PLAYERS, MAX_PLAYERS),
        ("games", [conditions.games], 1, MAX_GAMES),
        ("blocks", [conditions.blocks], 0, MAX_BLOCKS),
        ("playoff.confidence", [terms.confidence for terms in playoff], 0.5, 0.9999),
        ("playoff.games", [terms.games for terms in playoff], 1, MAX_PLAYOFF),
        ("starting_dice", dice, 1, MAX_STARTING_DICE),
    ):
        if not all(low <= number <= high for number in numbers):
            raise ValueError(f"{name} must be {low} to {high}")
