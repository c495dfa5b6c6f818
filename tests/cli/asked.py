"""A stored league, and other builds of the bot that played in it."""

import json
from pathlib import Path
from typing import Any

from tests.cli.command import TRUSTED, bot, play_league, run
from tests.support.bot_programs import program, turn

FIXTURE = 0


def play(folder: Path, **keys: Any) -> Path:
    """Play a league of `mine`, which raises as little as it can, and `honest`."""
    bot(folder / "mine", program(""))
    return play_league(folder, bots=["mine", "sample:honest"], games=2, blocks=2, **keys)


def build(folder: Path, body: str, name: str = "mine") -> Path:
    """Write another build of a bot."""
    return bot(folder, program(body), name=name)


def at_turns(*numbers: int, do: str) -> str:
    """Return the body of a bot that does something else at some of its process's turns, from 1."""
    act = "def act(m):\n    global turns\n    turns += 1\n"
    return f"{act}    if turns in {numbers}:\n        {do}\n    answer(m)\n"


DOUBTER = turn("say(json.dumps({'id': m['id'], 'action': 'dudo'})) if m['dudo'] else answer(m)")
"""A bot that doubts every bid."""


def asked(folder: Path, *arguments: object, cwd: Path) -> tuple[int, dict[str, Any]]:
    """Ask a build of the bot as JSON; returns the exit code and what was said."""
    words = ("rerun", "league.yaml", FIXTURE, "--as", folder, "--json", *TRUSTED, *arguments)
    ran = run(*words, cwd=cwd)
    assert ran.out, ran
    return ran.code, json.loads(ran.out)
