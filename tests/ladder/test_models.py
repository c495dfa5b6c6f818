"""A ladder whose bots ask a language model, until its server fails and the season is closed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.ladder import run as ladders
from arena.ladder.check import scheduler
from tests.cli.command import LOWEST, bot, run
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.support import model_bot, model_leagues
from tests.support.model_server import say, send, serving

pytestmark = pytest.mark.slow


def games_of(club: Path, author: str) -> str:
    """Return an author's own pages of games."""
    pages = (club / "private" / author / "games").glob("*.html")
    return "".join(page.read_text() for page in pages)


def test_submitted_bots_ask_models_until_their_server_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(handler: Any, _: dict[str, Any]) -> None:
        send(handler, 401, b"{}")

    monkeypatch.setattr(scheduler, "Job", clubs.Admits)
    monkeypatch.setattr(ladders, "_PUT_OFF", 0.1)
    source = Path(model_bot.__file__).read_text(encoding="utf-8")
    said: list[str] = []
    with serving(say("I doubt it.")) as server:
        small = {"url": server.url, "model": "there", "price": {"input": 1, "output": 10}}
        club = clubs.make(tmp_path, models={"small": small}, games=1, blocks=1)
        assert run("ladder", "invite", club, "ann", cwd=tmp_path).code == 0
        clubs.submitted(club, "asker", source, author="ann", models=["small"])
        clubs.submitted(club, "other", clubs.REUSABLE)
        with clubs.in_thread(club, said.append):
            wait_until(lambda: "Its model wrote: I doubt it." in games_of(club, "ann"))
            wait_until(lambda: clubs.is_asleep(club, "asker@1", "other@1"))
            asked = len(server.asked)
            server.reply = fails
            clubs.submitted(club, "third", clubs.REUSABLE)
            wait_until(lambda: any("put off until" in line for line in said))
            assert run("ladder", "season", "close", club, cwd=tmp_path).code == 0
            wait_until(lambda: "season 2 begins" in clubs.log(club))
    words = "\n".join(said)
    assert "the server of the model 'small' fails: it does not accept the key (401)" in words
    assert "the season is closed without the tables that are left of asker@1" in words
    [root] = re.findall("season 1 is closed; its root: (.*)", words)
    assert run("verify", "seasons/1/league.yaml", "--root", root, cwd=club).code == 0
    rows = json.loads((club / "site/seasons/1/data/models.json").read_text())["rows"]
    assert [row["requests"] for row in rows if row["bot"] == "asker@1"] == [asked]
    assert sum(len(one.exchanges) for one in model_leagues.stored(clubs.store_of(club))) == asked


@pytest.mark.parametrize(
    ("granted", "why"),
    [
        ((), "it asks for the model 'small', and there are none"),
        (("large",), "there is no model 'small'"),
    ],
)
def test_a_bot_that_asks_for_a_model_that_was_not_granted_is_refused(
    tmp_path: Path, granted: tuple[str, ...], why: str
) -> None:
    club = clubs.make(tmp_path)
    source = bot(tmp_path / "asker", LOWEST, models=["small"])
    found = clubs.checked(replace(clubs.check_order(club, source), models=granted))
    assert (found.ok, found.steps) == (False, 0)
    assert why in str(found.faults)
