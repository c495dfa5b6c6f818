"""A whole conversation with live bots, line by line: what authors read, what the tests replay."""

from collections.abc import Sequence

from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo


def transcript(bots: Sequence[Bot], rules: Rules, sandbox: Sandbox) -> list[str]:
    """Play one game among staged bots; returns ">>seat line" and "<<seat line" in their order."""
    said: list[str] = []

    def log(seat: int, way: str, line: bytes) -> None:
        said.append(f"{way}{seat} {line.decode('utf-8', 'backslashreplace').rstrip()}")

    fixture = Fixture("transcript", 0, rules.name, tuple(bot.name for bot in bots), "transcript", 1)
    play_fixture(fixture, rules, bots, sandbox, LimitsInfo(), log)
    return said
