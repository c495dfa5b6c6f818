"""What was said of one game, out of what was said of all."""

from arena.match.transcript import Line, of_game


def lines(*said: str) -> list[Line]:
    """`>>0 text` as a line."""
    return [Line(one[:2], int(one[2]), one[4:]) for one in said]


def kept(game: int, *said: str) -> list[str]:
    return [str(line) for line in of_game(lines(*said), game)]


HELLO, READY = '>>0 {"type":"hello"}', '<<0 {"type":"ready"}'


def ask(game: int, id_: int) -> str:
    return f'>>0 {{"type":"turn","id":{id_},"game":{game}}}'


def answer(id_: object) -> str:
    return f'<<0 {{"id":{id_}}}'


def test_a_game_is_its_requests_answers_and_notices() -> None:
    first = [ask(0, 1), answer(1), '>>0 {"type":"game_end","game":0}']
    second = [ask(1, 2), answer(2), '>>0 {"type":"game_end","game":1}']
    whole = [HELLO, READY, *first, *second]
    assert kept(0, *whole) == [HELLO, READY, *first]
    assert kept(1, *whole) == [HELLO, READY, *second]


def test_games_that_are_played_at_the_same_time_are_told_apart_by_id() -> None:
    said = [ask(0, 1), ask(1, 2), answer(2), ask(1, 3), answer(1)]
    assert kept(0, *said) == [ask(0, 1), answer(1)]
    assert kept(1, *said) == [ask(1, 2), answer(2), ask(1, 3)]


def test_a_line_that_is_no_answer_belongs_to_the_last_request() -> None:
    for odd in ("<<0 oops", "<<0 [1]", "<<0 " + "[" * 100_000, answer('"x"'), answer(77)):
        said = [ask(0, 1), answer(1), ask(1, 2), odd]
        assert kept(1, *said) == [ask(1, 2), odd]
        assert kept(0, *said) == [ask(0, 1), answer(1)]


def test_starts_up_to_the_game_are_shown_with_what_came_of_them() -> None:
    said = [HELLO, READY, ask(0, 1), "<<0 oops", HELLO, "<<0 no", ask(2, 2), answer(2), HELLO]
    assert kept(2, *said) == [HELLO, READY, HELLO, "<<0 no", ask(2, 2), answer(2), HELLO]
    assert kept(1, *said) == [HELLO, READY, HELLO, "<<0 no"]
