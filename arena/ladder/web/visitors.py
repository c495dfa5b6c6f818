"""Who asks: by the cookie of a session, or by a token."""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.ladder.door.access import LASTS, Scope, Secret, SecretKind, Secrets, id_of
from arena.ladder.web.problems import NOT_FOUND, RequestError
from arena.ladder.web.served import client_of, served_by
from arena.ladder.web.where import where_of

COOKIE = "__Host-arena"
"""Browsers take a cookie of this name for a whole host alone."""
COOKIE_BELOW = "__Secure-arena"
"""The name below a path: of other paths of the host neither is sent nor replaced."""
COOKIE_PLAIN = "arena"
"""The name over plain HTTP, where browsers take no other."""
_BEARER = "bearer "
_BROWSERS = ("Firefox", "Edg", "OPR", "Chrome", "Safari")
"""Words of User-Agent; one that pretends to be another comes before it."""
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS", "CrOS", "Linux")
_LOGIN = "open your link, or ask the operator for one: arena ladder invite"


class Visitor(Struct, frozen=True):
    """Who asks, and what they may do."""

    author: str
    """"" for who is not known."""
    kind: SecretKind | None = None
    scope: Scope = Scope.AUTHOR
    administrates: bool = False

    @property
    def has_session(self) -> bool:
        """Whether they came with a browser, by their link."""
        return self.kind is SecretKind.SESSION


def visitor_of(request: Request) -> Visitor:
    """Return who asks; raises RequestError for a token that is not valid."""
    if (visitor := getattr(request.state, "visitor", None)) is None:
        visitor = request.state.visitor = _identified(request)
    return visitor


def _identified(request: Request) -> Visitor:
    header = request.headers.get("authorization")
    if header is not None:
        if not header.lower().startswith(_BEARER):
            raise unauthorized("only tokens are taken: Authorization: Bearer TOKEN")
        word = header[len(_BEARER) :].strip() or "-"
        secret = found_secret(request, word, SecretKind.TOKEN)
        if secret is None:
            raise unauthorized("the token is not valid")
        return Visitor(secret.author, SecretKind.TOKEN, secret.scope)
    word = session_word(request)
    secret = found_secret(request, word, SecretKind.SESSION) if word else None
    if secret is None:
        return Visitor("")
    return Visitor(secret.author, SecretKind.SESSION, secret.scope, secret.administrates)


def found_secret(request: Request, word: str, kind: SecretKind) -> Secret | None:
    """Return what a secret stands for; None if it is not valid, which is counted.

    Raises RequestError for one that is not valid after too many of its kind from the address.
    """
    served = served_by(request)
    with Secrets(served.folder) as secrets:
        if secret := secrets.find(word, kind):
            return secret
    if kind is SecretKind.SESSION:
        forget_cookie(request)
    if not served.tries[kind].take(client_of(request)):
        raise RequestError(429, "too many tries", "wait a minute", {"Retry-After": "60"})
    return None


def own_secret(request: Request) -> str:
    """Return the id of the session that a request came with."""
    return id_of(session_word(request))


def forget_cookie(request: Request) -> None:
    """Let the answer delete the cookie of the browser."""
    request.state.forgets_cookie = True


def session_word(request: Request) -> str:
    """Return the secret of a browser's session; "" if it sent none."""
    return request.cookies.get(cookie_of(request), "")


def remember(request: Request, response: Response, session: str) -> None:
    """Give a browser the cookie of its session."""
    response.headers["Set-Cookie"] = _set(request, session, round(LASTS[SecretKind.SESSION]))


def deletion(request: Request) -> str:
    """Return the header that takes the cookie back."""
    return _set(request, '""', 0)


def _set(request: Request, value: str, seconds: int) -> str:
    path = f"{where_of(request).path}/"
    secure = "" if where_of(request).plain else "; Secure"
    ends = f"HttpOnly; Max-Age={seconds}; Path={path}; SameSite=lax{secure}"
    return f"{cookie_of(request)}={value}; {ends}"


def cookie_of(request: Request) -> str:
    """Return the name of the cookie of a session."""
    if where_of(request).plain:
        return COOKIE_PLAIN
    return COOKIE_BELOW if where_of(request).path else COOKIE


def forgets_cookie(request: Request) -> bool:
    """Tell whether the answer must delete the cookie of the browser."""
    return getattr(request.state, "forgets_cookie", False)


def unauthorized(what: str) -> RequestError:
    """Return the refusal of a visitor who is not known."""
    return RequestError(401, what, _LOGIN, {"WWW-Authenticate": "Bearer"})


def author_of(request: Request) -> Visitor:
    """Return the author who asks; raises RequestError for anybody else."""
    visitor = visitor_of(request)
    if not visitor.author:
        raise unauthorized("this is for authors who are logged in")
    return visitor


def submitter_of(request: Request) -> Visitor:
    """Return the author who asks and may submit: not by a token that only reads."""
    visitor = author_of(request)
    if visitor.scope is Scope.READ:
        hint = "make one that submits on the page 'Account' of the door"
        raise RequestError(403, "the token can read only", hint)
    return visitor


def session_of(request: Request) -> Visitor:
    """Return the author who asks by a browser; a token can do less."""
    visitor = author_of(request)
    if not visitor.has_session:
        raise RequestError(403, "a token opens no pages", "log in with a browser")
    return visitor


def administrator_of(request: Request) -> Visitor:
    """Return the administrator who asks; others are not told that there is anything."""
    visitor = visitor_of(request)
    if visitor.administrates:
        return visitor
    if visitor.scope is Scope.ADMINISTRATOR:
        hint = "make a new link: arena ladder invite --admin"
        raise RequestError(403, "the link was made more than 12 hours ago", hint)
    raise RequestError(404, NOT_FOUND)


def browser_of(request: Request) -> str:
    """Return a few words by which people know one of their browsers: "Firefox, Linux"."""
    agent = request.headers.get("user-agent", "")
    browser = next((word for word in _BROWSERS if word in agent), "")
    system = next((word for word in _SYSTEMS if word in agent), "")
    return ", ".join(filter(None, (browser, system))) or "another browser"


def may_see(visitor: Visitor, author: str) -> None:
    """Raise RequestError for what another author owns: not even that it exists is told."""
    if not visitor.administrates and visitor.author.lower() != author.lower():
        raise RequestError(404, NOT_FOUND)
