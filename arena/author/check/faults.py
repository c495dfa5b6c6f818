"""A fault of the bot that is checked, with all that belongs to it."""

from arena.author.check.context import Bench
from arena.author.check.findings import Finding
from arena.author.check.hints.fault import Evidence, hint_for
from arena.author.check.live_seat import Tape
from arena.author.check.outside import why_no_start
from arena.author.check.tables import CheckTable
from arena.game.records import Fault


def finding_of(
    bench: Bench, table: CheckTable, fault: Fault, tape: Tape, stderr: str, late: str = ""
) -> Finding:
    """Return a fault at a table, with how to mend it; `late` is the kind of `Late`."""
    evidence = Evidence(
        fault.cause,
        fault.detail,
        tape.came,
        stderr,
        late=late,
        runtime=bench.language,
        in_image=not bench.sandbox.uses_host_programs,
        files=tuple(bench.files),
        sent=tuple(tape.sent),
        interpreter=bench.interpreter,
    )
    return Finding(
        what=f"{fault.cause}: {fault.detail}",
        where=str(table),
        hint=why_no_start(bench, fault.detail, stderr) or hint_for(evidence),
        sent=evidence.sent,
        came=tape.came,
        told=tuple(tape.told),
        stderr=stderr,
    )
