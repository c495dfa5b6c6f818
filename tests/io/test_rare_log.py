"""Messages of one kind come once a minute, with the count of those that were left out."""

import logging

from arena.io.rare_log import PERIOD, Rarely


def test_each_kind_comes_once_a_period_and_is_counted() -> None:
    now = 0.0
    written: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]
    handler.addFilter(Rarely(lambda: now))
    library, own = (logging.Logger(name) for name in ("uvicorn.error", "arena.ladder"))
    library.addHandler(handler)
    own.addHandler(handler)

    def happen(what: str) -> None:
        library.warning("invalid: %s", what)
        own.error("the file %s cannot be used", what)

    for what in ("a", "b", "b"):
        happen(what)
    assert written == ["invalid: a", *(f"the file {file} cannot be used" for file in "ab")]
    now = PERIOD
    happen("c")
    assert written[3:] == ["invalid: c (2 more since the last)", "the file c cannot be used"]
    happen("b")
    assert written[5:] == ["the file b cannot be used (1 more since the last)"]


def test_each_exception_of_a_place_is_a_kind() -> None:
    rarely = Rarely(lambda: 0.0)

    def passes(error: Exception) -> bool:
        info = (type(error), error, None)
        return rarely.filter(logging.LogRecord("starlette", 40, "app.py", 1, "broke", (), info))

    assert [passes(error) for error in (KeyError(1), KeyError(2), OSError())] == [True, False, True]
