"""The pictures of the README can be taken again, and stay small."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import pictures
from tests.browser.pictures import FOLDER
from tests.support.depth import only_in_long

MOST = 150_000
"""Bytes."""


@only_in_long
@pytest.mark.slow
def test_pictures_are_those_of_the_readme_and_small(
    browser: Browser, showcase: Path, tmp_path: Path
) -> None:
    pictures.take(browser, showcase, tmp_path)
    taken = {path.name for path in tmp_path.glob("*.png")}
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    assert taken == set(re.findall(r"docs/pictures/([a-z]+\.png)", readme))
    for path in tmp_path.glob("*.png"):
        assert path.stat().st_size <= MOST


def test_each_picture_is_shown_and_small() -> None:
    pages = [FOLDER.parents[1] / "README.md", *FOLDER.parent.rglob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    shown = set(re.findall(r"pictures/([a-z]+\.(?:png|svg))", text))
    assert {path.name for path in FOLDER.iterdir()} == shown
    for path in FOLDER.iterdir():
        assert path.stat().st_size <= MOST
