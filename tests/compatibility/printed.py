"""What each command prints with --json: one declared type per command, or several.

`tests/cli/command.py` holds whatever a command prints in a test against it.
"""

from types import GenericAlias
from typing import Any, Literal, get_args

import msgspec

from arena.author.alike.alike import Alike
from arena.author.check.findings import CheckReport
from arena.author.coach.coaching import Coaching, Puzzle
from arena.author.compare.result import Comparison
from arena.author.quick_table import TableResult
from arena.bots.sandboxes.doctor import SandboxReport
from arena.cli.upgrade import Checked
from arena.course.changes import Moved
from arena.course.check import Checkup
from arena.course.forget import Forgotten
from arena.course.marks import Result
from arena.course.output.fill import At
from arena.course.output.giving import GivenPage
from arena.course.trial import Trial
from arena.course.verify import VerifiedCourse
from arena.game.records import Conditions, QuarantinedFixture
from arena.game.rules.judge import Verdict
from arena.lab.exploit import Exploited
from arena.ladder.book.tables import CheckResult, Event, Upload, Version
from arena.ladder.config import LadderFile
from arena.ladder.door.api import Receipt
from arena.ladder.status import LadderStatus, Restart
from arena.league.keeping.prune import PruneReport
from arena.league.keeping.status import Status
from arena.league.keeping.verify import Verified
from arena.league.table.live_seat import Request
from arena.league.table.rerun import Rerun
from arena.publish.export import ROWS
from arena.ratings.leaderboard_rows import DiceGain, LeaderboardRow, Overall, Suspicion


def keys(of: str, /, **types: Any) -> Any:
    """Return the type of an object with these keys; a pair of a type and a value may be missing."""
    fields = [(key, *(kind if isinstance(kind, tuple) else (kind,))) for key, kind in types.items()]
    return msgspec.defstruct(of, fields, kw_only=True)


def types_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the types of a struct's fields; all of them are printed."""
    return {field.name: field.type for field in msgspec.structs.fields(kind)}


def object_of(kind: Any) -> Any:
    """Return the type of an object with the fields of a named tuple."""
    return keys(kind.__name__, **kind.__annotations__)


def many(kind: Any) -> Any:
    """Return the type of a list."""
    return GenericAlias(list, (kind,))


def named(kind: Any) -> Any:
    """Return the type of an object with names of any kind for its keys."""
    return GenericAlias(dict, (str, kind))


def numbers(of: str, /, **types: Any) -> Any:
    """Return the type of what was asked of a bot, after what is known of where it was asked."""
    counts = {"requests": int, "differing": int, "stopped": str}
    return keys(of, **types, **counts, decisions=many(_Asked))


def judged(verdict: type[msgspec.Struct]) -> Any:
    """Return the type of a verdict with the id of its position."""
    return keys(
        verdict.__name__,
        id=Any,
        verdict=Literal[verdict.__struct_config__.tag],
        **types_of(verdict),
    )


_Asked = keys(
    "Asked",
    step=int,
    request=Request,
    stored=Any,  # an answer, a fault or neither: msgspec has no schema of such a union
    now=Any,
    came=str,
    stderr=str,
    differs=bool,
)
_Board = keys(
    "Board",
    variant=str,
    players=int,
    blocks=int,
    intervals_by=str,
    dice_gain=DiceGain | None,
    luck_slope=float | None,
    rows=list[LeaderboardRow],
)
_REPORT = {
    "site": str,
    "root": str | None,
    "leaderboards": many(_Board),
    "overall": Overall | None,
    "suspicions": list[Suspicion],
    "quarantined": list[QuarantinedFixture],
}
_Place = keys("Place", page=str, section=str, text=str)
_Clause = keys(
    "Clause",
    id=str,
    title=str,
    switch=str | None,
    needs=str | None,
    books=named(keys("Reading", text=str, value=str | None)),
    houses=dict[str, str],
)
_Event = object_of(Event)
_Ordered = keys("Ordered", order=int, what=str, version=str)
_Copied = keys("Copied", folder=str, versions=int)
_Submitted = {"state": str, "check": CheckResult | None}

PRINTED: dict[str, tuple[Any, ...]] = {
    "new": (
        keys(
            "Made",
            folder=str,
            name=str,
            language=str,
            edit=str,
            test=str,
            check=str,
            needs=(str, ""),
            first=(str, ""),
        ),
        dict[str, str],
    ),
    "check": (list[CheckReport],),
    "watch": (
        keys(
            "Saved",
            saved_at=str,
            refused=str,
            games=int,
            won=int,
            faults=int,
            step=(int, 0),
            fault=(str, ""),
        ),
    ),
    "play": (keys("Played", league=str, results=list[TableResult]),),
    "coach": (Coaching,),
    "puzzle": (keys("Puzzles", bot=str, league=str, puzzles=list[Puzzle]),),
    "compare": (keys("Compared", old=str, new=str, **types_of(Comparison)),),
    "alike": (Alike,),
    "rerun": (Rerun, numbers("AskedSeat", fixture=int, seat=int, bot=str)),
    "debug": (
        numbers("DebuggedSeat", fixture=int, seat=int, bot=str),
        numbers("DebuggedFile", file=str, bot=str),
    ),
    "submit": (
        keys("Submitted", **Upload.__annotations__, version=str, **_Submitted),
        keys("Sent", **types_of(Receipt), **_Submitted),
    ),
    "run": (keys("Report", **_REPORT, league=Conditions),),
    "status": (Status,),
    "report": (keys("Report", **_REPORT),),
    "final": (
        keys(
            "Final",
            seed=str,
            draw=list[str],
            matches=many(keys("Match", round=str, score=dict[str, int], winner=str)),
            winner=str,
        ),
    ),
    "card": (keys("Card", card=str),),
    "animate": (keys("Animated", animation=str),),
    "export": tuple(kind for kind, _ in ROWS.values()),
    "verify": (Verified,),
    "backup": (keys("Backup", fixtures=int, files=list[str]),),
    "mend": (keys("Mended", kept=int, dropped=list[str], lost=int, aside=str | None),),
    "prune": (PruneReport,),
    "ladder init": (LadderFile,),
    "ladder run": (LadderStatus,),
    "ladder status": (LadderStatus,),
    "ladder check": (Restart,),
    "ladder list": (many(object_of(Version)),),
    "ladder log": (many(_Event), _Event),
    "ladder invite": (dict[str, str],),
    "ladder revoke": (keys("Revoked", author=str, revoked=int),),
    **dict.fromkeys(
        (f"ladder {order}" for order in ("approve", "rest", "resume", "strike", "recheck")),
        (_Ordered,),
    ),
    "ladder quota": (keys("Quota", order=int, what=str, author=str, uploads=int),),
    "ladder season close": (_Ordered,),
    "ladder backup": (_Copied,),
    "ladder restore": (_Copied,),
    "serve": (keys("Served", ladder=str),),
    "demo": (LadderStatus,),
    "class": (LadderStatus,),
    "course init": (
        keys("Made", course=str, pack=str, languages=list[str]),
        keys("MadeForStudents", course=str, pack=str, students=int),
    ),
    "course handouts": (list[str],),
    "course try": (Trial,),
    "course check": (Checkup,),
    "course grade": (keys("Graded", moved=list[Moved], results=list[Result], first_look=bool),),
    "course verify": (VerifiedCourse,),
    "course feedback": (list[GivenPage],),
    "course marks": (
        keys(
            "Filled",
            filled=int,
            left_alone=list[At],
            no_cell=list[At],
            no_id=list[int],
            missing=list[str],
        ),
    ),
    "course gradescope": (keys("Gradescope", autograder=str, results=int),),
    "course forget": (Forgotten,),
    "exploit": (list[Exploited],),
    "rules": (many(_Clause),),
    "judge": (
        *(judged(verdict) for verdict in get_args(Verdict)),
        keys("Refused", id=Any, verdict=Literal["refused"], reason=str),
    ),
    "perft": (
        keys("Counted", variant=str, players=int, starting_dice=int, round=str, sequences=int),
    ),
    "doctor": (
        keys(
            "Doctor",
            auto=str,
            safe_for_untrusted_bots=bool,
            sandboxes=list[SandboxReport],
            program_folder=keys("ProgramFolder", path=str, note=str),
            program_note=str,
        ),
    ),
    "images": (named(keys("Image", image=str, available=bool)),),
    "upgrade": (keys("Upgrade", version=str, files=list[Checked]),),
    "help": (
        keys("Page", topic=str, text=str),
        keys("Word", word=str, commands=dict[str, str], places=many(_Place)),
        keys("Found", search=str, places=many(_Place)),
        dict[str, str],
    ),
}
"""By the command's words; those that do not print JSON are in `SILENT`."""
SILENT = {"images build"}
ERROR = keys("Failed", error=keys("Failure", code=int, what=str, where=str, mend=str))
"""What a command that fails prints as its last document."""
