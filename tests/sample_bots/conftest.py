"""Every sample bot, built once."""

from pathlib import Path

import pytest

from tests.sample_bots.players import bot_folders, prepare


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a folder to run each bot in, by the bot's name."""
    into = tmp_path_factory.mktemp("built")
    return {folder.name: prepare(folder, into) for folder in bot_folders()}
