"""Every language that Debian has: a bot of a few lines plays a game.

The sandboxes take turns; `make long` tries each language in each.
"""

from pathlib import Path

import pytest

from arena.bots.builds.staging import stage
from arena.bots.manifest import load_bot
from arena.bots.runtimes import LANGUAGES
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES
from arena.game.records import Faulted, Fixture, LimitsInfo
from arena.game.rules.books import variant
from tests.bots.tried_languages import TRIED
from tests.support.live import good_bot, play_bots
from tests.support.sampling import paired

BOTS = Path(__file__).with_name("languages")


def test_every_language_has_a_bot() -> None:
    assert {path.name for path in BOTS.iterdir()} == LANGUAGES.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "sandbox"), paired(TRIED, SANDBOXES, "languages"), indirect=["sandbox"]
)
def test_language_plays_a_game(language: str, sandbox: Sandbox, runs: Path) -> None:
    bots = [stage(load_bot(BOTS / language), runs, sandbox), good_bot(runs, sandbox)]
    fixture = Fixture("f", 0, "bga", tuple(bot.info.name for bot in bots), "seed", 1)
    limits = LimitsInfo(start=60.0, answer=10.0, game=120.0)
    played = play_bots(fixture, variant("bga", {}, starting_dice=2), bots, sandbox, limits)
    [game] = played.games
    assert [event for event in game.events if isinstance(event, Faulted)] == [], played.stderr[0]
