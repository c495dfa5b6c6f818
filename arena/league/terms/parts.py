"""Parts of a league.yaml that are read alone, whatever else is wrong with it."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.game.records import RatingsInfo
from arena.io.yaml_file import convert, locate, parse_yaml
from arena.league.terms.config import check_anchor


class RatingsPart(Struct, frozen=True):
    """The one key of league.yaml that may change after the games."""

    ratings: RatingsInfo = RatingsInfo()


class SeedPart(Struct, frozen=True):
    """The key of league.yaml that decides the dice and who meets whom."""

    seed: int | str | None = None


def load_ratings(path: Path, bots: Sequence[str]) -> RatingsInfo:
    """Read only the ratings' options of a league.yaml; raises ArenaError with the wrong line."""
    data, marks = parse_yaml(path)
    part = convert(data, marks, path, RatingsPart) if data else RatingsPart()
    check_anchor(part.ratings, bots, locate(path, marks, "$.ratings.anchor"))
    return part.ratings


def given_seed(path: Path) -> str | None:
    """Return the seed that a league.yaml names, if any; raises ArenaError if it cannot be read."""
    data, marks = parse_yaml(path)
    seed = convert(data, marks, path, SeedPart).seed if data else None
    return None if seed is None else str(seed)
