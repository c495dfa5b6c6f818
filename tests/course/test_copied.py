"""A bot that decides as one that everybody has, whatever its text: named, or without points."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.author.alike.by_behaviour import BehaviourShare
from arena.course.config import Options, load_course, terms_of
from arena.course.grade import with_copies
from arena.course.lock import Lock, LockedHandIn
from arena.course.marks import mark_of
from arena.course.points import Share
from tests.cli.command import bot
from tests.course.school import SAMPLES, course_yaml, grade, hand_in, marks, roster
from tests.e2e.live import let_others_in

HONEST_ANEW = """\
import json, sys
while text := sys.stdin.readline():
    m = json.loads(text)
    if m["type"] == "hello":
        print(json.dumps({"type": "ready", "reusable": True}), flush=True)
    if m["type"] != "turn":
        continue
    mine = {f: m["dice"].count(f) for f in range(1, 7)}
    if m["palifico_seat"] is None:
        mine = {f: n if f == 1 else n + mine[1] for f, n in mine.items()}
    options = [(mine[r["face"]] - r["min"], -i, r) for i, r in enumerate(m["raises"])]
    margin, _, r = max(options, key=lambda one: one[:2]) if options else (-1, 0, None)
    last = m["bids"][-1] if m["bids"] else None
    believes = last is not None and m["dudo"] and mine[last["face"]] >= last["quantity"]
    out = {"id": m["id"], "action": "dudo"}
    if r and (margin >= 0 or believes or not m["dudo"]):
        quantity = min(r["max"], max(r["min"], mine[r["face"]]))
        out = {"id": m["id"], "action": "bid", "quantity": quantity, "face": r["face"]}
    print(json.dumps(out), flush=True)
"""


@pytest.mark.parametrize(
    ("alike", "one", "other", "positions", "same"),
    [
        (1.0, 1.0, 1.0, 2000, True),
        (0.975, 1.0, 1.0, 2000, True),
        (0.94, 1.0, 1.0, 2000, False),
        (0.03, 0.03, 0.032, 2000, True),  # two that draw among all that is legal
        (0.03, 1.0, 0.03, 2000, False),  # one that draws nothing is as often like one that does
        (0.0, 0.0, 0.0, 2000, False),
    ],
)
def test_bots_that_draw_are_the_same_within_chance(
    alike: float, one: float, other: float, positions: int, *, same: bool
) -> None:
    assert BehaviourShare(positions, alike, one, other).is_same == same


@pytest.mark.parametrize(
    ("copied", "points"), [("ignored", 90.0), ("named", 90.0), ("no_points", 40.0)]
)
def test_teacher_says_what_it_means(tmp_path: Path, copied: str, points: float) -> None:
    roster(tmp_path, "s1,Ada")
    course = load_course(course_yaml(tmp_path, copied=copied))
    share = Share(1.0, 80, 0.95, 1.0)
    lock = Lock(replace(terms_of(course, None, Options()), seed="x"), shares={"random": share})
    theirs = LockedHandIn("x", "", 0, "", bot="b", program="p", steps=1, of=1)
    hand_ins = {"s1": theirs, "s2": replace(theirs, program="q")}
    lock = replace(lock, hand_ins=hand_ins, candidates={"s1": [hand_ins["s2"], theirs]})
    lock = with_copies(lock, {"s1": "sample:honest"})
    assert [lock.hand_ins[id_].decides_as for id_ in ("s1", "s2")] == ["sample:honest", ""]
    # Of several, the best one counts: it stays the same one.
    assert lock.candidates["s1"][1] == lock.hand_ins["s1"]
    mark = mark_of(course.file, lock, lock.hand_ins["s1"], {"random": [80]}, {})
    assert mark.final == points
    assert ("sample:honest" in mark.withheld) == (copied == "no_points")
    other = mark_of(course.file, lock, lock.hand_ins["s2"], {"random": [80]}, {})
    assert (other.final, other.withheld) == (90.0, "")


@pytest.mark.slow
def test_bot_with_a_text_of_its_own_is_named_beside_its_mark(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    course = tmp_path / "course"
    roster_of = ("s1,Ada,,", "s2,Bo,,")
    course.mkdir()
    roster(course, *roster_of)
    (course / "hand-ins").mkdir()
    bot(course / "hand-ins/s1", HONEST_ANEW, name="anew")
    hand_in(course, "s2", "odds", name="mine")
    changed = (SAMPLES / "odds/bot.py").read_text().replace("UNDOUBTED = 0.4", "UNDOUBTED = 0.9")
    (course / "hand-ins/s2/bot.py").write_text(changed)
    course_yaml(course, alike=200)
    assert grade(course).code == 0
    row = marks(course)
    assert row["s1"]["note"] == "it decides as sample:honest does"
    assert "decides as" not in row["s2"]["note"]
    assert row["s1"]["random"] == "50.00"
    course_yaml(course, alike=200, copied="no_points")
    ran = grade(course, "--accept-changes")
    assert ran.code == 0, ran.err
    assert "no points for games, as it decides as sample:honest does" in ran.out
    row = marks(course)
    assert (row["s1"]["final"], row["s1"]["random"]) == ("40.00", "0.00")
    assert float(row["s2"]["random"]) > 0
