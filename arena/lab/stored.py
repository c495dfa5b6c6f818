"""Stored games, and their decisions as arrays to learn from.

    from arena.lab import games, imitation

    for fixture, rules, record in games("league.yaml"): ...
    seen = imitation("league.yaml", players=2, bots=["champion"])

Needs numpy alone; Parquet needs the extra of that name.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import to_builtins

from arena.game.records import Fixture, GameRecord
from arena.game.rules.books import Rules
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.lab.env.perudo_policy import Array, Table
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from arena.publish.export import table

Row = dict[str, Any]


class Imitation(NamedTuple):
    """Decisions as arrays; a row each. All are of one table, laid out as in `arena.lab.env`."""

    table: Table
    observations: Array
    masks: Array
    """1 for each legal action."""
    actions: np.ndarray[Any, np.dtype[np.int64]]
    rewards: np.ndarray[Any, np.dtype[np.float32]]
    """That of the seat's place in the game, as in the environments: 1 for the winner to -1."""
    kept: np.ndarray[Any, np.dtype[np.bool_]]
    """Whether the round cost the seat no die."""
    bots: np.ndarray[Any, np.dtype[np.str_]]
    games: np.ndarray[Any, np.dtype[np.str_]]
    """Which game a decision is of. Rows of one game are no independent examples."""


def games(path: str | Path) -> Iterator[tuple[Fixture, Rules, GameRecord]]:
    """Yield the stored games of a league (its league.yaml or its store), in schedule order.

    Fixtures that are no longer in the schedule are left out. `perudo_v0.recorded` steps through
    such a game. Raises ArenaError for a file that is not there, or a damaged store.
    """
    with Store(_store(Path(path))) as store:
        schedule = schedule_of(store)
        for played in store.played():
            fixture, rules = schedule.drawn[played.fixture.id]
            if schedule.counts(fixture.id):
                for record in played.games:
                    yield fixture, rules, record


def imitation(
    path: str | Path,
    *,
    players: int = 2,
    starting_dice: int = 5,
    variant: str | None = None,
    bots: Collection[str] | None = None,
) -> Imitation:
    """Return the decisions at tables of one size as arrays, those of some bots or of all.

    `path` is a league (its league.yaml or its store), or what `arena export --rows decisions` wrote
    of one, as JSON lines or Parquet. Passed offers of calza are not recorded. Raises ArenaError if
    there is no such decision.
    """
    layout = Table(players, starting_dice)
    seen, masks = list[Array](), list[Array]()
    became = list[tuple[int, int, bool, str, str]]()
    for row in _rows(Path(path)):
        if (row["players"], row["starting_dice"]) != (players, starting_dice) or not row["counts"]:
            continue
        if variant not in (None, row["variant"]) or (bots is not None and row["bot"] not in bots):
            continue
        observation, mask = seen_by(layout, row)
        seen.append(observation)
        masks.append(mask)
        action = layout.action(row["action"], row["quantity"] or 0, row["face"] or 0)
        game = f"{row['index']}.{row['game']}"
        became.append((action, row["place"], row["dice_lost"] <= 0, row["bot"], game))
    if not became:
        what = f"no such decisions at tables of {players} with {starting_dice} dice each"
        raise ArenaError(what, str(path), "name another table, variant or bots")
    actions, places, kept, names, of_games = map(np.array, zip(*became, strict=True))
    rewards = (1 - 2 * (places - 1) / (players - 1)).astype(np.float32)
    return Imitation(
        layout, np.stack(seen), np.stack(masks), actions, rewards, kept, names, of_games
    )


def seen_by(layout: Table, row: Row) -> tuple[Array, Array]:
    """Return what the seat of a decision saw, and its legal actions."""
    used = [seat in row["palifico_used"] for seat in range(layout.players)]
    palifico = row["palifico_seat"], used
    offer = row["action"] == "calza"
    observation = layout.observation(
        row["seat"], row["dice"], row["dice_counts"], palifico, row["bids"], offer
    )
    return observation, layout.offer_mask() if offer else layout.mask(row["raises"], row["dudo"])


def _rows(path: Path) -> Iterable[Row]:
    """Return the decisions of a league, or of a file that was exported."""
    if path.suffix == ".jsonl":
        return _json_lines(path)
    if path.suffix == ".parquet":
        return _parquet(path)
    if path.suffix == ".csv":
        hint = "arena export --rows decisions --format jsonl, or parquet"
        raise ArenaError("decisions are read from JSON lines or Parquet", str(path), hint)
    return _stored(_store(path))


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        hint = shipped.how_to_install("parquet")
        raise ArenaError("parquet needs pyarrow, which is not installed", "", hint) from None
    with ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()


def _stored(path: Path) -> Iterator[Row]:
    with Store(path) as store:
        _, rows = table("decisions", store, schedule_of(store))
        yield from map(to_builtins, rows)


def _store(path: Path) -> Path:
    store = path if path.suffix == ".sqlite" else path.with_suffix(".sqlite")
    if not store.exists():
        raise ArenaError("there are no stored games", str(store), "name a league that was played")
    return store
