"""The hand-ins of a course that are alike: a page for the teacher, and for nobody else."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from arena import __version__
from arena.author.alike.alike import AlikeRequest, alike
from arena.author.alike.named_bots import LeftOut, NamedBot
from arena.author.alike.page import render_page
from arena.bots.folder import refuse_link
from arena.bots.manifest import load_bot
from arena.course.config import Course
from arena.course.lock import Lock
from arena.course.marks.result import grading
from arena.io.errors import ArenaError
from arena.io.files import write_file

PAGE = "alike.html"
_KEY = "alike.key"
"""Says what the page was made of."""


def compare_hand_ins(
    course: Course,
    lock: Lock,
    sources: Mapping[str, Path],
    workers: int,
    tell: Callable[[str], None],
    *,
    trusted: bool,
) -> None:
    """Write the page of the hand-ins that count, given by student, unless it is there already.

    The positions are drawn by the seed of the course, which nobody knows but the teacher. There is
    no page if no two can be compared.
    """
    page, key_file, key = course.folder / PAGE, grading(course) / _KEY, _key(course, lock)
    if page.exists() and key_file.exists() and key_file.read_text(encoding="ascii") == key:
        return
    page.unlink(missing_ok=True)
    hand_ins, left_out = _loaded(sources)
    if len(hand_ins) < 2:
        return
    request = AlikeRequest(
        positions=course.file.alike,
        seed=_seed(lock),
        rules=course.rules,
        sandbox=lock.terms.sandbox,
        packages=course.file.packages,
        workers=workers,
    )
    tell(f"comparing {len(hand_ins)} hand-ins")
    try:
        compared = alike(hand_ins, left_out, request, tell, trusted=trusted)
    except ArenaError as error:
        tell(f"hand-ins were not compared: {error}")
        return
    write_file(page, render_page(compared).encode())
    write_file(key_file, key.encode())


def _seed(lock: Lock) -> str:
    return f"{lock.terms.seed}/alike"


def _key(course: Course, lock: Lock) -> str:
    contents = {id_: hand_in.content for id_, hand_in in lock.hand_ins.items()}
    decisive = [__version__, _seed(lock), lock.terms.rules, lock.terms.sandbox, course.file.alike]
    decisive += [course.file.packages, contents]
    return sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()


def _loaded(sources: Mapping[str, Path]) -> tuple[list[NamedBot], list[LeftOut]]:
    hand_ins, left_out = [], []
    for id_, source in sources.items():
        try:
            refuse_link(source)
            hand_ins.append(NamedBot(id_, load_bot(source)))
        except ArenaError as error:
            left_out.append(LeftOut(id_, error.what))
    return hand_ins, left_out
