"""Check a bot: a few games against itself under every rule book."""

from msgspec import Struct
from msgspec.structs import replace

from arena.match.table import play_fixture
from arena.perudo.rules import VARIANTS, Rules
from arena.records import Faulted, Fixture, LimitsInfo, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.sessions.multiplexer import Multiplexer
from arena.submissions.bot import StagedBot

_GAMES = 5
_TABLE_SIZES = (2, 3)


class CheckedBot(Struct, frozen=True):
    """How a bot did: its faults, one line each, and the end of its standard error.

    `build` is the end of the output of its build, filled in by whoever staged the bot.
    """

    bot: str
    games: int
    decisions: int
    faults: list[str]
    stderr: str
    build: str = ""


def check_bot(bot: StagedBot, sandbox: Sandbox, limits: LimitsInfo | None = None) -> CheckedBot:
    """Play a bot against itself under each variant, with calza and without."""
    limits = limits or LimitsInfo()
    plain = list(VARIANTS.values())
    full = [replace(rules, calza=True, lost_dice_visible=True) for rules in plain]
    played = [
        _play(bot, rules, players, sandbox, limits)
        for rules in [*plain, *full]
        for players in _TABLE_SIZES
    ]
    return CheckedBot(
        bot=bot.name,
        games=sum(len(fixture.games) for fixture in played),
        decisions=sum(fixture.decisions for fixture in played),
        faults=[line for fixture in played for line in _faults(fixture)],
        stderr=next((text for fixture in played for text in fixture.stderr if text), ""),
    )


def _play(
    bot: StagedBot, rules: Rules, players: int, sandbox: Sandbox, limits: LimitsInfo
) -> PlayedFixture:
    fixture = Fixture("check", 0, rules.name, (bot.name,) * players, "check", _GAMES)
    with Multiplexer([bot.program] * players, sandbox, limits) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def _faults(played: PlayedFixture) -> list[str]:
    table = f"{played.fixture.variant}, {len(played.fixture.seats)} players"
    return [
        f"{table}, game {record.game}: {event.cause}: {event.detail}"
        for record in played.games
        for event in record.events
        if isinstance(event, Faulted)
    ]
