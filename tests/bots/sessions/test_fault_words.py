"""The words of faults: open requests, news that want no answer, lines without an end."""

import pytest

from arena.bots.sessions.session import news, open_requests, unfinished

TURN = b'{"type":"turn","id":7}\n'
OFFER = b'{"type":"calza","id":9}\n'
NEWS = b'{"type":"round_end"}\n'


@pytest.mark.parametrize(
    ("ids", "written", "words"),
    [
        ([7], [NEWS, TURN], "7 (turn)"),
        ([7, 9], [TURN, OFFER], "7 (turn), 9 (calza)"),
        ([5, 9], [OFFER], "5, 9 (calza)"),
        ([], [TURN], "none"),
        ([1], [b"no JSON\n", b"[]\n"], "1"),
        (range(6), [], "0, 1, 2, 3, 2 more"),
    ],
)
def test_open_requests_are_named(ids: list[int], written: list[bytes], words: str) -> None:
    assert open_requests(ids, written) == words


def test_news_want_no_answer() -> None:
    assert news([TURN]) == ""
    assert news([NEWS, TURN]) == "; you had been sent round_end; it wants no answer"
    both = [NEWS, NEWS, b'{"type":"game_end"}\n', OFFER]
    assert news(both) == "; you had been sent round_end, game_end; they want no answer"


def test_unfinished_line_is_quoted() -> None:
    assert unfinished(b"") == ""
    assert unfinished(b"{}") == "; it wrote '{}' with no newline at its end"
    assert len(unfinished(b"x" * 60_000)) < 200
