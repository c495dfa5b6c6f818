"""The misbehaviours in `benchmarks/results/hostile.md`: `make hostile` plays and writes them.

It says what the tests check; only the milliseconds change each time.
"""

import re
import sys
from collections.abc import Mapping

from arena.bots.sandboxes.registry import SANDBOXES
from tests.hostile.attack import attack
from tests.hostile.checks import check
from tests.hostile.misbehaviours import CASES, MISBEHAVIOURS, SECTIONS
from tests.hostile.outcomes import Misbehaviour, Outcome
from tests.support.generated_section import GeneratedSection

SECTION = GeneratedSection("benchmarks/results/hostile.md", "misbehaviours", "hostile")

_SPELLING = {
    "html": "HTML",
    "crlf": "CRLF",
    "utf 8": "UTF-8",
    "nul": "NUL",
    "nan": "NaN",
    "unicode": "Unicode",
    "fifos": "FIFOs",
    "system v": "System V",
}

Times = Mapping[tuple[str, str], float]
"""Seconds that a fixture took, by misbehaviour and sandbox."""


def render(times: Times) -> str:
    """Return the text of the table."""
    sections = [_section(title, rows, times) for title, rows in SECTIONS.items()]
    return "\n".join([*sections, _not_promised()])


def play_all() -> Times:
    """Play every misbehaviour in every sandbox; raises AssertionError at a wrong outcome."""
    times = {}
    for number, (name, sandbox) in enumerate(CASES, start=1):
        print(f"{number}/{len(CASES)} {sandbox}: {name}", file=sys.stderr)
        result = attack(name, sandbox)
        check(result)
        times[name, sandbox] = result.seconds
    return times


def _section(title: str, misbehaviours: Mapping[str, Misbehaviour], times: Times) -> str:
    rows = [f"| a bot that | {' | '.join(f'`{sandbox}`' for sandbox in SANDBOXES)} |"]
    rows += ["|---" * (len(SANDBOXES) + 1) + "|"]
    for name, each in misbehaviours.items():
        cells = [_cell(each, sandbox, times.get((name, sandbox), 0)) for sandbox in SANDBOXES]
        rows.append(f"| {_in_words(name)} | {' | '.join(cells)} |")
    return "\n".join([f"### {title}", "", *rows, ""])


def _in_words(name: str) -> str:
    text = name.replace("_", " ")
    for plain, right in _SPELLING.items():
        text = re.sub(rf"\b{plain}\b", right, text)
    return text


def _cell(misbehaviour: Misbehaviour, sandbox: str, seconds: float) -> str:
    outcome = misbehaviour.outcome(sandbox)
    if not outcome.tried:
        return "not promised, not tried" if outcome.not_promised else "does not apply"
    daemon = "; its daemon survives" if outcome.survives else ""
    return f"{_result(misbehaviour, outcome)}, {seconds * 1000:.0f} ms{daemon}"


def _result(misbehaviour: Misbehaviour, outcome: Outcome) -> str:
    if outcome.cause:
        return f"`{outcome.cause}`"
    if not misbehaviour.attempt:
        return "plays on"
    return "not promised" if outcome.works else "refused"


def _not_promised() -> str:
    """Return the list of what each sandbox does not guarantee."""
    lines = ["### What is not promised", ""]
    for sandbox in SANDBOXES:
        outcomes = [each.outcome(sandbox) for each in MISBEHAVIOURS.values()]
        reasons = dict.fromkeys(o.not_promised for o in outcomes if o.not_promised)
        items = reasons or ["Nothing of what these bots try is left open"]
        lines += [f"`{sandbox}`:", "", *(f"- {reason}." for reason in items), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    SECTION.write(render(play_all()))
