"""What every request must pass, and what every answer says to browsers."""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.ladder.web.access.visitors import COOKIE, forgets_cookie
from arena.ladder.web.problems import RequestError, answer
from arena.ladder.web.served import Served, client_of, served_by

_SAFE = {"GET", "HEAD", "OPTIONS"}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_DELETION = f'{COOKIE}=""; HttpOnly; Max-Age=0; Path=/; SameSite=lax; Secure'
_HEALTH = "/healthz"
"""Is asked by programs beside the door, which do not know its name."""
_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}


class Guard:
    """Refuses requests that a page of another site may have made, and adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                add_headers(headers, request.url.scheme)
                if forgets_cookie(request):
                    headers.setdefault("Set-Cookie", _DELETION)
            await send(message)

        try:
            _check(request, served_by(request))
        except RequestError as error:
            await answer(request, error)(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def add_headers(headers: MutableHeaders, scheme: str) -> None:
    """Add what every answer says to browsers."""
    for name, value in {**_HEADERS, **(_HTTPS if scheme == "https" else {})}.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")


def _check(request: Request, served: Served) -> None:
    """Raise RequestError for a request that is not for the door, or not from its pages."""
    host = request.headers.get("host", "")
    if host.lower() not in served.hosts and request.url.path != _HEALTH:
        raise RequestError(421, "there is nothing under this name here")
    if not served.requests.take(client_of(request)):
        raise RequestError(429, "too many requests", "wait a moment", {"Retry-After": "1"})
    if request.method not in _SAFE and "authorization" not in request.headers:
        _check_origin(request, served)


def _check_origin(request: Request, served: Served) -> None:
    """Without a token, only pages of the door may change anything."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    # Old browsers send no Sec-Fetch-Site.
    if not (site == "same-origin" if site is not None else origin in served.origins):
        hint = "use the pages of the door, or a token: Authorization: Bearer TOKEN"
        raise RequestError(403, "the request was not made by a page of the door", hint)
