"""The first commands of the page on ladders: typed in as they stand there, but for the sandbox."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.command import ROOT, run
from tests.e2e.live import let_others_in
from tests.ladder import club as clubs
from tests.ladder.club import Running, running


def walk() -> list[list[str]]:
    """Return the commands of the first block of the page, as words after `arena`."""
    text = (ROOT / "docs/guides/ladder.md").read_text(encoding="utf-8")
    block = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[0]
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines()]


@pytest.mark.slow
def test_the_walk_of_an_operator(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    init, invite, start, *rest = walk()
    assert len([init, invite, start, *rest]) <= 10
    assert run(*init, "--sandbox", "process", "--trust-bots", cwd=tmp_path).code == 0
    assert run(*invite, cwd=tmp_path).code == 0
    assert start == ["ladder", "run", "club", "&"]
    with running(tmp_path / "club") as ladder:
        _until_it_lives(ladder)
        for words in rest:
            ran = run(*words, cwd=tmp_path)
            assert ran.code == 0, (words, ran)
        assert ladder.stop() == 0
    assert (tmp_path / "saved/ladder.sqlite").exists()


def _until_it_lives(ladder: Running) -> None:
    ladder.until(lambda: "season 1 begins" in clubs.log(ladder.club))
