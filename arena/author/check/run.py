"""One check, from the files of a bot to a report: called by the command, tests and servers."""

from contextlib import closing
from typing import Protocol

from arena.author.check.bench import Bench, CheckRequest
from arena.author.check.budget import HINT, BudgetSpentError
from arena.author.check.findings import CheckReport, Finding, Grouped, Measured, StepResult
from arena.author.check.steps import FIRST_ALONE, STEPS, CheckStep
from arena.bots.manifest import shown_name
from arena.bots.sandboxes.run_folder import run_folder
from arena.io.errors import ArenaError

_NEAR = 0.5
"""The share of a limit from which on a bot is told."""
_SLOW_START = 0.5
"""Seconds to start above which a bot should serve several tables."""


def advice(bench: Bench, measured: Measured) -> list[str]:
    """Return what would help the bot, in whole sentences; none for a bot that did not start."""
    ready, limits = bench.ready, bench.request.limits
    if ready is None:
        return []
    said = []
    if ready.concurrent_games == 1:
        said.append(
            "if it remembers nothing from game to game, say concurrent_games in ready: its games"
            " are played several times as fast"
        )
    if measured.start and measured.start > _SLOW_START and not ready.reusable:
        said.append("if it starts anew at every hello, say reusable in ready: its start is slow")
    if measured.longest and measured.longest > _NEAR * limits.answer:
        said.append(
            f"its longest decision took {measured.longest:.2g} s of {limits.answer:g} s:"
            " a slower machine may make it lose by time"
        )
    if measured.start and measured.start > _NEAR * limits.start:
        said.append(
            f"it started in {measured.start:.1f} of {limits.start:g} s: do less before ready, or a"
            " slower machine may make it late"
        )
    return said


class CheckListener(Protocol):
    """Is told how a check goes on."""

    def trying(self, number: int, steps: int, name: str) -> None:
        """Handle the beginning of a step."""

    def note(self, text: str) -> None:
        """Handle a sentence on how far the step is."""

    def warn(self, text: str) -> None:
        """Handle a sentence on what the check will take."""


def check(request: CheckRequest, listener: CheckListener) -> CheckReport:
    """Check a bot step by step, up to its first fault; an interruption (Ctrl-C) ends it earlier.

    A bot that faults is no error. Raises ArenaError if the step or the sandbox does not exist, or
    if the bot may not run in that sandbox.
    """
    if request.step is not None and not 1 <= request.step <= len(STEPS):
        hint = ", ".join(f"{number} {step.name}" for number, step in enumerate(STEPS, 1))
        raise ArenaError(f"there is no step {request.step}", "--step", hint)
    with run_folder() as folder:
        bench = Bench(request, folder, listener.note, listener.warn)
        try:
            return _Check(request, listener, bench).run()
        finally:
            bench.end()


class _Check:
    def __init__(self, request: CheckRequest, listener: CheckListener, bench: Bench) -> None:
        self._request = request
        self._listener = listener
        self._bench = bench
        self._results: list[StepResult] = []
        self._chosen = [
            (number, step)
            for number, step in enumerate(STEPS, 1)
            if number < FIRST_ALONE or request.step in (None, number)
            if number <= (request.last or len(STEPS))
        ]

    def run(self) -> CheckReport:
        interrupted = False
        try:
            for number, step in self._chosen:
                self._bench.pace.steps_left = len(self._chosen) - len(self._results)
                self._listener.trying(number, len(STEPS), step.name)
                self._try(number, step)
                # Without a bot that starts, nothing can follow.
                go_on = self._request.every_fault and number >= FIRST_ALONE
                if not (self._results[-1].ok or go_on):
                    break
        except KeyboardInterrupt:
            interrupted = True
        self._bench.end()
        return self._report(interrupted=interrupted)

    def _try(self, number: int, step: CheckStep) -> None:
        grouped = Grouped()
        self._bench.notes = []
        interrupted = True
        try:
            with closing(step.run(self._bench)) as new_findings:
                for finding in new_findings:
                    grouped.add(finding)
                    if not self._request.every_fault:
                        break
            interrupted = False
        except BudgetSpentError as error:
            grouped.add(Finding(str(error), hint=HINT))
        finally:
            # What was found before an interruption counts, too.
            if (findings := grouped.findings()) or not interrupted:
                note = "; ".join(self._bench.notes)
                result = StepResult(number, step.name, step.about, findings, note)
                self._results.append(result)

    def _report(self, *, interrupted: bool) -> CheckReport:
        bench = self._bench
        named = hasattr(bench, "bot")
        measured = bench.meter.result(bench.processes.starts)
        return CheckReport(
            bot=shown_name(bench.bot) if named else str(self._request.source),
            sandbox=bench.sandbox.name if hasattr(bench, "sandbox") else "",
            ok=not interrupted and all(result.ok for result in self._results),
            steps=self._results,
            left=len(self._chosen) - len(self._results),
            interrupted=interrupted,
            limits=self._request.limits,
            measured=measured if bench.ready else None,
            advice=advice(bench, measured),
            stderr=bench.stderr,
            build=bench.build,
        )
