"""What the workers of a league need for its language models."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from arena.bots.models.config import Model
from arena.bots.models.gateway import NO_MODELS, Access
from arena.bots.models.journal import journal_file, read_journals
from arena.bots.models.ledger import add_spent, spent_on
from arena.io.files import os_errors
from arena.league.store.exchanges import spending
from arena.league.store.store import Store


def model_access(models: Mapping[str, Model], folder: Path, store: Store) -> Access:
    """Return it for workers that share a folder; what was spent before counts for caps.

    Raises ArenaError if a stored fixture is damaged, or journals cannot be read.
    """
    if not models:
        return NO_MODELS
    journals = journals_of(store.path)
    spent = spending(store)
    with os_errors("it cannot be read", journals):
        for bot, exchange in read_journals(journals, store.finished()):
            add_spent(spent, exchange.model, bot, spent_on(exchange))
    return Access({**models}, str(folder / "models"), spent, str(journals))


def journals_of(store: Path) -> Path:
    """Return the folder of the journals of a store: beside league.sqlite that is league.models."""
    return store.absolute().with_suffix(".models")


def remove_empty(store: Path) -> None:
    """Remove the folder of the journals if none is left; no worker may write any."""
    with suppress(OSError):
        journals_of(store).rmdir()


def forget_journals(store: Path, fixtures: Iterable[str]) -> None:
    """Remove the journals of fixtures whose results are stored; raises ArenaError."""
    journals = journals_of(store)
    with os_errors("it cannot be removed", journals):
        for fixture in fixtures:
            journal_file(journals, fixture).unlink(missing_ok=True)
