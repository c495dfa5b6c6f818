"""Requests for an invitation: who waits, and an administrator's decision."""

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.io.numbers import whole_number
from arena.ladder.door.requests import Requests
from arena.ladder.web.access import secrets
from arena.ladder.web.access.secrets import Scope
from arena.ladder.web.access.visitors import administrator_of
from arena.ladder.web.problems import RequestError
from arena.ladder.web.served import served_by
from arena.ladder.web.templates import link_to, page
from arena.ladder.web.uploads.bodies import form_of


def overview(request: Request) -> Response:
    """Show the requests that wait, to an administrator."""
    administrator_of(request)
    return HTMLResponse(_page(request))


def _page(request: Request, link: str = "", said: str = "", mail: str = "") -> str:
    with Requests(served_by(request).folder) as requests:
        waiting = requests.waiting()
    return page(request, "requests.html", requests=waiting, link=link, said=said, mail=mail)


async def decide(request: Request) -> Response:
    """Approve a request or decline it, as an administrator asks."""
    await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    return HTMLResponse(await run_in_threadpool(_decided, request, form))


def _decided(request: Request, form: Mapping[str, str]) -> str:
    folder, number = served_by(request).folder, whole_number(form.get("request", ""))
    what = form.get("what")
    if what not in {"approve", "decline"} or number is None:
        raise RequestError(400, "the form cannot be read", "use the form of the page")
    with Requests(folder, writes=True) as requests:
        asked = requests.take(number)
    if asked is None:
        raise RequestError(404, "this request was decided before", "look at the list again")
    if what == "decline":
        return _page(request, said=f"{asked.name} was declined.")
    word, _ = secrets.invite(folder, asked.name, Scope.AUTHOR)
    return _page(request, link_to(request, word), f"{asked.name} may take part.", asked.mail)
