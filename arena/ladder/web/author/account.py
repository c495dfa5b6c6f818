"""The page of an author's account: sessions and tokens, each of which can be ended."""

import time
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.ladder.door.door import Door
from arena.ladder.web.access.secrets import TOKEN_SCOPES, Scope, SecretKind, Secrets
from arena.ladder.web.access.visitors import forget_cookie, own_secret, session_of
from arena.ladder.web.problems import RequestError, refusing
from arena.ladder.web.served import see_other, served_by
from arena.ladder.web.templates import page
from arena.ladder.web.uploads.bodies import form_of

_MOST_NAME = 60
"""Characters of a token's name."""


def overview(request: Request) -> Response:
    """Show what opens an author's account."""
    session_of(request)
    return HTMLResponse(_page(request))


def _page(request: Request, error: RequestError | None = None, **shown: str) -> str:
    """Return the page; `shown` is a secret that is shown this once."""
    visitor = session_of(request)
    with Secrets(served_by(request).folder) as secrets:
        held = secrets.held(visitor.author)
    return page(
        request,
        "account.html",
        error=error,
        at=time.time(),
        sessions=[secret for secret in held if secret.kind is SecretKind.SESSION],
        feeds=[secret for secret in held if secret.kind is SecretKind.FEED],
        tokens=[secret for secret in held if secret.kind is SecretKind.TOKEN],
        this=own_secret(request),
        scopes=TOKEN_SCOPES,
        **{"token": "", "feed": "", **shown},
    )


async def token(request: Request) -> Response:
    """Show a new token, once."""
    await run_in_threadpool(session_of, request)
    form = await form_of(request)
    try:
        word = await run_in_threadpool(_made, request, form)
    except RequestError as error:
        text = await run_in_threadpool(_page, request, error)
        return HTMLResponse(text, error.status, error.headers)
    return HTMLResponse(await run_in_threadpool(_page, request, token=word))


def _made(request: Request, form: Mapping[str, str]) -> str:
    name, scope = form.get("name", "").strip(), form.get("scope", Scope.SUBMIT)
    if not (1 <= len(name) <= _MOST_NAME and name.isprintable()):
        what = f"a token has a name of 1 to {_MOST_NAME} characters"
        raise RequestError(400, what, "name it after where it is used")
    if scope not in TOKEN_SCOPES:
        raise RequestError(400, "a token submits or reads", "choose one of the two")
    with Secrets(served_by(request).folder, writes=True) as secrets, refusing():
        return secrets.make_token(session_of(request).author, name, Scope(scope))


def feed(request: Request) -> Response:
    """Show the address of a new feed, once."""
    author = session_of(request).author
    with Secrets(served_by(request).folder, writes=True) as secrets:
        word = secrets.renew_feed(author)
    return HTMLResponse(_page(request, feed=word))


async def delete(request: Request) -> Response:
    """Delete an account, whose author typed their name."""
    visitor = await run_in_threadpool(session_of, request)
    typed = (await form_of(request)).get("name", "").strip()
    if typed != visitor.author:
        error = RequestError(400, "this is not your name", f"type {visitor.author} to confirm")
        text = await run_in_threadpool(_page, request, error)
        return HTMLResponse(text, error.status)
    pseudonym = await run_in_threadpool(_forgotten, request, visitor.author)
    forget_cookie(request)
    request.state.visitor = None
    return HTMLResponse(page(request, "deleted.html", pseudonym=pseudonym))


def _forgotten(request: Request, author: str) -> str:
    folder = served_by(request).folder
    with Door(folder, writes=True) as door:
        pseudonym = door.forget(author)
    with Secrets(folder, writes=True) as secrets:
        secrets.revoke(author)
    return pseudonym


async def end(request: Request) -> Response:
    """End a session or a token."""
    visitor = await run_in_threadpool(session_of, request)
    id_ = (await form_of(request)).get("id", "")
    await run_in_threadpool(_end, request, visitor.author, id_)
    if id_ == own_secret(request):
        forget_cookie(request)
        return see_other("/")
    return see_other("/account")


def _end(request: Request, author: str, id_: str) -> None:
    with Secrets(served_by(request).folder, writes=True) as secrets:
        secrets.end(author, id_)
