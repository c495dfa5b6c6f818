"""How to take part: the rules in short, kits, and a request for an invitation."""

import re
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.bots.kit_files import kit_archive
from arena.bots.runtimes import KITS
from arena.io.errors import ArenaError
from arena.ladder.door.requests import (
    MAX_MAIL,
    MAX_WHY,
    Requests,
    check_free,
    joined_today,
)
from arena.ladder.web.access import secrets
from arena.ladder.web.access.secrets import Scope
from arena.ladder.web.access.visitors import visitor_of
from arena.ladder.web.problems import NOT_FOUND, RequestError, refused
from arena.ladder.web.served import client_of, see_other, served_by
from arena.ladder.web.templates import page
from arena.ladder.web.uploads.bodies import form_of

_MAIL = re.compile(r"[^@\s]+@[^@\s]+")
_TOMORROW = {"Retry-After": "3600"}


def welcome(request: Request) -> Response:
    """Show what this is, and how to take part."""
    visitor_of(request)
    return HTMLResponse(_page(request, {}))


def _page(
    request: Request,
    typed: Mapping[str, str],
    error: RequestError | None = None,
    *,
    asked: bool = False,
) -> str:
    served = served_by(request)
    return page(
        request,
        "welcome.html",
        typed=typed,
        error=error,
        asked=asked,
        kits=KITS,
        has_rules=(served.folder.site / "rules.html").is_file(),
        terms=served.terms.door,
        limits=served.limits,
        most={"mail": MAX_MAIL, "why": MAX_WHY},
    )


def kit(request: Request) -> Response:
    """Send the kit of a language."""
    language = request.path_params["language"]
    if language not in KITS:
        raise RequestError(404, NOT_FOUND)
    name = f'attachment; filename="my-bot-{language}.zip"'
    headers = {"Content-Disposition": name, "Cache-Control": "max-age=300"}
    return Response(kit_archive(language), headers=headers, media_type="application/zip")


async def join(request: Request) -> Response:
    """Take a request for an invitation; or let in who asks, if the ladder is open."""
    form = await form_of(request)
    return await run_in_threadpool(_join, request, form)


def _join(request: Request, form: Mapping[str, str]) -> Response:
    served = served_by(request)
    visitor_of(request)
    try:
        name, mail, why = _asked(form)
        with Requests(served.folder) as requests:
            check_free(served.folder, name, [asked.name for asked in requests.waiting()])
        if not served.joins.take(client_of(request)):
            most = served.terms.door.of_address
            what = f"{most} people of this address asked already"
            raise RequestError(429, what, "try again tomorrow", _TOMORROW)
        if served.terms.door.open:
            return see_other(f"/link/{_let_in(request, name)}")
        with Requests(served.folder, writes=True) as requests:
            requests.add(name, mail, why, served.terms.door.requests)
    except ArenaError as error:
        problem = refused(error)
        text = _page(request, form, problem)
        return HTMLResponse(text, problem.status, problem.headers)
    return HTMLResponse(_page(request, {}, asked=True))


def _asked(form: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the name, the address and the reason of a request; raises RequestError."""
    name, mail, why = (form.get(key, "").strip() for key in ("name", "mail", "why"))
    if mail and (len(mail) > MAX_MAIL or not _MAIL.fullmatch(mail) or not mail.isprintable()):
        raise RequestError(400, "the mail address cannot be read", "leave it out, or mend it")
    line = " ".join(why.split())
    if not line.isprintable():
        raise RequestError(400, "the reason has signs that cannot be read", "write plain text")
    if len(line) > MAX_WHY:
        raise RequestError(400, f"the reason has more than {MAX_WHY} characters", "shorten it")
    return name, mail, line


def _let_in(request: Request, name: str) -> str:
    """Make an author of who asks; returns the secret of their link."""
    served = served_by(request)
    if joined_today(served.folder) >= served.terms.door.joins:
        what = f"{served.terms.door.joins} people joined in the last 24 hours already"
        raise RequestError(429, what, "try again tomorrow", _TOMORROW)
    word, _ = secrets.invite(served.folder, name, Scope.AUTHOR)
    return word
