"""One game to watch while a ladder plays: what the door sends of it, and what it does not."""

import json
from pathlib import Path

import pytest

from arena.ladder.book.book import Book
from arena.ladder.book.shown import LIVE_GAME_FACT, LiveGame, decoded_game
from arena.ladder.folder import Folder
from arena.ladder.pages.site import in_complete_blocks
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of
from tests.cli.command import HANG, LOWEST, READY
from tests.ladder import club as clubs
from tests.ladder.club import running
from tests.ladder.web.doors import Door, door_of
from tests.ladder.web.test_events import listening
from tests.support.hands import hands_in

PUBLIC = ("/", "/live", "/api/v1/ladder", "/healthz", "/site/")
WAITS = """
            import pathlib, time
            while pathlib.Path("HOLD").exists():
                time.sleep(0.05)
"""
"""What a bot does before its turn: it waits until a file is gone."""
LIMITS = {"start": HANG, "answer": HANG, "game": 2 * HANG}


def shown(folder: Folder) -> LiveGame | None:
    with Book(folder) as book:
        return decoded_game(book.facts().get(LIVE_GAME_FACT, ""))


def complete(club: Path) -> set[str]:
    """Return the fixtures whose replays may be seen."""
    with Store(clubs.store_of(club)) as store:
        return in_complete_blocks(schedule_of(store).fixtures, store.finished())


def no_dice_are_sent(door: Door) -> None:
    for path in PUBLIC:
        sent = door.ask(path).body
        assert not any(hands_in(sent.decode()))
        assert b'"dice":[[[' not in sent
    with listening(door, "/api/v1/ladder/events") as listener:
        step = listener.next("game")
    assert hands_in(step["html"]), "no table is sent"
    assert not any(hands_in(step["html"]))
    assert "there are" not in json.dumps(step)


@pytest.mark.slow
def test_dice_are_sent_once_no_table_of_their_block_is_left(tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    # As many workers as a block has tables: one of them is without the bot that waits.
    club = clubs.make(tmp_path, workers=3, limits=LIMITS, blocks=1)
    folder = Folder(club)
    slow = READY + WAITS.replace("HOLD", str(hold)) + LOWEST.removeprefix(READY)
    for name, source in (("ann", LOWEST), ("bob", LOWEST), ("slow", slow)):
        clubs.admitted(club, name, source)
    with running(club) as ladder, door_of(folder) as door:
        ladder.until(lambda: shown(folder))
        ladder.until(lambda: b"Round 1" in door.ask("/live").body)
        game = shown(folder)
        assert game
        assert game.id not in complete(club)
        no_dice_are_sent(door)
        hold.unlink()
        ladder.until(lambda: (now := shown(folder)) and now.dice)
        assert (now := shown(folder))
        assert now.id in complete(club)
        ladder.until(lambda: any(hands_in(door.ask("/live").body.decode())))
        assert ladder.stop() == 0
