"""Standard error, transcripts, starts: what authors see of their bots."""

from pathlib import Path

from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Sandbox
from arena.game.records import Cause
from arena.game.rules.books import VARIANTS, variant
from arena.game.wire.codec import decode_answer, decode_ready
from arena.league.table.preparation import try_start
from arena.league.table.transcript import told_game
from tests.support.bot_programs import program, start, turn
from tests.support.live import good_bot, write_bot
from tests.support.live_tables import PATIENT, play

# ---------------------------------------------------------------- standard error


def test_end_of_standard_error_is_kept(sandbox: Sandbox, runs: Path) -> None:
    body = turn("os.write(2, b'x' * 500_000 + b'the end %d' % m['round']); answer(m)")
    played = play(sandbox, runs, body)
    good, flooding = played.stderr
    assert good == ""
    assert len(flooding) == 65_536
    rounds = [event for event in played.games[0].events if type(event).__name__ == "RoundStarted"]
    assert flooding.strip("x").startswith("the end ")
    assert int(flooding.rsplit(" ", 1)[1]) < len(rounds)


def test_standard_error_is_kept_unchanged(sandbox: Sandbox, runs: Path) -> None:
    """Escape sequences stay; bytes that are not UTF-8 are replaced."""
    body = "os.write(2, 'Würfel \\u2603 \\x1b[31mred\\x1b[0m\\r\\n\\0'.encode() + b'\\xff')\n"
    played = play(sandbox, runs, body)
    assert played.stderr[1] == "Würfel \u2603 \x1b[31mred\x1b[0m\r\n\0\ufffd"


def test_standard_error_of_a_crash_is_kept(sandbox: Sandbox, runs: Path) -> None:
    played = play(sandbox, runs, turn("raise ValueError('so long')"))
    assert played.stderr[1].rstrip().endswith("ValueError: so long")


# ---------------------------------------------------------------- transcript, start


def test_transcript_holds_the_whole_conversation(sandbox: Sandbox, runs: Path) -> None:
    bots = [good_bot(runs, sandbox)] * 3
    lines, _ = told_game(bots, variant("bga", {}, lost_dice_visible=True), sandbox)
    for seat in range(3):
        said = [line[4:] for line in lines if line.startswith(f"<<{seat} ")]
        heard = [line[4:] for line in lines if line.startswith(f">>{seat} ")]
        decode_ready(said[0].encode())
        assert [decode_answer(line.encode()).id for line in said[1:]]
        assert heard[0].startswith('{"type":"hello"')
        assert heard[-2].startswith('{"type":"game_end"')
        assert heard[-1] == '{"type":"bye"}'
    asked = [line for line in lines if line[:2] == ">>" and '"type":"turn"' in line]
    answers = [line for line in lines if line[:2] == "<<" and '"action"' in line]
    assert len(asked) == len(answers)


def test_try_start_returns_the_fault_of_a_bad_start(sandbox: Sandbox, runs: Path) -> None:
    rules = VARIANTS["bga"]
    assert try_start(good_bot(runs, sandbox), rules, sandbox, PATIENT) is None
    odd = stage(write_bot(runs / "odd", program(start("sys.exit(2)"))), runs, sandbox)
    fault = try_start(odd, rules, sandbox, PATIENT)
    assert fault is not None
    assert (fault.cause, fault.detail) == (Cause.CRASH, "the program ended with exit code 2")
