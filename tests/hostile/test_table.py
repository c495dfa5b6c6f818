"""The page has every misbehaviour, and says of it what the tests check."""

import re

from tests.hostile.misbehaviours import GROUPED
from tests.hostile.table import stands, written


def test_the_page_names_every_misbehaviour() -> None:
    assert names(stands()) == names(written({}))


def test_the_page_is_up_to_date() -> None:
    """It shows what follows where there are control groups; elsewhere less is promised."""
    if GROUPED:
        assert re.sub(r"\d+ ms", "0 ms", stands()) == written({})


def names(section: str) -> list[str]:
    return [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
