"""Canvas: the zip of an assignment's submissions and the answer of its API.

From instructure/canvas-lms lib/content_zipper.rb, app/models/attachment.rb and
config/initializers/rubyzip.rb.
"""

import json
import random
import re
import string
import unicodedata
from collections.abc import Container
from datetime import UTC, datetime
from typing import NamedTuple

from tests.course.platforms.download import Download, base
from tests.course.platforms.people import Export, Person, Submitted
from tests.course.platforms.zips import RUBYZIP

MODES = ("", "anonymous", "teams")
_ASSIGNMENT = 90210


class _Attachment(NamedTuple):
    id: int
    name: str
    content: bytes


def user_name(sortable: str) -> str:
    """Return a sortable name as sanitize_user_name leaves it."""
    return re.sub(r"_(\d+)_", r"\1", sortable).lower()


def words_only(name: str) -> str:
    r"""Return a name without what Ruby's [[:word:]] does not match; that has marks, unlike \w."""

    def is_word(letter: str) -> bool:
        kind = unicodedata.category(letter)
        return kind[0] in "LM" or kind in {"Nd", "Pc"}

    return "".join(filter(is_word, name))


def unique(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken: make_unique_filename, up to seven of one name."""
    extension = re.search(r"(\.[A-Za-z][A-Za-z0-9]*)*(\.[A-Za-z0-9]*)$", name)
    end = extension[0] if extension else ""
    stem = name.removesuffix(end)
    tried = [name, *(f"{stem}-{addition}{end}" for addition in range(1, 8))]
    return next(new for new in tried if new not in taken)


def anonymous_id(person: Person) -> str:
    """Return five letters and digits, the same in every download."""
    return "".join(random.Random(person.number).choices(string.ascii_letters + "123456789", k=5))


def canvas(download: Download) -> Export:
    """Write the zip and the API's answer; modes: MODES."""
    attached = _attachments(download)
    entries: dict[str, bytes] = {}
    names: dict[str, str] = {}
    handed_in: dict[Person, Submitted] = {}
    for owner, last, people in _owners(download):
        prefix = _prefix(download, owner, last, people[0])
        handed_in |= dict.fromkeys(people, last)
        for attachment in attached[last.person.id, last.attempt]:
            shown = re.sub(r'[\x00/\\:*?"<>|]+', "_", attachment.name)
            name = unique(f"{prefix}_{attachment.id}_{shown}", entries)
            entries[name] = attachment.content
            names = {person.id: name for person in people} | names
    submissions = download.zip("ai-1-perudo-bot_submissions.zip", RUBYZIP, entries)
    answers = [
        _answer(download, person, handed_in.get(person), attached) for person in download.people
    ]
    # Rails writes JSON without spaces, and letters as they are.
    text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    api = download.write("submissions.json", text.encode())
    return download.export(submissions, names, download.numbers(), api)


_Attached = dict[tuple[str, int], list[_Attachment]]


def _attachments(download: Download) -> _Attached:
    """Return the attachments of each attempt, by Person.id and attempt, numbered as they came."""
    attached: _Attached = {}
    taken: dict[str, set[str]] = {}
    number = 5000
    for hand_in in download.by_time():
        own = taken.setdefault(hand_in.person.id, set())
        for path, content in hand_in.files.items():
            number += 1
            # All uploads of a student go into one folder: main.py comes back as main-1.py.
            name = unique(base(path), own)
            own.add(name)
            key = (hand_in.person.id, hand_in.attempt)
            attached.setdefault(key, []).append(_Attachment(number, name, content))
    return attached


def _owners(download: Download) -> list[tuple[str, Submitted, list[Person]]]:
    """Return the sortable name, the submission and the people; the first represents the others."""
    if download.mode != "teams":
        return [(last.person.sortable, last, [last.person]) for last in download.last()]
    teams = download.teams()
    alone = [(person.sortable, [person]) for person in teams.pop("", [])]
    return [
        (name, last, members)
        for name, members in [*teams.items(), *alone]
        if (last := download.last_of(members))
    ]


def _prefix(download: Download, name: str, last: Submitted, person: Person) -> str:
    anonymous = download.mode == "anonymous"
    who = "anon_" + anonymous_id(person) if anonymous else person.number
    late = ["LATE"] if download.late(last) else []
    return words_only("_".join([*([] if anonymous else [user_name(name)]), *late, who]))


def _answer(
    download: Download, person: Person, last: Submitted | None, attached: _Attached
) -> dict[str, object]:
    """Return one submission of GET .../assignments/:id/submissions, as an administrator sees it."""
    late = bool(last and download.late(last))
    seconds = int((last.at - download.deadline).total_seconds()) if last and late else 0
    answer: dict[str, object] = {
        "id": 700000 + int(person.number),
        "body": None,
        "url": None,
        "grade": None,
        "score": None,
        "submitted_at": _instant(last.at) if last else None,
        "assignment_id": _ASSIGNMENT,
        "user_id": int(person.number),
        "submission_type": "online_upload" if last else None,
        "workflow_state": "submitted" if last else "unsubmitted",
        "grade_matches_current_submission": True,
        "graded_at": None,
        "grader_id": None,
        "attempt": last.attempt if last else None,
        "cached_due_date": _instant(download.deadline),
        "excused": None,
        "late_policy_status": None,
        "points_deducted": None,
        "anonymous_id": anonymous_id(person),
        "late": late,
        "missing": not last and download.downloaded > download.deadline,
        "seconds_late": seconds,
    }
    if last:
        answer["attachments"] = [
            {"id": file.id, "display_name": file.name, "size": len(file.content)}
            for file in attached[last.person.id, last.attempt]
        ]
    return answer


def _instant(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
