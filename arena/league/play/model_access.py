"""What the workers of a league need for its language models."""

from collections.abc import Mapping
from pathlib import Path

from arena.bots.models.config import Model
from arena.bots.models.gateway import NO_MODELS, Access
from arena.league.store.exchanges import spending
from arena.league.store.store import Store


def model_access(models: Mapping[str, Model], folder: Path, store: Store) -> Access:
    """Return it for workers that share a folder; what the store says was spent counts for caps.

    Raises ArenaError if a stored fixture is damaged.
    """
    if not models:
        return NO_MODELS
    return Access({**models}, str(folder / "models"), spending(store))
