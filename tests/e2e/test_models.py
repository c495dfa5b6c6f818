"""Leagues with language models: asked from the sandbox, recorded with game, round and turn."""

from pathlib import Path

import msgspec
import pytest

from tests.cli.command import run
from tests.support import model_leagues
from tests.support.model_server import say, serving

KEY = "sk-never-to-be-seen-0123456789"


def everything_written(folder: Path) -> bytes:
    """Return all files below a folder, and what is compressed in its stores."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    stores = [path for path in folder.glob("*.sqlite") if not path.stem.endswith(".logs")]
    unpacked = [msgspec.json.encode(model_leagues.stored(store)) for store in stores]
    return b"".join([*files, *unpacked])


@pytest.mark.parametrize("sandbox", ["process", "bubblewrap"])
def test_requests_are_recorded_and_the_key_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    # A server that repeats the key does not get it to the bot.
    with serving(say(f"[dudo] {KEY}")) as server:
        model_leagues.write_league(tmp_path, server.url, {"key": {"env": "THE_KEY"}})
        ran = run("run", "league.yaml", "--sandbox", sandbox, "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    played = model_leagues.stored(tmp_path / "league.sqlite")
    assert len(played) == 2
    for one in played:
        seat = one.fixture.seats.index("asker")
        told = one.stderr[seat].splitlines()
        assert set(told) == {"200 [dudo] [key]"}
        assert [exchange.seat for exchange in one.exchanges] == [seat] * len(told)
        for exchange in one.exchanges:
            words = f"game {exchange.game}, round {exchange.round}: your dice are"
            assert words in exchange.request
            assert (exchange.tokens_in, exchange.tokens_out, exchange.micros) == (100, 10, 200)
    assert {*server.keys} == {f"Bearer {KEY}"}
    assert {*server.paths} == {"/v1/chat/completions"}
    assert KEY.encode() not in everything_written(tmp_path) + (ran.out + ran.err).encode()
