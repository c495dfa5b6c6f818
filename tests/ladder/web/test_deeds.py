"""What people do to people by the door, for the log of the ladder."""

from pathlib import Path
from urllib.parse import urlencode

from arena.ladder.door.access import Scope
from arena.ladder.door.door import Door as LadderDoor
from tests.ladder.web.doors import Door, door_of, ladder


def post(door: Door, path: str, who: dict[str, str], **fields: str) -> int:
    form = {"Content-Type": "application/x-www-form-urlencoded", **who}
    return door.ask(path, "POST", urlencode(fields), **form).status


def test_log_is_told_who_invites_and_revokes_who_joins_and_who_logs_in(tmp_path: Path) -> None:
    folder = ladder(tmp_path, door={"open": True})
    with door_of(folder) as door:
        root = door.session("root", Scope.ADMINISTRATOR)
        with LadderDoor(folder) as opened:
            before = opened.deeds()[-1].id
        assert post(door, "/administration/invite", root, invited="ann") == 200
        who = {"Sec-Fetch-Site": "same-origin"}
        assert post(door, "/welcome", who, name="zoe", mail="", why="") == 303
        assert post(door, "/administration/revoke", root, revoked="zoe", typed="zoe") == 200
        assert post(door, "/token", root, name="monitor", scope="read") == 200
        assert post(door, "/leave", root) == 303
    with LadderDoor(folder) as opened:
        assert [(deed.who, deed.author, deed.what) for deed in opened.deeds(before)] == [
            ("root", "ann", "invited"),
            ("zoe", "zoe", "joined"),
            ("root", "zoe", "all 1 links, sessions and tokens revoked"),
            ("root", "root", "made a token: read"),
            ("root", "root", "ended a session"),
        ]
        assert opened.deeds(before - 1)[0].what == "logged in"
