"""A table in the browser, from the command to what is stored: what a page without scripts does."""

import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.author.web_table.tables import kind, moves, number, play_out, playing
from tests.cli.command import error_line, opened, run
from tests.cli.test_play import CARELESS
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

SAME_DICE = ("sample:honest", "sample:odds", "--calza", "--seed", "s", "--trust-bots")


def games(store: Path) -> list[Any]:
    return [record["games"] for record in opened(store)]


def test_record_is_that_of_the_same_moves_in_the_terminal(tmp_path: Path) -> None:
    with playing(tmp_path, *SAME_DICE) as table:
        play_out(table)
        assert "All games are stored" in table.press(table.page(), "leave").text
        code, said = table.finish()
    assert (code, "stored: " in said) == (0, True), said
    options = (*SAME_DICE, "--into", "typed")
    ran = run("play", "--me", *options, cwd=tmp_path, stdin=CARELESS)
    assert ran.code == 0, ran.err
    assert games(tmp_path / "typed" / "league.sqlite") == games(tmp_path / "game" / "league.sqlite")
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


def test_several_games_are_played_one_after_another(tmp_path: Path) -> None:
    with playing(tmp_path, "sample:honest", "--games", "2") as table:
        pages = play_out(table)
        assert [kind(page) for page in pages].count("game_end") == 2
        assert "game 2 of 2" in pages[-1]
        table.press(table.page(), "leave")
        assert table.finish()[0] == 0
    [record] = games(tmp_path / "game" / "league.sqlite")
    assert len(record) == 2


def test_strangers_are_refused_and_move_nothing(tmp_path: Path) -> None:
    with playing(tmp_path, "sample:honest") as table:
        page = table.page()
        move = f"number={number(page)}&move={moves(page)[0]}"
        port = int(table.host.rpartition(":")[2])
        refusals = {
            "no secret": table.ask("GET", "/"),
            "another secret": table.ask("GET", f"/{'x' * 43}/"),
            "a part of the secret": table.ask("GET", table.url[-44:-5]),
            "another name of this machine": table.ask("GET", Host=f"evil.example:{port}"),
            "another port": table.ask("GET", Host=f"127.0.0.1:{port + 1}"),
            "a form of nobody": table.ask("POST", body=move, Origin=None),
            "a form without an origin": table.ask("POST", body=move, Origin="null"),
            "a form from elsewhere": table.ask("POST", body=move, Origin="https://evil.example"),
            "a form to another host": table.ask("POST", body=move, Host="evil.example"),
            "a long form": table.ask("POST", body=move + "x" * 1000),
            "a form without a number": table.ask("POST", body="move=dudo"),
            "a file": table.ask("GET", "../play.js"),
            "an unknown file": table.ask("GET", "replay.html"),
            "a form to a file": table.ask("POST", "play.js", body=move),
        }
        allowed = {name for name, reply in refusals.items() if not 400 <= reply.status < 500}
        assert allowed == set()
        assert number(table.page()) == number(page)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port))
        assert table.press(page, moves(page)[0]).status == 303
        assert number(table.page()) > number(page)


def test_port_is_the_one_that_was_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        words = ("play", "--me", "--web", "--port", port, "sample:honest")
        error_line(run(*words, cwd=tmp_path), "no page can be served there", f"port {port}")
    with playing(tmp_path, "sample:honest", "--port", str(port)) as table:
        assert table.host == f"127.0.0.1:{port}"
        assert table.ask("GET").status == 200


def test_buttons_of_an_old_page_and_moves_that_are_not_legal_do_nothing(tmp_path: Path) -> None:
    with playing(tmp_path, "sample:honest") as table:
        old = table.page()
        for move in ("bid 0 2", "bid 99 2", "bid 2", "pass", "calza", "next", "skip", ""):
            table.press(old, move)
        assert number(table.page()) == number(old)
        table.press(old, "odds")
        assert "holds with" in table.page()
        table.press(old, moves(old)[0])
        assert number(table.page()) == number(old) + 1


@pytest.mark.parametrize("sent", sample([signal.SIGINT, signal.SIGHUP], 1, "sent to a page"))
def test_interrupt_in_mid_game_leaves_nothing(tmp_path: Path, sent: signal.Signals) -> None:
    with playing(tmp_path, "sample:honest") as table:
        table.page()
        table.process.send_signal(sent)
        code, said = table.finish()
    assert (code, "Traceback" in said) == (130, False), said
    assert not (tmp_path / "game").exists()


def test_interrupt_after_the_last_game_ends_the_page_and_keeps_the_games(tmp_path: Path) -> None:
    with playing(tmp_path, "sample:honest") as table:
        play_out(table)
        table.process.send_signal(signal.SIGINT)
        code, said = table.finish()
    assert (code, "stored: " in said, "Traceback" in said) == (0, True, False), said
    assert run("verify", "game/league.yaml", cwd=tmp_path).code == 0


def test_person_who_leaves_in_mid_game_leaves_nothing(tmp_path: Path) -> None:
    with playing(tmp_path, "sample:honest") as table:
        assert "The games are not stored" in table.press(table.page(), "leave").text
        code, said = table.finish()
    assert (code, "you left: the game is not stored" in said) == (0, True), said
    assert not (tmp_path / "game").exists()


def test_page_without_a_person_is_refused(tmp_path: Path) -> None:
    ran = run("play", "--web", "sample:honest", "sample:odds", cwd=tmp_path)
    error_line(ran, "--web seats a person", "add --me")
