"""The keys of course.yaml."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.author.alike.alike import POSITIONS
from arena.bots.sandboxes.registry import AUTO
from arena.course.games.tables import PER_BLOCK
from arena.course.terms.by_hand import MAX_POINTS
from arena.course.terms.deadlines import EXAMPLE
from arena.course.terms.grades import GradeKey
from arena.course.terms.table import Titles
from arena.game.records import LimitsInfo

Points = Annotated[float, Meta(ge=0, le=MAX_POINTS)]
Budget = Annotated[int, Meta(ge=PER_BLOCK, le=1_000_000)]
"""In games."""
Days = Annotated[int, Meta(ge=0, le=366)]


Platform = Literal[
    "moodle",
    "canvas",
    "blackboard",
    "gradescope",
    "github",
    "brightspace",
    "ilias",
    "sakai",
    "openolat",
    "studip",
    "hand",
]


class BaselineEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that every student's bot plays, and what beating it is worth."""

    bot: str
    """A folder, an archive or `sample:NAME`."""
    points: Points


class MarksEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What a mark is made of."""

    total: Points
    """What all points must add up to."""
    legal: Points = 0.0
    baselines: dict[str, BaselineEntry] = {}
    field: Points = 0.0
    by_hand: dict[str, Points] = {}
    """Parts that the teacher marks, such as an oral exam."""


class LateEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What becomes of hand-ins after the deadline."""

    points_per_day: Points = 0.0
    """What is deducted for each day that has begun."""
    days: Days = 0
    """After so many days nothing is taken any more."""
    free_days: Days = 0
    """So many days of a student cost nothing."""
    used_in: list[str] = []
    """Folders of other courses in which days of that budget may have been used."""


class RosterEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A roster whose columns have titles of their own."""

    file: str
    id: Titles = "id"
    name: Titles = "name"
    email: Titles = "email"
    group: Titles = "group"
    account: Titles = "account"
    team: Titles = "team"


class ReceivedEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A list of times whose columns have titles of their own."""

    table: str
    """Its file."""
    file: Titles = "file"
    received: Titles = "received"
    id: Titles = "id"
    account: Titles = "account"
    reason: Titles = "reason"


class LadderEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Hand-ins that a ladder received."""

    ladder: str
    """Its folder."""


class CourseFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of course.yaml (`docs/guides/course.md`)."""

    name: str = "Perudo"
    roster: Annotated[str | RosterEntry, Meta(examples=["roster.csv"])]
    submissions: Annotated[str | LadderEntry, Meta(examples=["hand-ins"])]
    """A folder, an archive of one, or a ladder."""
    ignored: list[str] = []
    """Names among the submissions that are nobody's, and are left out without a word."""
    received: str | ReceivedEntry | list[str | ReceivedEntry] | None = None
    """Lists of when hand-ins were received: a platform's, or a CSV file of the teacher's."""
    times: Literal["files", "commits"] | None = None
    """What else says when a hand-in was received: whoever had the files could have set these."""
    platform: Platform | None = None
    """The platform whose names the hand-ins have; None finds it."""
    opened: str | None = None
    """When the exercise was given out, for extensions in percent."""
    deadline: Annotated[str, Meta(examples=[EXAMPLE])]
    grace: Annotated[float, Meta(ge=0, le=1440)] = 0.0
    """Minutes."""
    late: LateEntry = LateEntry()
    extensions: dict[str, str] = {}
    resubmissions: Literal["latest", "best"] = "latest"
    """Which of a student's hand-ins counts."""
    struck: list[str | int] = []
    """Students whose bots do not play in the field, and who get no marks."""
    marks: Annotated[MarksEntry, Meta(examples=["{total: 10, legal: 10}"])]
    by_hand: str | None = None
    """A CSV file with points that the teacher gives."""
    grades: GradeKey | None = None
    reference: str | None = None
    starter: list[str] = []
    """Folders with what was given out."""
    precision: Annotated[float, Meta(ge=0.01, le=MAX_POINTS)] = 2.0
    """Points that half the interval of a mark may have."""
    budget: Budget = 4_000
    """Games of a hand-in against each baseline, at most."""
    reference_games: Budget = 4_000
    """Games of the reference against each baseline."""
    variant: str = "bga"
    limits: LimitsInfo = LimitsInfo()
    sandbox: str = AUTO
    packages: bool = False
    alike: Annotated[int, Meta(ge=0, le=100_000)] = POSITIONS
    """Positions in which hand-ins are asked to see which are alike; 0 compares their source."""
    door: str | None = None
    """The folder of a ladder, behind whose login the students' pages are."""
    table: bool = False
    """Whether students' pages show the marks of all, without names."""
    contact: str = ""
    """Whom students ask, as their pages say it."""
    site: str = ""
    """The address where the folder `site` is published; "" if it stays beside `feedback`."""
    name_baselines: bool = False
    """Whether the baselines have their own names in that site."""
