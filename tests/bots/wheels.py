"""Bots that ask for the package dice_odds, and its wheels."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.bots.bot import Bot, StagedBot
from arena.bots.sandboxes.base import Sandbox
from tests.support.live import run_inside, write_bot

TELL = "import json, sys, dice_odds; print(json.dumps([dice_odds.VERSION, dice_odds.__file__]))"


def wheel(folder: Path, version: str, files: Mapping[str, str], tag: str = "py3-none-any") -> Path:
    """Write a wheel of the package dice_odds."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"dice_odds-{version}-{tag}.whl"
    info = f"dice_odds-{version}.dist-info"
    meta = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: dice_odds\nVersion: {version}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in {**files, **meta}.items():
            packed.writestr(name, text)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip finds version 1.0 of dice_odds, and nothing else; an empty cache."""
    folder = tmp_path / "index"
    wheel(folder, "1.0", {"dice_odds.py": "VERSION = '1.0'\n"})
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def asking(folder: Path, requirements: str, program: str = TELL) -> Bot:
    folder.mkdir(parents=True)
    (folder / "requirements.txt").write_text(requirements)
    return write_bot(folder, program, "python3 bot.py", "runtime: python\n")


def told(sandbox: Sandbox, bot: StagedBot) -> list[str]:
    """Return what a staged bot printed, started as a league does."""
    answer: list[str] = run_inside(sandbox, bot).told
    return answer
