"""`arena class`: one command opens a ladder to a room."""

import re
import subprocess
from pathlib import Path
from signal import SIGTERM
from urllib.parse import urlencode, urlsplit

import pytest

from arena.ladder.config import load_config
from arena.ladder.folder import Folder
from tests.cli.command import HANG, arena, environment, error_line, run
from tests.ladder.web.doors import Door

COMMAND = ("class", "club", "--roster", "roster.csv")
HERE = ("--plain-http", "--host", "127.0.0.1", "--sandbox", "process", "--trust-bots")


def test_plain_http_is_the_teachers_choice(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id\nann\n")
    ran = run(*COMMAND, cwd=tmp_path)
    error_line(ran, "everybody on this network can read", "--plain-http", "--certificate")
    assert not (tmp_path / "club").exists()


def test_a_roster_has_names_that_authors_can_have(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id\nann lee\n")
    error_line(run(*COMMAND, *HERE, cwd=tmp_path), "cannot be 'ann lee'", "1 to 32 letters")
    assert not (tmp_path / "club").exists()


@pytest.mark.slow
def test_the_way_in_is_printed_and_leads_in(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id\nann\n")
    words = arena(*COMMAND, *HERE, "--port", "0", "--minutes", "50")
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        assert process.stdout
        assert process.stderr
        said = ""
        try:
            while "  wall  " not in said:
                line = process.stdout.readline()
                assert line, process.stderr.read()
                said += line
            code = re.findall(r"CODE +(\S+)", said)[0]
            base = re.findall(r"JOIN +(\S+)/welcome", said)[0]
            assert "█" in said
            door = Door(Folder(tmp_path / "club"), base)
            form = {"Content_Type": "application/x-www-form-urlencoded", "Origin": base}
            body = urlencode({"name": "ann", "code": code})
            assert door.ask("/welcome", "POST", body, **form).status == 303
            yours = re.findall(r"yours +(\S+)", said)[0]
            entered = door.ask(urlsplit(yours).path, "POST", Origin=base)
            cookie = entered.headers["set-cookie"].partition(";")[0]
            assert b"1 of 1" in door.ask("/wall", Cookie=cookie).body
            process.send_signal(SIGTERM)
            assert process.wait(HANG) == 0
        finally:
            process.kill()
    assert load_config(tmp_path / "club/ladder.yaml").file.names == "by_author"
