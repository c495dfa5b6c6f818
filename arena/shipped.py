"""Where the data folders are that ship with the arena: protocol, reports, sample bots."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the data folder `name`: `protocol`, `reports` or `sample_bots`.

    A wheel holds them under `arena/_shipped`; in a checkout they stand beside `arena`.
    Raises FileNotFoundError where there is neither, so an incomplete package is noticed at once.
    """
    for place in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the data folder '{name}' is missing from this installation")
