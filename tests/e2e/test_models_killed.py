"""What models answered is kept, whatever ends the run: nothing is asked, and paid for, twice."""

import json
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.command import PLAY, run_process
from tests.support import model_bot, model_leagues
from tests.support.model_server import say, serving

pytestmark = pytest.mark.slow

PLAN = "1:worker:9 3:arena:9 6:arena:15"
"""After which answers of models which process is killed."""


def write_killer(folder: Path) -> str:
    asker = Path(model_bot.__file__)
    source = asker.with_name("model_killer.py").read_text(encoding="utf-8")
    home = Path(model_leagues.write_asker(folder, "killer", source))
    shutil.copy(asker, home)
    (home / "plan").write_text(f"{folder / 'count'} {PLAN}", encoding="utf-8")
    return str(home)


def test_no_request_that_was_answered_is_asked_again(tmp_path: Path) -> None:
    codes: list[int] = []
    with serving(say("hi")) as server:
        bots = [write_killer(tmp_path), "sample:honest"]
        model_leagues.write_league(tmp_path, server.url, bots=bots)
        while not codes or (codes[-1] and len(codes) < 9):
            ran = run_process(*PLAY, cwd=tmp_path)
            codes.append(ran.code)
    assert codes == [-signal.SIGKILL, 130, 0], ran.err
    played = model_leagues.stored(tmp_path / "league.sqlite")
    noted = [exchange for one in played for exchange in one.exchanges]
    asked = [json.loads(one.request)["messages"][0]["content"] for one in noted]
    assert Counter(asked) == Counter(body["messages"][0]["content"] for body in server.asked)
    assert not (tmp_path / "league.models").exists()
