"""What the replay of a site of games to watch shows."""

from pathlib import Path

from playwright.sync_api import Page

from arena.publish.replay_steps import Replay, Step
from tests.browser.conftest import address
from tests.publish.pages import unpacked


def game(site: Path, number: int) -> Replay:
    return unpacked((site / "replays/0-0.js").read_text()).games[str(number)]


def show(page: Page, site: Path, fragment: str = "") -> None:
    page.goto(address(site / "replay.html", fragment))
    page.wait_for_selector("#replay:not([hidden]), #trouble:not([hidden])")


def at(page: Page) -> str:
    return str(page.evaluate("location.hash"))


def told(step: Step) -> str:
    parts = (step.said, step.knew, step.truth) if step.kind in {"call", "end"} else (step.said,)
    return " ".join(part for part in parts if part)


def first_call(site: Path) -> int:
    steps = game(site, 0).steps
    return next(number for number, step in enumerate(steps) if step.kind == "call")


def pressed(page: Page) -> str:
    """Whose dice the eye shows."""
    return str(page.get_attribute("#eyes [aria-pressed=true]", "value"))
