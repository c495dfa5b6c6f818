"""What an administrator orders, carried out and answered."""

from arena.io.errors import ArenaError
from arena.ladder.book.book import Book
from arena.ladder.book.tables import Action, Order, State, Version, allowed
from arena.ladder.season.admission import admit, place_in_field


def carry_out(order: Order, book: Book) -> None:
    """Do what was ordered, and answer; what cannot be done is answered, too."""
    if order.uploads is not None:
        with book.together():
            book.set_quota(order.author, order.uploads)
            answer = f"{order.author} may make {order.uploads} submissions in 24 hours"
            book.answer(order, answer, done=True)
        return
    try:
        version = _allowed(order, book)
    except ArenaError as error:
        book.answer(order, error.what, done=False)
        return
    with book.together():
        _move(order, version, book)
        book.answer(order, f"{version.name} is {book.version(version.name).state}", done=True)


def _allowed(order: Order, book: Book) -> Version:
    version = book.version(order.version)
    if not allowed(version, order.what):
        raise ArenaError(f"it is {version.state}: {version.why}")
    return version


def _move(order: Order, version: Version, book: Book) -> None:
    reason = f": {order.why}" if order.why else ""
    why = f"ordered by {order.who}{reason}"
    if order.what is Action.APPROVE:
        admit(book, version, f"approved by {order.who}{reason}")
    elif order.what in {Action.RESUME, Action.PLAY}:
        place_in_field(book, version, why)
    else:
        held = order.what is Action.REST
        book.set_state(version, _NEXT[order.what], why, held=held)


_NEXT = {
    Action.REST: State.RESTING,
    Action.WITHDRAW: State.RESTING,
    Action.STRIKE: State.STRUCK,
    Action.RECHECK: State.QUEUED,
}
