"""The examples in the protocol's README are valid."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import TRUSTED, run
from tests.protocol.golden import TRANSCRIPTS
from tests.protocol.test_transcripts import validator

README = (Path(__file__).parents[2] / "protocol" / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language, indented ones included."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", README, re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", body, flags=re.MULTILINE) for indent, body in found]


def test_every_message_shown_is_valid() -> None:
    to_bot, from_bot = validator("to_bot.json"), validator("from_bot.json")
    lines = [json.loads(line) for block in blocks("json") for line in block.splitlines()]
    for message in lines:
        answers = "action" in message or message["type"] == "ready"
        (from_bot if answers else to_bot).validate(message)
    assert len(lines) >= 8


def test_complete_game_shown_is_the_golden_one() -> None:
    assert (TRANSCRIPTS / "short.txt").read_text(encoding="utf-8") in README


@pytest.mark.slow
def test_bot_shown_plays_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(blocks("python")[0], encoding="utf-8")
    (tmp_path / "bot.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    checked = run("check", ".", *TRUSTED, cwd=tmp_path)
    assert checked.code == 0, checked.out + checked.err
    assert checked.out.startswith("my-bot: ok")
