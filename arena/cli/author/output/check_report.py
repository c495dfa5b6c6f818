"""A check's report in words, within one screen."""

import json
import re
from collections.abc import Iterator, Sequence

from arena.author.check.findings import CheckReport, Finding, StepResult
from arena.bots.sandboxes.base import MIB, Quota
from arena.cli.author.output.request_words import digest

_FINDINGS = 2
"""Faults that are shown of a bot; --json prints all."""
_STDERR_LINES, _LINE = 6, 150
"""Lines shown of the end of a bot's standard error, and characters of what a bot wrote."""
_FRAME = re.compile(r"(?:\s|\\t)+at \S| *\d+: 0x[0-9a-f]+ ")
_ERROR = re.compile(r"[\w.]*(?:Error|Exception)\b.*:|FATAL ERROR|thread '.*' panicked|panic: ")
_FRAMES = 2
"""Lines shown of a stack of calls."""
_STARTS = 5.0
"""Seconds for starts above which they are told."""
_WHAT = 400
"""Characters shown of a fault and of its cure."""


def lines_of(report: CheckReport) -> list[str]:
    """Return what a person sees of a report: the steps of a good bot, the faults of another."""
    findings = [(step, finding) for step in report.steps for finding in step.findings]
    if findings or report.interrupted:
        return list(_faults(report, findings))
    return list(_steps(report))


def _steps(report: CheckReport) -> Iterator[str]:
    yield f"{report.bot}: ok ({report.sandbox})"
    for step in report.steps:
        yield f"  {step.number:2} {step.name:14} {step.note or step.about}"
    if report.measured:
        yield f"  {_measured(report)}"
    yield from _slow_starts(report)
    for sentence in report.advice:
        yield f"  advice: {sentence}"
    for what, text in (("its build", report.build), ("standard error", report.stderr)):
        if text:
            yield f"  {len(text.splitlines())} lines of {what} (--stderr prints them)"


def _slow_starts(report: CheckReport) -> Iterator[str]:
    """Say that a check took long because of the bot's starts."""
    taken = report.measured
    if taken and taken.start and _STARTS < taken.starting > taken.seconds / 2:
        yield (
            f"  each start takes up to {taken.start:.1f} s; {taken.starts} starts:"
            f" {taken.starting:.0f} of {taken.seconds:.0f} s"
        )


def _measured(report: CheckReport) -> str:
    taken = report.measured
    if taken is None or None in (taken.median, taken.p99, taken.longest):
        return ""
    named = (("median", taken.median), ("p99", taken.p99), ("max", taken.longest))
    times = ", ".join(f"{name} {_milliseconds(seconds or 0)}" for name, seconds in named)
    limits = report.limits
    memory = f"; {taken.memory // MIB} of {Quota().memory // MIB} MiB" if taken.memory else ""
    start = f"start {taken.start:.2g} of {limits.start:g} s; " if taken.start else ""
    clock = "CPU time" if taken.clock == "cpu" else "time"
    return f"{start}{clock} of a decision: {times} of {_milliseconds(limits.answer)} ms{memory}"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:{',.0f' if seconds >= 0.01 else '.2g'}}"


def _faults(report: CheckReport, findings: Sequence[tuple[StepResult, Finding]]) -> Iterator[str]:
    state = "interrupted, " if report.interrupted else ""
    kinds = "1 fault" if len(findings) == 1 else f"{len(findings) or 'no'} faults"
    yield f"{report.bot}: {state}{kinds} ({report.sandbox})"
    for step, finding in findings[:_FINDINGS]:
        times = f", {finding.count} times" if finding.count > 1 else ""
        yield f"  step {step.number}, {step.name}: {step.about}{times}"
        yield f"    {finding.what[:_WHAT]}"
        yield from (f"    {line}" for line in _evidence(finding))
    if len(findings) > _FINDINGS:
        yield f"  and {len(findings) - _FINDINGS} more kinds of faults (--json prints them)"
    passed = sum(step.ok for step in report.steps)
    on = " (--all goes on after a fault)" if report.left and not report.interrupted else ""
    yield f"  {passed} steps are ok, {report.left} were not tried{on}"
    yield from _slow_starts(report)


def _evidence(finding: Finding) -> Iterator[str]:
    if finding.where:
        yield f"where: {finding.where}"
    if finding.sent:
        *before, last = finding.sent
        types = list(dict.fromkeys(map(_type, before)))
        yield f"sent: {''.join(f'{kind}, ' for kind in types)}{digest(last) or _short(last)}"
        yield f"came: {_short(finding.came) or 'nothing'}"
    if finding.hint:
        yield f"mend: {finding.hint[:_WHAT]}"
    for line in _telling(_without_frames(finding.stderr.splitlines())):
        yield f"stderr: {_short(line)}"


def _telling(lines: list[str]) -> list[str]:
    """Return the end of standard error, or what begins with the last error in it."""
    errors = [number for number, line in enumerate(lines) if _ERROR.match(line[:_LINE])]
    first = max(0, len(lines) - _STDERR_LINES)
    if errors:
        first = min(first, errors[-1])
    return lines[first : first + _STDERR_LINES]


def _without_frames(lines: list[str]) -> list[str]:
    """Leave out empty lines and, of Node.js and Java, all frames but the first ones."""
    kept, frames = [], 0
    for line in lines:
        frames = frames + 1 if _FRAME.match(line) else 0
        if line.strip() and frames <= _FRAMES:
            kept.append(line)
    return kept


def _type(line: str) -> str:
    try:
        return str(json.loads(line)["type"])
    except (ValueError, KeyError, TypeError):
        return "a line"


def _short(line: str) -> str:
    """Return the beginning and the end of a line: both tell most."""
    return line if len(line) <= _LINE else f"{line[: _LINE // 2]} ... {line[-_LINE // 2 :]}"
