"""`arena play`: quick tables, of bots alone and with a person."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.cli.author.person import digest, legal, read_answer
from arena.game.rules.books import VARIANTS
from arena.game.rules.round import Raises
from arena.game.rules.view import SeatBid
from arena.game.wire.messages import Answer, Turn
from tests.cli.command import LOWEST, arena, bot, environment, error_line, opened, run
from tests.support.depth import depth
from tests.support.sampling import sample

RETRY = 30.0
"""Seconds after which an interrupt is sent again."""
WITHOUT_NUMPY = """
for folder in /usr/lib/python3*/dist-packages; do mount -t tmpfs none "$folder"; done
if /usr/bin/python3 -c "import numpy"; then exit 99; fi
exec "$@"
"""
"""Runs a command as on a machine whose own Python has no numpy."""
CARELESS = "d\n1 2\npass\n" * 500
"""What a person types who doubts what can be doubted, and opens with one two."""


def test_bots_play_and_the_result_is_shown(tmp_path: Path) -> None:
    bot(tmp_path / "mine", LOWEST)
    options = ("--games", "3", "--trust-bots", "--into", "game")
    ran = run("play", "mine", "sample:honest", *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    rows = {line.split()[0]: line.split()[1:4] for line in ran.out.splitlines()[1:]}
    wins = {name: int(row[0]) for name, row in rows.items()}
    assert wins.keys() == {"mine", "honest"}
    assert sum(wins.values()) == 6
    assert all(row[1:] == ["of", "6"] for row in rows.values())
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


def test_copy_of_a_folder_is_another_version(tmp_path: Path) -> None:
    shutil.copytree(bot(tmp_path / "my-bot"), tmp_path / "my-bot-2")
    options = ("--games", "1", "--trust-bots", "--sandbox", "process", "--json")
    ran = run("play", "my-bot", "my-bot-2", *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert {row["name"] for row in json.loads(ran.out)["results"]} == {"my-bot", "my-bot-2"}


def test_bot_that_is_named_twice_plays_itself(tmp_path: Path) -> None:
    bot(tmp_path / "my-bot")
    options = ("--games", "1", "--trust-bots", "--sandbox", "process", "--json")
    ran = run("play", "my-bot", "my-bot", *options, "--into", "game", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert {row["name"] for row in json.loads(ran.out)["results"]} == {"my-bot", "my-bot-2"}
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


@pytest.mark.slow
def test_games_go_to_a_folder_of_their_own_unless_one_is_named(tmp_path: Path) -> None:
    arguments = ("play", "sample:honest", "sample:random", "--games", "1", "--json")
    folders = []
    for _ in range(2):
        ran = run(*arguments, cwd=tmp_path)
        assert ran.code == 0, ran.err
        league = Path(json.loads(ran.out)["league"])
        assert run("status", league, cwd=tmp_path).code == 0
        folders.append(league.parent)
    assert folders[0] != folders[1]
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", depth(("bubblewrap",), ("process", "bubblewrap")))
def test_champion_plays_where_the_machine_has_no_numpy(tmp_path: Path, sandbox: str) -> None:
    hidden = ["unshare", "--mount", *(["-r"] if os.geteuid() else []), "sh", "-c", WITHOUT_NUMPY]
    table = ("play", "sample:champion", "sample:odds", "--games", "1", "--into", "game")
    ran = run(*table, "--sandbox", sandbox, cwd=tmp_path, under=[*hidden, "sh"])
    assert ran.code == 0, ran.err
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


def test_faults_are_findings(tmp_path: Path) -> None:
    bot(
        tmp_path / "broken",
        'raise SystemExit(1) if input() and not print(\'{"type":"ready"}\') else 0',
    )
    ran = run("play", "broken", "sample:honest", "--games", "1", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1, ran


@pytest.mark.slow
def test_games_are_shown_in_the_browser_on_request(tmp_path: Path) -> None:
    """There is no league to report first."""
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/shown\n')
    program.chmod(0o755)
    bots = ("sample:honest", "sample:random", "--games", "1")
    env = {"BROWSER": f"{program} %s"}
    ran = run("play", *bots, "--into", "game", "--open", cwd=tmp_path, env=env)
    assert ran.code == 0, ran.err
    page = tmp_path / "game" / "site" / "replay.html"
    assert (tmp_path / "shown").read_text().strip() == page.as_uri()
    assert page.is_file()


@pytest.mark.parametrize("variant", depth(("pressman",), tuple(VARIANTS)))
def test_person_plays_to_the_end_and_the_game_is_stored(tmp_path: Path, variant: str) -> None:
    options = ("--variant", variant, "--calza", "--into", "game")
    ran = run(
        "play", "--me", "sample:honest", "sample:random", *options, cwd=tmp_path, stdin=CARELESS
    )
    assert ran.code == 0, ran.err
    assert f"{variant}: you against " in ran.out
    [record] = opened(tmp_path / "game" / "league.sqlite")
    [game] = record["games"]
    places = dict(zip(record["fixture"]["seats"], game["places"], strict=True))
    assert f"{places['you']}. you" in ran.out
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0
    assert run("report", "game/league.yaml", cwd=tmp_path).code == 0


def test_help_odds_and_rules_are_shown_on_request(tmp_path: Path) -> None:
    typed = "?\nodds\nlegal\nrules\n9 9\nseven\n" + CARELESS
    ran = run("play", "--me", "sample:honest", cwd=tmp_path, stdin=typed)
    assert ran.code == 0, ran.err
    for part in (
        "doubt the last bid",
        "holds ",
        "1 to 10",
        "who opens the first round",
        "(after →: what the arena plays where the rule book leaves it open)",
        "no face is called '9'",
        "type a bid",
    ):
        assert part in ran.out


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [("quit\n", 0, "you left: the game is not stored\n"), ("", 130, "error: interrupted\n")],
)
def test_game_of_a_person_who_leaves_leaves_nothing(
    tmp_path: Path, typed: str, code: int, said: str
) -> None:
    ran = run("play", "--me", "sample:honest", "--into", "game", cwd=tmp_path, stdin=typed)
    assert (ran.code, ran.err.endswith(said), "Traceback" in ran.err) == (code, True, False)
    assert not (tmp_path / "game").exists()


@pytest.mark.slow
@pytest.mark.parametrize("sent", sample([signal.SIGINT, signal.SIGHUP], 1, "sent to a person"))
def test_person_interrupts_in_mid_game(tmp_path: Path, sent: signal.Signals) -> None:
    command = arena("play", "--me", "sample:honest", "--into", "game")
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(PYTHONUNBUFFERED="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout
        seen = b""
        while b"your move" not in seen and (byte := process.stdout.read(1)):
            seen += byte
        assert (tmp_path / "game").exists()
        while process.poll() is None:  # a signal just before the read waits for what is typed
            process.send_signal(sent)
            with suppress(subprocess.TimeoutExpired):
                process.wait(RETRY)
        assert process.returncode == 130
    assert not (tmp_path / "game").exists()


REFUSED: dict[str, tuple[Any, ...]] = {
    "one bot": (("sample:honest",), "2 to 6 play at a table, not 1"),
    "seven": (("sample:*",), "not 10"),
    "an unknown bot": (("sample:honest", "nobody"), "no such bot folder"),
    "an unknown rule book": (("sample:*nest", "sample:odds", "--variant", "bgb"), "bgb", "bga"),
    "a folder that exists": (
        ("sample:odds", "sample:honest", "--into", "taken"),
        "exists",
        "taken",
    ),
    "a port and no page": (("sample:odds", "--me", "--port", "8500"), "--port", "--web"),
    "no folder": (("sample:odds", "sample:honest", "--into", "file/x"), "cannot be made", "file/x"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_table_that_cannot_be_is_refused(tmp_path: Path, case: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").touch()
    arguments, *parts = REFUSED[case]
    error_line(run("play", *arguments, cwd=tmp_path), *parts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


def test_bot_that_is_called_you_is_refused_beside_a_person(tmp_path: Path) -> None:
    bot(tmp_path / "you", LOWEST)
    ran = run("play", "--me", "you", "--trust-bots", cwd=tmp_path)
    error_line(ran, "a bot is called 'you'", "rename it")


TURN = Turn(
    seat=1,
    dice=(1, 4),
    bids=[SeatBid(0, 2, 4)],
    alive=(0, 1),
    dice_counts=None,
    palifico_seat=None,
    id=7,
    game=0,
    round=0,
    raises=(Raises(1, 1, 4), Raises(4, 3, 4), Raises(5, 2, 2)),
    dudo=True,
)


@pytest.mark.parametrize(
    ("typed", "quantity", "face"),
    [
        ("3 4", 3, 4),
        ("4 fours", 4, 4),
        ("bid 3 four", 3, 4),
        ("2x5", 2, 5),
        ("1 paco", 1, 1),
        ("2 aces", 2, 1),
    ],
)
def test_bid_is_read(typed: str, quantity: int, face: int) -> None:
    assert read_answer(typed, TURN) == Answer(id=7, action="bid", quantity=quantity, face=face)


@pytest.mark.parametrize(
    "typed", ["2 4", "3 5", "5 1", "0 4", "1 6", "4", "four", "3 7", "999 4", "3 fish", ""]
)
def test_anything_else_is_explained(typed: str) -> None:
    assert isinstance(read_answer(typed, TURN), str)


def test_request_in_words() -> None:
    line = msgspec.json.encode(TURN).decode()
    assert digest(line).startswith(f"turn {TURN.id}: seat {TURN.seat} has ")
    assert digest(line).endswith(f"; legal: {legal(TURN)}")
    assert [digest(text) for text in ('{"type":"bye"}', "no JSON", "[1]")] == ["", "", ""]


def test_legal_moves_in_words() -> None:
    assert legal(TURN) == "1 to 4 pacos, 3 to 4 fours, 2 fives, dudo"
