"""Marks that say which clause of which rule book a test shows."""

from collections.abc import Sequence

import pytest

from arena.game.rules.books import VARIANTS

BOOKS = tuple(VARIANTS)


def shows(*clauses: str, books: Sequence[str] = BOOKS) -> pytest.MarkDecorator:
    """Run a test once for each rule book, as its argument `book`, and mark what it shows there."""
    return pytest.mark.parametrize(
        "book",
        [
            pytest.param(book, marks=[pytest.mark.clause(book, c) for c in clauses])
            for book in books
        ],
    )
