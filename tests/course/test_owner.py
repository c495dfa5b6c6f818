"""Whose a hand-in is follows from what the platform writes, never from what a student does."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.course.config import load_course
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.intake.owner import Signs, owners
from arena.course.intake.records import Submitter
from arena.course.roster import Student
from arena.io.errors import ArenaError
from tests.cli.command import error_line, run
from tests.course.school import course_yaml, roster

ADA, BOB = Student("s01", "Ada Lovelace"), Student("s02", "Bob O'Neil")
MULLER = Student("s03", "Jürgen Müller")
NAMED = (ADA, BOB, MULLER)
NUMBERED = (
    Student("s01", "Ada Lovelace", account="Participant 111"),
    Student("s02", "Bob O'Neil", account="222"),
)
TWINS = (Student("s01", "Ada Lovelace"), Student("s02", "Ada Lovelace"), MULLER)
DORA, CY = Student("4711", "Dora Dee"), Student("47110", "Cy Young")
CANVAS = (DORA, CY, Student("4712", "Eve van der Berg"))
LOGINS = (Student("s1"), Student("s2"), Student("ab_s1"))
USERS = (Student("s1", account="ada"), Student("s2", account="x-ada"), Student("s3", account="Bob"))
SHORT = (Student("s1"), Student("s11"), Student("s1-2"))
_SUBMISSION = "_assignsubmission_file_"
AT = "_attempt_2026-11-20-23-59-01"

OWNERS: dict[str, tuple[tuple[Student, ...], dict[str, str | None]]] = {
    "Moodle, flat": (
        NAMED,
        {
            f"Ada Lovelace_111{_SUBMISSION}bot.zip": "s01",
            f"Bob O'Neil_222{_SUBMISSION}s01.zip": "s02",
            f"Jürgen Müller_333{_SUBMISSION}my_s01_bot.zip": "s03",
            f"Eve Stranger_444{_SUBMISSION}s01.zip": None,
        },
    ),
    "Moodle, in groups": (
        (Student("s01", "Ada Lovelace", group="Group A"), Student("s02", "Bob", team="red")),
        {
            f"Group A-Ada Lovelace_111{_SUBMISSION}bot.zip": "s01",
            f"red-Bob_222{_SUBMISSION}s01.zip": "s02",
            f"red-Ada Lovelace_111{_SUBMISSION}bot.zip": None,
        },
    ),
    "by hand, in teams": (
        (Student("s01", team="red"), Student("s02", team="red"), Student("s03")),
        {"red.zip": "s01", "red_bot": "s01", "s02.zip": "s02", "s02_s01_bot": "s02"},
    ),
    "Moodle, folders, with and without the last underscore": (
        NAMED,
        {f"Ada Lovelace_111{_SUBMISSION}": "s01", "BOB ONEIL_222_assignsubmission_file": "s02"},
    ),
    "Moodle, a display name that is another's id": (
        NAMED,
        {f"s01_222{_SUBMISSION}bot.zip": None, "s02.zip": "s02"},
    ),
    "Moodle, a display name that begins with another's id": (
        NAMED,
        {f"s01-_222{_SUBMISSION}bot.zip": None},
    ),
    "Moodle, a Mac's decomposed umlaut": (
        NAMED,
        {unicodedata.normalize("NFD", f"Jürgen Müller_333{_SUBMISSION}bot.zip"): "s03"},
    ),
    "Moodle, blind": (
        NUMBERED,
        {
            f"Participant_111{_SUBMISSION}bot.zip": "s01",
            f"Participant_222{_SUBMISSION}Participant_111{_SUBMISSION}bot.zip": "s02",
            f"Participant_333{_SUBMISSION}s01.zip": None,
        },
    ),
    "Moodle, a name that somebody else has taken, whose number is not known": (
        NUMBERED,
        {f"Ada Lovelace_999{_SUBMISSION}bot.zip": None},
    ),
    "Moodle, a roster with the accounts of another platform": (
        (Student("s01", "Ada Lovelace", account="ada99"),),
        {f"Ada Lovelace_111{_SUBMISSION}bot.zip": "s01"},
    ),
    "Moodle, renamed by the teacher": (
        NAMED,
        {f"s01_Bob O'Neil_222{_SUBMISSION}bot.zip": "s01"},
    ),
    "Canvas": (
        CANVAS,
        {
            "deedora_4711_902_bot.zip": "4711",
            "youngcy_47110_904_deedora_4711_902_bot.zip": "47110",
            "vanderbergeve_4712_905_my_47110_1_bot.zip": "4712",
            "stranger_9_906_47110.zip": None,
        },
    ),
    "Canvas, a stranger's display name with an id": (
        CANVAS,
        {"youngcy_47110_903_bot.zip": "47110", "4711_dee_9_904_bot.zip": None},
    ),
    "Canvas, a name that is not the roster's": (CANVAS, {"deedoraanne_4711_902_bot.zip": "4711"}),
    "Canvas, late, in one attempt with another file": (
        CANVAS,
        {"deedora_LATE_4711_903_bot_47110.zip": "4711"},
    ),
    "Canvas, anonymous": (CANVAS, {"anon_47110_902_bot.zip": None}),
    "Canvas, anonymous, whose id the roster has": (
        (Student("s1", account="aB12c"), Student("s2", account="aB12")),
        {"LATE_anon_aB12c_555_x.zip": "s1"},
    ),
    "Canvas' own ids beside the school's": (
        (Student("s1", account="4711"), Student("4711", account="9")),
        {"deedora_4711_902_bot.zip": "s1", "youngcy_9_903_4711.zip": "4711"},
    ),
    "Blackboard": (
        LOGINS,
        {
            f"Perudo bot_s1{AT}_s2.zip": "s1",
            f"Perudo bot_s2{AT}_x_s1{AT}_bot.zip": "s2",
            f"Perudo bot_evil_s1{AT}_bot.zip": None,
        },
    ),
    "Blackboard, an assignment and a login with underscores": (
        LOGINS,
        {f"HW_1_ab_s1{AT}_bot.zip": "ab_s1", f"HW_1_s2{AT}_bot.zip": "s2"},
    ),
    "GitHub Classroom": (
        USERS,
        {"perudo-bot-ada": "s1", "perudo-bot-x-ada": "s2", "perudo-bot-bob": "s3"}
        | {"perudo-bot-evil-bob": None},
    ),
    "plain": (
        SHORT,
        {
            "s1": "s1",
            "S1.ZIP": "s1",
            "s1-second.tar.gz": "s1",
            "s1_s11.zip": "s1",
            "s1 (2).zip": "s1",
            "s1_bot_2026_11_20.zip": "s1",
            "s11.zip": "s11",
            "s1-2.zip": "s1-2",
            "s12.zip": None,
            "my_s1_bot.zip": None,
            "notes.txt": None,
        },
    ),
    "plain, an upload that is called as Canvas would": (
        (Student("s1"), Student("11")),
        {"s1_11_22_x.zip": "s1", "11.zip": "11"},
    ),
    "plain, a Mac's decomposed id": (
        (Student("müller"),),
        {unicodedata.normalize("NFD", "Müller_bot.zip"): "müller"},
    ),
    "a mix": (
        NAMED,
        {f"Ada Lovelace_111{_SUBMISSION}bot.zip": "s01", "s02.zip": "s02", "s03-late.zip": "s03"},
    ),
}


@pytest.mark.parametrize("case", OWNERS)
def test_owner_is_whom_the_platform_names(tmp_path: Path, case: str) -> None:
    students, wanted = OWNERS[case]
    assert found(tmp_path, students, *wanted) == wanted


def found(folder: Path, students: tuple[Student, ...], *names: str) -> dict[str, str | None]:
    """Return the owners of hand-ins in a course's folder by their names."""
    columns = ("id", "name", "email", "account", "group", "team")
    lines = [",".join(getattr(one, column) for column in columns) for one in students]
    roster(folder, *lines, head=",".join(columns))
    for name in names:
        path = folder / "hand-ins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    with hand_ins_of(load_course(course_yaml(folder))) as intake:
        strangers = [stranger.name for stranger in intake.strangers]
        return {one.name: one.student for one in intake.hand_ins} | dict.fromkeys(strangers)


def by_name(
    names: list[str],
    students: tuple[Student, ...],
    submitters: Mapping[str, Sequence[Submitter]] | None = None,
) -> dict[str, Student | None]:
    """Return whose names are, without the files."""
    owned = owners(names, students, Path(), Signs(submitters or {}))
    return {name: one.student for name, one in owned.items()}


REFUSED: dict[str, tuple[tuple[Student, ...], tuple[str, ...], tuple[str, str]]] = {
    "two students of one name": (TWINS, (f"Ada Lovelace_1{_SUBMISSION}bot.zip",), ("s01", "s02")),
    "Moodle, the number and the name disagree": (
        NUMBERED,
        (f"Ada Lovelace_222{_SUBMISSION}bot.zip",),
        ("s02", "s01"),
    ),
    "Canvas, the number and the name disagree": (
        CANVAS,
        ("youngcy_4711_902_bot.zip",),
        ("4711", "47110"),
    ),
    "Canvas, a display name with an id and a number": (
        CANVAS,
        ("x_47110_99_y_4711_902_bot.zip", "deedora_4711_903_bot.zip"),
        ("47110", "4711"),
    ),
    "Canvas or plain": (CANVAS, ("4712_4711_902_bot.zip",), ("4711", "4712")),
    "Blackboard, two logins": (LOGINS, (f"HW_ab_s1{AT}_bot.zip",), ("s1", "ab_s1")),
    "GitHub Classroom, two users": (USERS, ("perudo-x-ada",), ("s1", "s2")),
    "GitHub Classroom, a user called as the assignment": (
        (Student("perudo"), Student("ada"), Student("bob")),
        ("perudo-ada", "perudo-bob"),
        ("ada", "perudo"),
    ),
    "an id that begins another": (SHORT, ("s1-2_bot.zip",), ("s1", "s1-2")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_name_that_fits_two_is_refused_with_both(tmp_path: Path, case: str) -> None:
    students, names, both = REFUSED[case]
    with pytest.raises(ArenaError) as refused:
        found(tmp_path, students, *names)
    assert refused.value.what == f"'{names[0]}' may be from '{both[0]}' and '{both[1]}'"
    assert refused.value.hint == (
        "rename it to the id of its student alone, or give both a `team` in the roster"
    )


def test_two_people_under_one_name_are_refused(tmp_path: Path) -> None:
    names = [f"Ada Lovelace_{number}{_SUBMISSION}bot.zip" for number in (111, 222)]
    with pytest.raises(ArenaError, match="one name and two numbers") as refused:
        found(tmp_path, NAMED, *names)
    assert all(f"'{name}'" in refused.value.what for name in names)
    assert "account" in refused.value.hint


def test_command_refuses_in_one_line(tmp_path: Path) -> None:
    roster(tmp_path, "s01,Ada", "s02,Ada")
    name = f"Ada_1{_SUBMISSION}bot.zip"
    (tmp_path / "hand-ins").mkdir()
    (tmp_path / "hand-ins" / name).write_bytes(b"")
    course_yaml(tmp_path)
    ran = run("course", "grade", ".", "--trust-bots", cwd=tmp_path)
    error_line(ran, f"'{name}' may be from 's01' and 's02'", "rename it")
    assert not (tmp_path / "marks.csv").exists()


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace_111_assignsubmission_onlinetext_onlinetext.html",
        "Ada Lovelace_111_assignsubmission_onlinetext",
        f"Perudo_s01{AT}.txt",
        "lovelaceada_LATE_4711_text.html",
        "lovelaceada_4711_link.html",
    ],
)
def test_texts_that_a_platform_writes_are_no_hand_ins(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, NAMED, text, "s01.zip") == {"s01.zip": "s01"}


METADATA = """\
---
submission_1:
  :submitters:
  - :name: Bob
    :sid: S01
    :email: ada@school.example
  :created_at: 2026-11-20 10:32:56.104713000 Z
  :score: 0.0
  :results: !ruby/hash:Results
    output: |
      submission_2:
        :submitters:
        - :sid: s01
submission_2:
  :submitters: &1
  - :name: Ada Lovelace
    :sid: ''
    :email: Bob@School.example
submission_3:
  :submitters:
  - :name: Ada Lovelace
    :sid: '99'
    :email: ''
"""
MAILED = (Student("s01", "Ada Lovelace", "ada@school.example"), Student("s02", email=""))
BOTH = (MAILED[0], Student("s02", "Bob", "bob@school.example"))


def gradescope(folder: Path, metadata: str, *names: str) -> None:
    root = folder / "hand-ins/assignment_9100_export"
    for name in names:
        (root / name).mkdir(parents=True)
        (root / name / "s01.py").write_bytes(b"")
    (root / "submission_metadata.yml").write_text(metadata, encoding="utf-8")


def test_gradescope_export_names_the_submitters(tmp_path: Path) -> None:
    gradescope(tmp_path, METADATA, "submission_1", "submission_2", "submission_3", "submission_4")
    assert found(tmp_path, BOTH) == {
        "assignment_9100_export/submission_1": "s01",
        "assignment_9100_export/submission_2": "s02",
        "submission_3": None,
        "submission_4": None,
    }


def test_archive_of_a_gradescope_export_has_the_times_of_its_entries(tmp_path: Path) -> None:
    gradescope(tmp_path, METADATA, "submission_1")
    roster(tmp_path, "s01,Ada,ada@school.example")
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted((tmp_path / "hand-ins").rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path / "hand-ins"))
    with hand_ins_of(load_course(course_yaml(tmp_path, submissions="all.zip"))) as intake:
        hand_ins = intake.hand_ins
        assert [one.student for one in hand_ins] == ["s01"]


@pytest.mark.parametrize(
    "submitters",
    [
        "  - :sid: s01\n    :email: bob@school.example\n",
        "  - :sid: s01\n  - :sid: s02\n",
    ],
    ids=["the id and the address disagree", "a group"],
)
def test_gradescope_submission_of_two_is_refused(tmp_path: Path, submitters: str) -> None:
    gradescope(tmp_path, f"submission_1:\n  :submitters:\n{submitters}", "submission_1")
    with pytest.raises(ArenaError, match="'submission_1' may be from 's01' and 's02'"):
        found(tmp_path, BOTH)


@pytest.mark.parametrize("metadata", ["[" * 10_000, "submission_1: {", "\0"])
def test_damaged_metadata_is_refused(tmp_path: Path, metadata: str) -> None:
    gradescope(tmp_path, metadata, "submission_1")
    with pytest.raises(ArenaError) as refused:
        found(tmp_path, BOTH)
    assert "submission_metadata.yml" in refused.value.where


@pytest.mark.parametrize("metadata", ["submission_1: *b", "- 1", "", "? [a]\n: b\n", "x"])
def test_strange_metadata_gives_nothing_to_anybody(tmp_path: Path, metadata: str) -> None:
    gradescope(tmp_path, metadata, "submission_1")
    assert found(tmp_path, BOTH) == {"submission_1": None}


def test_empty_address_is_nobodys(tmp_path: Path) -> None:
    gradescope(tmp_path, METADATA, "submission_3")
    assert found(tmp_path, MAILED) == {"submission_3": None}


# What each platform makes of a file's name that a student has chosen, for s01 and s02.
FORMS = {
    "Moodle": (
        "Ada Lovelace_111_assignsubmission_file_{}",
        "Bob O'Neil_222_assignsubmission_file_{}",
    ),
    "Canvas": ("lovelaceada_71_901_{}", "oneilbob_LATE_72_902_{}"),
    "Blackboard": (f"Perudo_u1{AT}_{{}}", f"Perudo_u2{AT}_{{}}"),
}
ACCOUNTS = {"Canvas": ("71", "72"), "Blackboard": ("u1", "u2")}
PIECES = ["s01", "s02", "_", "-", " ", ".zip", "71", "72", "u1", "u2", "Ada Lovelace", "oneilbob"]
PIECES += [AT, "_assignsubmission_file_", "_222", "_72_902_", "LATE", "Perudo", "(2)", "\n", "é"]
UPLOADS = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1),
)


@pytest.mark.parametrize("platform", FORMS)
@given(uploads=st.tuples(UPLOADS, UPLOADS))
@example(uploads=("s02.zip", "s01.zip"))
@example(uploads=("my_s02_bot.zip", "bot_71_9_x.zip"))
@example(uploads=(f"Perudo_u2{AT}_x.zip", "x"))
def test_owner_is_the_same_whatever_the_upload_is_called(
    platform: str, uploads: tuple[str, str]
) -> None:
    first, second = ACCOUNTS.get(platform, ("", ""))
    students = (
        Student("s01", "Ada Lovelace", account=first),
        Student("s02", "Bob O'Neil", account=second),
    )
    names = [form.format(upload) for form, upload in zip(FORMS[platform], uploads, strict=True)]
    assert by_name(names, students) == dict(zip(names, students, strict=True))


@pytest.mark.parametrize("begin", ["s01_", "s01-", "s01 ", "s01."])
@given(upload=UPLOADS)
@example(upload="72_902_x.zip")
@example(upload="s02")
def test_plain_name_is_never_anothers(begin: str, upload: str) -> None:
    name = begin + upload
    assert by_name([name, "s02.zip"], NAMED)[name] in (ADA, None)


@given(upload=UPLOADS)
def test_gradescope_owner_is_not_sought_in_file_names(upload: str) -> None:
    submitters = {"submission_1": [Submitter("s02", "")]}
    assert by_name(["submission_1"], NAMED, submitters) == {"submission_1": BOB}
    other = by_name([f"submission_1{upload}"], NAMED, submitters)
    assert set(other.values()) == {None}
