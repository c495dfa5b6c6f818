"""One game out of the conversation of a whole fixture."""

from arena.league.table.transcript import Line, OfGame


def lines(*said: str) -> list[Line]:
    """Parse lines like `>>0 text`."""
    return [Line(one[:2], int(one[2]), one[4:]) for one in said]


def selected(game: int, *said: str) -> list[str]:
    return [str(line) for line in filter(OfGame(game), lines(*said))]


HELLO, READY = '>>0 {"type":"hello"}', '<<0 {"type":"ready"}'


def ask(game: int, id_: int) -> str:
    return f'>>0 {{"type":"turn","id":{id_},"game":{game}}}'


def answer(id_: object) -> str:
    return f'<<0 {{"id":{id_}}}'


def test_game_has_its_requests_answers_and_notices() -> None:
    first = [ask(0, 1), answer(1), '>>0 {"type":"game_end","game":0}']
    second = [ask(1, 2), answer(2), '>>0 {"type":"game_end","game":1}']
    whole = [HELLO, READY, *first, *second]
    assert selected(0, *whole) == [HELLO, READY, *first]
    assert selected(1, *whole) == [HELLO, READY, *second]


def test_concurrent_games_are_distinguished_by_request_id() -> None:
    said = [ask(0, 1), ask(1, 2), answer(2), ask(1, 3), answer(1)]
    assert selected(0, *said) == [ask(0, 1), answer(1)]
    assert selected(1, *said) == [ask(1, 2), answer(2), ask(1, 3)]


def test_line_that_is_not_an_answer_belongs_to_the_last_request() -> None:
    for odd in ("<<0 oops", "<<0 [1]", "<<0 " + "[" * 100_000, answer('"x"'), answer(77)):
        said = [ask(0, 1), answer(1), ask(1, 2), odd]
        assert selected(1, *said) == [ask(1, 2), odd]
        assert selected(0, *said) == [ask(0, 1), answer(1)]


def test_starts_before_the_game_are_included() -> None:
    said = [HELLO, READY, ask(0, 1), "<<0 oops", HELLO, "<<0 no", ask(2, 2), answer(2), HELLO]
    assert selected(2, *said) == [HELLO, READY, HELLO, "<<0 no", ask(2, 2), answer(2), HELLO]
    assert selected(1, *said) == [HELLO, READY, HELLO, "<<0 no"]
