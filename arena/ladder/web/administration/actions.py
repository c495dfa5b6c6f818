"""What an administrator does: orders to the ladder, invitations, revocations."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.ladder.book.tables import Action
from arena.ladder.door.api import OrderRequest
from arena.ladder.door.door import Door
from arena.ladder.web.access.secrets import Scope, Secrets
from arena.ladder.web.access.secrets import invite as invite_author
from arena.ladder.web.access.visitors import administrator_of
from arena.ladder.web.administration import pages
from arena.ladder.web.api.rest import give_order
from arena.ladder.web.problems import RequestError, refusing
from arena.ladder.web.served import see_other, served_by
from arena.ladder.web.templates import link_to
from arena.ladder.web.uploads.bodies import form_of

_FINAL = {Action.STRIKE, Action.CLOSE_SEASON}
"""Orders that cannot be undone."""


def overview(request: Request) -> Response:
    """Show how the ladder is, and its versions and authors page by page."""
    administrator_of(request)
    return HTMLResponse(pages.overview(request))


def version(request: Request) -> Response:
    """Show a version with the orders that there are for it."""
    administrator_of(request)
    return HTMLResponse(pages.version(request, request.path_params["version"]))


def person(request: Request) -> Response:
    """Show an author with what may be done about them."""
    administrator_of(request)
    return HTMLResponse(pages.person(request, request.path_params["author"]))


async def order(request: Request) -> Response:
    """Leave an order that a form asks for."""
    return await _done(request, _order)


async def invite(request: Request) -> Response:
    """Invite an author, or make another link for one, and show the link once."""
    return await _done(request, _invite)


async def revoke(request: Request) -> Response:
    """Make the links, sessions and tokens of an author invalid."""
    return await _done(request, _revoke)


async def _done(
    request: Request, work: Callable[[Request, str, Mapping[str, str]], Response]
) -> Response:
    """Do what a form asks for, in the name of an administrator; a refused form is shown again."""
    visitor = await run_in_threadpool(administrator_of, request)
    form = await form_of(request)
    try:
        return await run_in_threadpool(work, request, visitor.author, form)
    except RequestError as error:
        text = await run_in_threadpool(pages.refused, request, form, error)
        return HTMLResponse(text, error.status, error.headers)


def _order(request: Request, who: str, form: Mapping[str, str]) -> Response:
    served = served_by(request)
    fields: dict[str, Any] = {key: value for key, value in form.items() if key != pages.TYPED}
    try:
        asked = msgspec.convert(fields, OrderRequest, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"the form cannot be read: {error}") from None
    if asked.what in _FINAL:
        _check_typed(form, asked.version or pages.season_name(served.watch.look_again()))
    give_order(served, who, asked)
    return see_other(_sheet_of(asked))


def _sheet_of(asked: OrderRequest) -> str:
    """Return the address of the page on which an order is given."""
    if asked.version:
        return f"/administration/versions/{asked.version}"
    return f"/administration/people/{asked.author}" if asked.author else "/administration"


def _invite(request: Request, _who: str, form: Mapping[str, str]) -> Response:
    folder, name = served_by(request).folder, form.get("invited", "").strip()
    with refusing(400):
        with Door(folder) as door:
            is_known = door.find(name) is not None
        if not name:
            raise RequestError(400, "nobody is named", "write the name of an author")
        if is_known and "again" not in form:
            hint = "another link is made on their own page"
            raise RequestError(409, f"{name} was invited already", hint)
        word, _ = invite_author(folder, name, Scope.AUTHOR)
    return HTMLResponse(pages.person(request, name, link=link_to(request, word)))


def _revoke(request: Request, _who: str, form: Mapping[str, str]) -> Response:
    folder, name = served_by(request).folder, form.get("revoked", "")
    author = pages.author_of(folder, name).name
    _check_typed(form, author)
    with Secrets(folder, writes=True) as secrets:
        count = secrets.revoke(author)
    told = f"{count} links, sessions and tokens of {author} are invalid now"
    return HTMLResponse(pages.person(request, author, told=told))


def _check_typed(form: Mapping[str, str], name: str) -> None:
    """Raise RequestError for what cannot be undone, unless the name of its subject was typed."""
    if form.get(pages.TYPED, "").strip() != name:
        raise RequestError(400, "this cannot be undone, and the name was not typed", f"type {name}")
