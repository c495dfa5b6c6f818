"""A site of games to watch, and what its replay shows."""

from pathlib import Path

from playwright.sync_api import Page

from arena.game.rules.books import variant
from arena.publish.replay_steps import Replay, Step
from tests.browser.conftest import address
from tests.publish.in_memory import write_site
from tests.publish.pages import unpacked
from tests.support import factory
from tests.support import played_games as games

NASTY = '</script><img src=x onerror="document.title=1"><b>\x1b]0;\u202e'
SEATS = ("alpha", NASTY, "W" * 80, "delta")


def replays(folder: Path) -> Path:
    """Write the site of two fixtures of four bots with hostile names, some of whom fault."""
    rules = variant("bga", {}, calza=True)
    played = [
        games.fixture(0, "bga", rules, SEATS, 3, detail=NASTY),
        games.fixture(1, "bga", rules, SEATS, 1),
    ]
    league = factory.league(SEATS, variants={"bga": rules}, players=(4,), name=NASTY)
    return write_site(league, factory.ratings(played), played, folder).parent


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
