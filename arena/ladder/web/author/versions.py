"""What authors do with versions of theirs: withdraw, have them play, get back what they sent."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from arena.ladder.book.book import Book
from arena.ladder.book.tables import OF_AUTHORS, Action, Order, Version, allowed
from arena.ladder.door.door import Door
from arena.ladder.folder import Folder
from arena.ladder.web.access.visitors import session_of
from arena.ladder.web.api.rest import seen_version
from arena.ladder.web.live.snapshot import Snapshot
from arena.ladder.web.problems import RequestError, refusing
from arena.ladder.web.served import see_other, served_by
from arena.ladder.web.uploads.bodies import form_of


def orders_for(version: Version) -> Sequence[Action]:
    """Return what an author may order of a version as it is."""
    return [what for what in sorted(OF_AUTHORS) if allowed(version, what)]


def seen_now(request: Request) -> tuple[Snapshot, Version]:
    """Return the version that is asked for, as it is at this moment; as `seen_version`."""
    _, seen = seen_version(request)
    now = served_by(request).watch.look_again()
    return now, now.version(seen.name) or seen


def waiting_for(folder: Folder, version: Version) -> Sequence[Order]:
    """Return the orders about a version that the ladder has not carried out yet."""
    with Door(folder) as door, Book(folder) as book:
        orders = door.orders(book.last_order())
    return [order for order in orders if order.version == version.name]


async def order(request: Request) -> Response:
    """Leave what an author orders of a version."""
    visitor = await run_in_threadpool(session_of, request)
    _, version = await run_in_threadpool(seen_now, request)
    what = (await form_of(request)).get("what", "")
    if what not in OF_AUTHORS:
        raise RequestError(400, f"an author orders {' or '.join(sorted(OF_AUTHORS))}")
    await run_in_threadpool(_leave, request, visitor.author, Action(what), version)
    return see_other(f"/versions/{version.name}")


def _leave(request: Request, author: str, what: Action, version: Version) -> None:
    with Door(served_by(request).folder, writes=True) as door, refusing():
        door.order_own(author, what, version)


def archive(request: Request) -> Response:
    """Return what was submitted as a version: the canonical archive of its files."""
    _, version = seen_version(request)
    path = served_by(request).folder.sent(version.author, version.name)
    if not path.is_file():
        raise RequestError(404, "its files are not there", "they are once it was checked")
    return FileResponse(path, media_type="application/x-tar", filename=path.name.replace("@", "-"))
