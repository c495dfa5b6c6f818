"""Tiny bots for checks, a check that takes little time, and the screen that its report fits on."""

from pathlib import Path

from arena.author.check.bench import CheckRequest
from arena.author.check.findings import CheckReport
from arena.author.check.run import check
from arena.game.records import LimitsInfo
from tests.support.bot_programs import program
from tests.support.live import PYTHON

PATIENT = LimitsInfo(start=60.0, answer=20.0, game=600.0)
"""For bots that must not be late on a busy machine."""
HASTY = LimitsInfo(start=0.5, answer=0.2, game=600.0, wall=5.0)
"""For bots that are always late."""
FEW = 40
"""Positions, instead of 2,000."""
COLUMNS, ROWS = 80, 24


class Silent:
    """Takes no note of how a check goes on, but of warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def trying(self, number: int, steps: int, name: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def write(folder: Path, body: str = "", *, command: str = PYTHON, more: str = "") -> Path:
    """Write a bot's folder; `body` replaces parts of a good bot."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("bot.py").write_text(program(body), encoding="utf-8")
    folder.joinpath("bot.yaml").write_text(f"name: new\ncommand: {command}\n{more}")
    return folder


def checked(
    folder: Path,
    limits: LimitsInfo = PATIENT,
    *,
    step: int | None = None,
    every_fault: bool = False,
    listener: Silent | None = None,
) -> CheckReport:
    """Check a bot in the process sandbox, with few positions."""
    request = CheckRequest(
        folder,
        "process",
        trusted=True,
        limits=limits,
        step=step,
        every_fault=every_fault,
        positions=FEW,
        patience=2.0,
    )
    return check(request, listener or Silent())


def check_screen(lines: list[str]) -> None:
    """Check that lines fit on one screen."""
    rows = sum(-(-len(line) // COLUMNS) for line in lines)
    assert rows <= ROWS, lines
