"""New courses: a teacher's own, and the worked example with 30 made-up students."""

import random
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from textwrap import indent
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.folder import files_of
from arena.bots.manifest import MANIFEST, load_bot
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.course.config import MarksEntry
from arena.course.moments import parse_moment
from arena.course.output.handouts import PACK
from arena.course.plan import ONE_EXERCISE, REFERENCE, STARTER, WEEKS
from arena.course.points import FAIR
from arena.course.reference.draw import draw_reference
from arena.course.roster import read_roster
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.io.files import reason
from arena.io.text import csv_of
from arena.ladder.folder import make_private

STUDENTS = 30
HAND_INS = "hand-ins"
_ZONE = "Europe/Berlin"
_DEADLINE = datetime(2026, 11, 20, 23, 59, tzinfo=ZoneInfo(_ZONE))
_RAISE = 'min(max(held(best["face"]), best["min"]), best["max"])'
"""The quantity that `honest` bids, as its program says it."""
_OWN = """\
def choices(things, taken):
    found = 1
    for one in range(taken):
        found = found * (things - one) // (one + 1)
    return found


def at_least(matching, dice, chance):
    total = 0.0
    for hits in range(matching, dice + 1):
        total += choices(dice, hits) * chance**hits * (1.0 - chance) ** (dice - hits)
    return total


UNDOUBTED = round(at_least(3, 5, 1 / 3), 1)"""
"""What a student has written in the place of a number."""
_RENAMED = {"choices": "combinations", "things": "n", "taken": "k", "at_least": "tail"}
_RENAMED |= {"matching": "wanted", "chance": "p", "total": "sum_", "found": "c", "hits": "i"}
"""Names in a copy of it."""
_CONFIG = """\
# arena help course explains every key.
name: Perudo
roster: roster.csv
grace: 300                     # seconds
late: {points_per_day: 10, days: 3}
reference: reference           # drawn for this course; nobody was given it
starter: [starter]             # what you give out: a hand-in that is nothing else is named
budget: 6000                   # games of a student against each baseline, at most
# contact: Dr. Example, room 3 # whom students ask, on their pages
"""
_EXAMPLE = """\
received: received.csv         # file,received; or a file of the platform: arena help course
extensions:
  s28: 2026-11-27 23:59 Europe/Berlin
"""


class _Work(Struct, frozen=True):
    """What a made-up student hands in: a sample bot with a change."""

    sample: str
    old: str = ""
    """The text that is replaced, `new` in its place."""
    new: str = ""
    file: str = ""
    """The file that is changed; "" for all but bot.yaml."""
    suffix: str = ""
    """The end of an archive's name, behind the id; "" for a folder."""
    hours: float = -5.0
    """Hours from the deadline to when it was received."""


def make_course(root: Path) -> list[str]:
    """Make the folder of the example; returns the languages of the hand-ins.

    C is among them if the default sandbox can build it. Raises ArenaError if the folder is not
    empty.
    """
    with _new_folder(root):
        config = _CONFIG + _exercise(HAND_INS, _DEADLINE, 2, ONE_EXERCISE)
        roster = [["id", "name", "email", "group"]]
        for number in range(1, STUDENTS + 1):
            mail = f"{_id(number)}@school.example"
            roster.append([_id(number), f"Student {number}", mail, "AB"[number % 2]])
        _write_common(root, config + _EXAMPLE, csv_of(roster).encode())
        languages: set[str] = set()
        received = [["file", "received"]]
        works = [(_id(number), work) for number, each in _works().items() for work in each]
        for id_, work in works:
            name = _write(root / HAND_INS, id_, work)
            languages.add(load_bot(shipped.folder("sample_bots") / work.sample).info.tags[0])
            at = _DEADLINE + timedelta(hours=work.hours)
            received.append([name, f"{at:%Y-%m-%d %H:%M:%S} {_ZONE}"])
        (root / "received.csv").write_text(csv_of(received), encoding="utf-8")
    return sorted(languages)


def make_own_course(root: Path, roster: Path, deadline: str) -> int:
    """Make the folder of a course of four weeks for the students of a roster.

    The deadline is that of the first week; each further one is a week later. Returns the number of
    students. Raises ArenaError for a bad roster or deadline, and if the folder is not empty.
    """
    students = read_roster(roster)
    first = parse_moment(deadline, "--deadline")
    config = f"{_CONFIG}weeks:                         # what a week leaves out is above\n"
    for number, week in enumerate(WEEKS):
        folder, due = f"{HAND_INS}/week-{number + 1}", first + number * timedelta(weeks=1)
        config += f"- name: week {number + 1}\n  weight: 1  # beside those of the other weeks\n"
        config += indent(_exercise(folder, due, week.precision, week.marks), "  ")
    with _new_folder(root):
        _write_common(root, config, roster.read_bytes())
        for number in range(len(WEEKS)):
            (root / HAND_INS / f"week-{number + 1}").mkdir(parents=True)
    return len(students)


def _exercise(submissions: str, due: datetime, precision: float, marks: MarksEntry) -> str:
    """Return the keys of course.yaml that each exercise has."""
    lines = [
        f"submissions: {submissions}  # or the zip file that Moodle, Canvas or another gives",
        f"deadline: {due:%Y-%m-%d %H:%M} {due.tzinfo}",
        f"precision: {precision:g}  # points: half of a mark's 95 % interval",
        "marks:",
        f"  total: {marks.total:g}",
        f"  legal: {marks.legal:g}  # for the steps of the check that are passed",
        "  baselines:  # all points for winning as often as the reference, none for one half",
    ]
    for name, entry in marks.baselines.items():
        shares = "" if entry.none == FAIR else f", none: {entry.none:g}"
        shares += "" if entry.all is None else f", all: {entry.all:g}"
        lines.append(f'    {name}: {{bot: "{entry.bot}", points: {entry.points:g}{shares}}}')
    if marks.field:
        lines.append(f"  field: {marks.field:g}  # for the share of games won against all others")
    return "\n".join([*lines, ""])


@contextmanager
def _new_folder(root: Path) -> Iterator[None]:
    """Make a private folder; raises ArenaError if it is not empty, or cannot be written."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise ArenaError("the folder is not empty", str(root), "name a new one")
        make_private(root)
        yield
    except OSError as error:
        raise ArenaError(f"it cannot be made: {reason(error)}", str(root)) from None


def _write_common(root: Path, config: str, roster: bytes) -> None:
    """Write the files of every new course, what is handed out, and the starter code."""
    (root / "course.yaml").write_text(config, encoding="utf-8")
    (root / "roster.csv").write_bytes(roster)
    (root / PACK).mkdir()
    for sheet in (shipped.folder("docs") / "guides/pack").iterdir():
        shutil.copyfile(sheet, root / PACK / sheet.name)  # without its permissions
    draw_reference(root / REFERENCE, random.SystemRandom())
    for path, copied in _copies(STARTER, root / "starter"):
        copied.write_bytes(path.read_bytes())


def _id(number: int) -> str:
    return f"s{number:02}"


def _works() -> dict[int, list[_Work]]:
    """Return what each student hands in, by number.

    7 is late, 12 cannot be read, 13 breaks the rules, 25 hands in nothing, 26 hands in twice. 19 is
    3 with other names, 24 is a copy of 17. 28 has an extension.
    """
    in_c = load_bot(shipped.folder("sample_bots") / "c-counter")
    builds_c = not (make_sandbox(AUTO).uses_host_programs and in_c.missing_program)
    odds = [_Work("odds", "UNDOUBTED = 0.4", f"UNDOUBTED = {n / 10:.1f}") for n in range(10)]
    js = [_Work("js-cautious", "bid.face) < 0", f"bid.face) < {n / 4}") for n in range(-2, 3)]
    renamed = re.sub(r"\w+", lambda word: _RENAMED.get(word[0], word[0]), _OWN)
    works = {number: [work] for number, work in enumerate(odds, 1)}
    works[3] = [replace(odds[2], new=_OWN)]
    works[7] = [replace(odds[6], hours=20)]
    works |= {
        11: [_Work("bluffer")],
        12: [_Work("honest", "command:", "comand:", file=MANIFEST)],
        13: [_Work("honest", _RAISE, 'held(best["face"])')],
        14: [_Work("honest", _RAISE, 'best["min"]')],
        15: [_Work("honest", hours=-30)],
        **{number: [work] for number, work in enumerate(js[:3], 16)},
        19: [replace(odds[2], new=renamed)],
        20: [_Work("memory")],
        21: [_Work("sh-minimal")],
        22: [_Work("c-counter") if builds_c else js[3]],
        23: [_Work("bluffer", "STORY = 0.25", "STORY = 0.75")],
        24: [js[1]],
        26: [_Work("random", hours=-90, suffix="_first"), _Work("honest", suffix="_second")],
        27: [_Work("bluffer", "LIE = 2", "LIE = 1")],
        28: [_Work("odds", hours=70)],
        29: [_Work("random")],
        30: [_Work("equilibrium")],
    }
    return works


def _copies(name: str, target: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each file of a sample bot, and the path of its copy, whose folder is made."""
    sample = shipped.folder("sample_bots") / name
    for path in files_of(sample):
        copied = target / path.relative_to(sample)
        copied.parent.mkdir(parents=True, exist_ok=True)
        yield path, copied


def _write(folder: Path, id_: str, work: _Work) -> str:
    """Write a bot as a folder or an archive; returns its name."""
    target = folder / f"{id_}{work.suffix}"
    for path, copied in _copies(work.sample, target):
        content = path.read_bytes()
        if path.name == MANIFEST:
            text = content.decode().replace(f"name: {work.sample}", f"name: {id_}")
            content = text.replace("author: Perudo Arena", "author: a student").encode()
        if path.name == work.file or (path.name != MANIFEST and not work.file):
            content = content.replace(work.old.encode(), work.new.encode()) if work.old else content
        copied.write_bytes(content)
    if not work.suffix:
        return target.name
    archive = Path(shutil.make_archive(str(target), "zip", target))
    shutil.rmtree(target)
    return archive.name
