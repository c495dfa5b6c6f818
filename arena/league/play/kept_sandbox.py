"""The sandbox of a run: the one asked for, or that in which the league is played already."""

from pathlib import Path

from arena.bots.bot import runtimes_of
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, make_sandbox, unavailable
from arena.league.play.dispatcher import RunListener
from arena.league.store.store import Store
from arena.league.terms.config import League


def sandbox_of_run(name: str, league: League, store: Path, listener: RunListener) -> Sandbox:
    """Return the sandbox of a name in which a league is played.

    "auto" stands for the one in force in the store, once anything was played, as games in another
    would not count with the others; or the strongest, if that does not work here any more. The
    listener is told of either. Raises ArenaError if the sandbox, or none, works.
    """
    runtimes = runtimes_of(league.bots)
    asked = make_sandbox(name, runtimes, league.images, league.sandbox_paths)
    kept = _in_force(store) if name == AUTO else asked.name
    if kept in {"", asked.name}:
        return asked
    if lost := unavailable(kept, runtimes, league.images):
        began = f"the league began in the sandbox '{kept}', which does not work here"
        listener.note(f"{began}: {lost.in_words()}")
        return asked
    other = f"'{asked.name}' would be taken now: --sandbox {asked.name}"
    listener.note(f"the league goes on in the sandbox '{kept}', in which it began; {other}")
    return make_sandbox(kept, runtimes, league.images, league.sandbox_paths)


def _in_force(store: Path) -> str:
    """Return the sandbox of the games in a store; "" if there are none."""
    if not store.exists():
        return ""
    with Store(store) as opened:
        stored = opened.league
        return stored.sandbox if stored and opened.finished() else ""
