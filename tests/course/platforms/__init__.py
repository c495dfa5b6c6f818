"""Hand-ins as schools' platforms write them: an oracle that shares no code with the arena.

`export` writes what a teacher downloads; `PACKINGS` are the ways in which students pack a bot.
Each platform has a module of its own, which names the sources that it follows.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.course.platforms import (
    blackboard,
    brightspace,
    canvas,
    github,
    gradescope,
    ilias,
    moodle,
    openolat,
    sakai,
    studip,
)
from tests.course.platforms.download import Download
from tests.course.platforms.packings import BAD_PACKINGS, PACKINGS
from tests.course.platforms.people import Export, Person, Submitted, a_class

__all__ = [
    "BAD_PACKINGS",
    "MODES",
    "PACKINGS",
    "PLATFORMS",
    "Export",
    "Person",
    "Submitted",
    "a_class",
    "export",
]

PLATFORMS: Mapping[str, Callable[[Download], Export]] = {
    "moodle": moodle.moodle,
    "canvas": canvas.canvas,
    "blackboard": blackboard.blackboard,
    "gradescope": gradescope.gradescope,
    "github": github.github,
    "brightspace": brightspace.brightspace,
    "ilias": ilias.ilias,
    "sakai": sakai.sakai,
    "openolat": openolat.openolat,
    "studip": studip.studip,
}
MODES: Mapping[str, tuple[str, ...]] = {
    "moodle": moodle.MODES,
    "canvas": canvas.MODES,
    "blackboard": blackboard.MODES,
    "gradescope": gradescope.MODES,
    "github": github.MODES,
    "brightspace": brightspace.MODES,
    "ilias": ilias.MODES,
    "sakai": sakai.MODES,
    "openolat": openolat.MODES,
    "studip": studip.MODES,
}
"""The variants of each platform's download; "" is the usual one."""


def export(
    platform: str,
    into: Path,
    submitted: Sequence[Submitted],
    *,
    people: Sequence[Person] = (),
    deadline: datetime,
    downloaded: datetime,
    zone: str = "Europe/Berlin",
    mode: str = "",
) -> Export:
    """Write into a folder what a teacher downloads from a platform.

    `people` is the class, by default those who submitted. `deadline` is the platform's due date.
    Entries and files carry `downloaded`, never the time of a hand-in. `zone` is the platform's.
    """
    if mode not in MODES[platform]:
        raise ValueError(f"{platform} has no mode {mode!r}")
    everybody = list(people) or list(dict.fromkeys(hand_in.person for hand_in in submitted))
    clock = ZoneInfo(zone)
    download = Download(into, submitted, everybody, deadline, downloaded, clock, mode)
    return PLATFORMS[platform](download)
