"""The misbehaviours in `docs/sandboxing.md`, each by sandbox: `make hostile` plays and writes them.

What stands there is what the tests check; only the milliseconds are new each time.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from arena.sandboxes.registry import SANDBOXES
from tests.hostile.attack import attack
from tests.hostile.checks import check
from tests.hostile.misbehaviours import CHAPTERS, TRIED, WAYS, Outcome, Way

PAGE = Path(__file__).parents[2] / "docs" / "sandboxing.md"
BEGIN = "<!-- misbehaviours: written by `make hostile` -->\n"
END = "<!-- end of misbehaviours -->\n"

_SPELT = {"html": "HTML", "crlf": "CRLF", "utf 8": "UTF-8", "nul": "NUL", "nan": "NaN"}

Times = Mapping[tuple[str, str], float]
"""Seconds that a fixture took, by way and sandbox."""


def written(times: Times) -> str:
    """Return the section of the page."""
    chapters = [_chapter(title, ways, times) for title, ways in CHAPTERS.items()]
    return "\n".join([*chapters, _not_promised()])


def stands() -> str:
    """Return the section as it stands in the page."""
    return _parts()[1]


def write(section: str) -> None:
    """Put the section into the page."""
    before, _, after = _parts()
    PAGE.write_text(before + BEGIN + section + END + after, encoding="utf-8")


def play_all() -> Times:
    """Let every bot misbehave in every sandbox; raises AssertionError where one gets further."""
    times = {}
    for done, (way, sandbox) in enumerate(TRIED, start=1):
        print(f"{done}/{len(TRIED)} {sandbox}: {way}", file=sys.stderr)
        seen = attack(way, sandbox)
        check(seen)
        times[way, sandbox] = seen.seconds
    return times


def _parts() -> tuple[str, str, str]:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    section, _, after = rest.partition(END)
    return before, section, after


def _chapter(title: str, ways: Mapping[str, Way], times: Times) -> str:
    rows = [f"| a bot that | {' | '.join(f'`{sandbox}`' for sandbox in SANDBOXES)} |"]
    rows += ["|---" * (len(SANDBOXES) + 1) + "|"]
    for name, way in ways.items():
        cells = [_cell(way, sandbox, times.get((name, sandbox), 0)) for sandbox in SANDBOXES]
        rows.append(f"| {_in_words(name)} | {' | '.join(cells)} |")
    return "\n".join([f"### {title}", "", *rows, ""])


def _in_words(name: str) -> str:
    text = name.replace("_", " ")
    for plain, right in _SPELT.items():
        text = re.sub(rf"\b{plain}\b", right, text)
    return text


def _cell(way: Way, sandbox: str, seconds: float) -> str:
    outcome = way.outcome(sandbox)
    if not outcome.tried:
        return "not promised, not tried" if outcome.not_promised else "has none"
    stays = "; its daemon stays" if outcome.stays else ""
    return f"{_follows(way, outcome)}, {seconds * 1000:.0f} ms{stays}"


def _follows(way: Way, outcome: Outcome) -> str:
    if outcome.cause:
        return f"`{outcome.cause}`"
    if not way.attempt:
        return "plays on"
    return "not promised" if outcome.works else "refused"


def _not_promised() -> str:
    """Say what each sandbox does not keep a bot from."""
    lines = ["### What is not promised", ""]
    for sandbox in SANDBOXES:
        outcomes = [way.outcome(sandbox) for way in WAYS.values()]
        reasons = dict.fromkeys(o.not_promised for o in outcomes if o.not_promised)
        said = reasons or ["Nothing of what these bots try is left open"]
        lines += [f"`{sandbox}`:", "", *(f"- {reason}." for reason in said), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    write(written(play_all()))
