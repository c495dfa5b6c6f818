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
    played = [
        (rules, _play(bot, rules, players, sandbox, limits))
        for rules in _all_rules()
        for players in _TABLE_SIZES
    ]
    return CheckedBot(
        bot=bot.name,
        games=sum(len(p.games) for _, p in played),
        decisions=sum(p.decisions for _, p in played),
        faults=[line for rules, p in played for line in _faults(rules, p)],
        stderr=next((text for _, p in played for text in p.stderr if text), ""),
    )


def _all_rules() -> list[Rules]:
    plain = list(VARIANTS.values())
    full = [replace(rules, calza=True, lost_dice_visible=True) for rules in plain]
    return [*plain, *full]


def _play(
    bot: StagedBot, rules: Rules, players: int, sandbox: Sandbox, limits: LimitsInfo
) -> PlayedFixture:
    fixture = Fixture("check", 0, rules.name, (bot.name,) * players, "check", _GAMES)
    with Multiplexer([bot.program] * players, sandbox, limits) as multiplexer:
        return play_fixture(fixture, rules, multiplexer)


def _faults(rules: Rules, played: PlayedFixture) -> list[str]:
    seats = len(played.fixture.seats)
    return [
        f"{rules.name}, {seats} players, game {record.game}: {event.cause}: {event.detail}"
        for record in played.games
        for event in record.events
        if isinstance(event, Faulted)
    ]
