"""A bot that is edited while its league is played: that run is not affected."""

from pathlib import Path

import pytest

from arena.bots.manifest import load_bot
from arena.league.store.store import Store
from tests.cli.command import error_line, league, records, run
from tests.e2e import kills
from tests.e2e.live import Live
from tests.publish.pages import timeless

PLAY = ("run", "league.yaml", *kills.PLAY)


def digests(path: Path) -> dict[str, str]:
    """Return what the conditions of a store say of each bot's files."""
    with Store(path) as store:
        assert store.league
        return {one.name: one.digest for one in store.league.bots}


@pytest.mark.slow
def test_edited_bot_plays_on_unchanged_and_is_named_by_the_next_run(tmp_path: Path) -> None:
    mark = kills.write_bots(tmp_path)
    league(tmp_path, bots=["ann", "bob", "cheat"], blocks=2)
    whole = ("--store", "whole.sqlite", "--site", "whole")
    assert run(*PLAY, *whole, cwd=tmp_path).code == 1
    before = load_bot(tmp_path / "ann").info.digest
    with Live(*PLAY, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        (tmp_path / "ann/bot.py").write_text("raise SystemExit('edited')")
        (tmp_path / "bob/bot.yaml").unlink()
        assert live.end() == 1, live.text
    assert len(records(tmp_path / "league.sqlite")) == 6
    assert records(tmp_path / "league.sqlite") == records(tmp_path / "whole.sqlite")
    assert digests(tmp_path / "league.sqlite")["ann"] == before
    assert timeless(tmp_path / "site") == timeless(tmp_path / "whole")
    error_line(run(*PLAY, cwd=tmp_path), "no bot.yaml in the bot's folder")
    league(tmp_path, bots=["ann", "cheat"], blocks=2)
    after = load_bot(tmp_path / "ann").info.digest
    named = f"'ann' has other files ({after[:8]}, not {before[:8]}) and plays as 'ann@2'"
    still = "'bob' rests: all 6 stored fixtures would still count"
    error_line(run(*PLAY, cwd=tmp_path), named, still)
    assert digests(tmp_path / "league.sqlite")["ann"] == before
