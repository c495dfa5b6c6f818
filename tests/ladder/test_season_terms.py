"""The terms of an open season, compared with ladder.yaml."""

from pathlib import Path

import msgspec
import pytest

from arena.io.errors import ArenaError
from arena.ladder.config import check_terms, load_config

LADDER = "name: club\nsandbox: bubblewrap\n"


def test_paths_that_are_shown_are_terms_of_a_season(tmp_path: Path) -> None:
    path = tmp_path / "ladder.yaml"
    path.write_text(LADDER)
    config = load_config(path)
    terms = msgspec.json.decode(config.file.terms())
    # As an arena wrote it that knew of no paths.
    del terms["sandbox_paths"]
    season = msgspec.json.encode(terms)
    check_terms(config, season)
    path.write_text(LADDER + "sandbox_paths: [/usr/share]\n")
    with pytest.raises(ArenaError, match="changed what decides games: sandbox_paths is"):
        check_terms(load_config(path), season)
