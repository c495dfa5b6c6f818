"""Hand-ins that are alike: a page for the teacher alone."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from arena import __version__
from arena.author.alike.alike import AlikeRequest, LeftOut, NamedBot, alike
from arena.author.alike.page import render_page, shown_pairs
from arena.bots.manifest import MANIFEST, load_bot
from arena.course.config import Course
from arena.course.lock import Lock
from arena.course.marks import grading
from arena.io.errors import ArenaError
from arena.io.files import read_json, write_file

PAGE = "alike.html"
_KEPT = "alike.json"
REFERENCE = "the reference"


class SimilarPair(Struct, frozen=True):
    """Two hand-ins that are more alike than others, by their students."""

    one: str
    other: str
    source: float | None
    """The share of their source that is the same; None if it was not compared."""
    decisions: float | None
    """The share of their decisions that are the same; None if they were not compared."""


class Similarity(Struct, frozen=True):
    """The result of the comparison of all hand-ins."""

    key: str = ""
    """A hash of what was compared; "" if nothing was."""
    pairs: tuple[SimilarPair, ...] = ()
    """Pairs that stand out, in the order of the page."""
    why_not: str = ""
    """Why the comparison failed; "" if it did not."""
    decides_as: dict[str, str] = {}
    """The bots that everybody has, or the reference, that hand-ins decide as, by student's id."""


def compare_hand_ins(
    course: Course,
    lock: Lock,
    sources: Mapping[str, Path],
    workers: int,
    tell: Callable[[str], None],
    *,
    trusted: bool,
) -> Similarity:
    """Compare the hand-ins that count, given by student, and write the page about them.

    If they were compared before, nothing is done again. The positions are drawn by the secret seed
    of the course. A single hand-in has no page: it is compared with what everybody has.
    """
    page = course.folder / PAGE
    kept_file = grading(course) / _KEPT
    key = _key(course, lock)
    kept = read_json(kept_file, Similarity)
    if kept and kept.key == key and (page.exists() or len(sources) == 1):
        return kept
    page.unlink(missing_ok=True)
    hand_ins, left_out = _loaded(sources)
    if len(hand_ins) < (1 if course.file.alike else 2):
        return Similarity()
    tell(f"comparing {len(hand_ins)} hand-ins")
    try:
        request = AlikeRequest(
            positions=course.file.alike,
            seed=_seed(lock),
            rules=course.rules,
            common=tuple(course.starter.values()),
            known=tuple(_known(course)),
            sandbox=lock.terms.sandbox,
            packages=course.file.packages,
            workers=workers,
        )
        compared = alike(hand_ins, left_out, request, tell, trusted=trusted)
    except ArenaError as error:
        tell(f"hand-ins were not compared: {error}")
        return Similarity(why_not=f"hand-ins were not compared: {error}")
    people = {name: _called(name, course) for name in sources}
    if len(hand_ins) > 1:
        write_file(page, render_page(compared, people, course.title).encode())
    pairs = tuple(
        SimilarPair(
            people[pair.one],
            people[pair.other],
            source=pair.text.most if pair.text else None,
            decisions=pair.behaviour.most if pair.behaviour else None,
        )
        for pair in shown_pairs(compared)
    )
    same = {bot.name: ", ".join(bot.decides_as) for bot in compared.bots if bot.decides_as}
    similarity = Similarity(key, pairs, decides_as=same)
    write_file(kept_file, msgspec.json.encode(similarity))
    return similarity


def _known(course: Course) -> Iterator[NamedBot]:
    """Yield the bots that were given out, and the reference."""
    for name, folder in course.starter.items():
        if (folder / MANIFEST).is_file():
            yield NamedBot(name, load_bot(folder))
    if course.reference and not course.reference.shipped:
        yield NamedBot(REFERENCE, course.reference)


def forget_similarity(course: Course) -> None:
    """Remove the page and the result, so that the next grading compares again."""
    for path in (course.folder / PAGE, grading(course) / _KEPT):
        path.unlink(missing_ok=True)


def _called(id_: str, course: Course) -> str:
    """Return the id and name of a student, or those of the whole team."""
    units = {one.id: one.unit for one in course.students}
    theirs = [one for one in course.students if one.unit == units.get(id_)]
    return ", ".join(f"{one.id} {one.name}".strip() for one in theirs) or id_


def _seed(lock: Lock) -> str:
    return f"{lock.terms.seed}/alike"


def _key(course: Course, lock: Lock) -> str:
    contents = {id_: hand_in.content for id_, hand_in in lock.hand_ins.items()}
    decisive = [__version__, _seed(lock), lock.terms.rules, lock.terms.sandbox, course.file.alike]
    reference = course.reference.info.digest if course.reference else ""
    decisive += [course.file.packages, contents, sorted(course.starter), reference]
    return sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()


def _loaded(sources: Mapping[str, Path]) -> tuple[list[NamedBot], list[LeftOut]]:
    hand_ins, left_out = [], []
    for id_, source in sources.items():
        try:
            hand_ins.append(NamedBot(id_, load_bot(source)))
        except ArenaError as error:
            left_out.append(LeftOut(id_, error.what))
    return hand_ins, left_out
