"""Leagues in which bots ask a language model behind a server of the test."""

import json
from pathlib import Path
from typing import Any

from arena.game.records import PlayedFixture
from arena.league.store.store import Store
from tests.support import model_bot

PATIENT = {"start": 60, "answer": 60, "game": 600}


def write_asker(folder: Path, name: str, source: str | None = None) -> str:
    """Write a bot that asks the model `small`; returns its folder."""
    home = folder / name
    home.mkdir(parents=True)
    program = source or Path(model_bot.__file__).read_text(encoding="utf-8")
    (home / "bot.py").write_text(program, encoding="utf-8")
    entry = {"name": name, "command": "python3 bot.py", "runtime": "python", "models": ["small"]}
    (home / "bot.yaml").write_text(json.dumps(entry), encoding="utf-8")
    return str(home)


def write_league(folder: Path, url: str, model: dict[str, Any] | None = None, **more: Any) -> Path:
    """Write a league of one bot with a model and one without."""
    small = {"url": url, "model": "there", "price": {"input": 1, "output": 10}, **(model or {})}
    entry = {
        "bots": [write_asker(folder, "asker"), "sample:honest"],
        "games": 2,
        "blocks": 1,
        "seed": "tests",
        "limits": PATIENT,
        "sandbox": "process",
        "workers": 1,
        "pin": False,
        "models": {"small": small},
        **more,
    }
    path = folder / "league.yaml"
    path.write_text(json.dumps(entry), encoding="utf-8")
    return path


def stored(store: Path) -> list[PlayedFixture]:
    with Store(store) as league:
        return list(league.played())
