"""The page has every misbehaviour, with the outcome that the tests check."""

import re

from tests.hostile.outcomes import CGROUPS
from tests.hostile.page import SECTION, render


def test_page_names_every_misbehaviour() -> None:
    assert names(SECTION.read()) == names(render({}))


def test_page_is_up_to_date() -> None:
    """It shows the outcomes with control groups; without them, less is guaranteed."""
    if CGROUPS:
        assert re.sub(r"\d+ ms", "0 ms", SECTION.read()) == render({})


def names(section: str) -> list[str]:
    return [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
