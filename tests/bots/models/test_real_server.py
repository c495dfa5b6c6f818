"""A real server of models, really asked: tinygrad's, with a model of random weights."""

import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.kits import create
from tests.cli.command import run
from tests.support.depth import only_in_long
from tests.support.model_leagues import stored, write_league
from tests.support.tiny_model import write_model

SETTINGS = {
    "DEV": "CPU:X86",  # needs no compiler
    "NOOPT": "1",
    "CACHELEVEL": "0",
}


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """Yield the address of a server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tinygrad.llm", "--model", str(model), "--serve", str(port)]
    with subprocess.Popen(
        command,
        env={**os.environ, **SETTINGS},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout
        said = []
        for line in server.stdout:
            said.append(line)
            if "started server" in line:
                break
        try:
            assert said, server.poll()
            assert "started server" in said[-1], "".join(said)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


@only_in_long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="tinygrad needs a compiler elsewhere")
def test_bot_of_the_kit_asks_a_real_server(tmp_path: Path) -> None:
    bot = create(tmp_path / "my-bot", "model").folder
    known = "".join((bot / name).read_text(encoding="utf-8") for name in ("prompt.txt", "bot.py"))
    known += (bot / "rules.json").read_text(encoding="utf-8")
    write_model(tmp_path / "tiny.gguf", re.findall(r"[A-Za-z]{2,}", known))
    with serving(tmp_path / "tiny.gguf") as url:
        write_league(
            tmp_path,
            url,
            {"model": "tiny", "max_tokens": 2},
            bots=[str(bot), "sample:honest"],
            games=1,
            variants=[{"variant": "bga", "starting_dice": 1}],
        )
        ran = run("run", "league.yaml", "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    for played in stored(tmp_path / "league.sqlite"):
        assert played.exchanges
        for exchange in played.exchanges:
            assert exchange.tokens_in > 300
            assert (exchange.tokens_out, exchange.finish) == (2, "length")
            assert exchange.answer
        seat = played.fixture.seats.index("my-bot")
        # What it says is nonsense, so the least bad moves were made.
        assert "There is no move in brackets. So far: {'model': 0" in played.stderr[seat]
