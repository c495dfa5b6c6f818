"""The description of the API, made of the types that answer and validate."""

from functools import cache
from typing import Any

from arena import __version__
from arena.io.structs import components
from arena.ladder.book.tables import CheckResult
from arena.ladder.door import api
from arena.ladder.door.door import MOST_NOTE
from arena.ladder.web.visitors import COOKIE

_REF = "#/components/schemas/{name}"
_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_TYPES = (
    api.Problem,
    api.Health,
    api.Me,
    *(event.payload for event in api.FEED),
    api.Receipt,
    CheckResult,
    api.StandingsInfo,
    api.OrderRequest,
    api.OrderReceipt,
)
_TOKEN: dict[str, list[str]] = {"token": []}
_SESSION: dict[str, list[str]] = {"session": []}
_AUTHOR = [_TOKEN, _SESSION]
_EVERY = ("421", "429", "503")
"""Any request may be for another host, one too many, or come while a file cannot be used."""
_NUMBER = "^[0-9]{1,9}$"
_BOT = ("bot", r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")
_VERSION = (
    "version",
    r"^([A-Za-z0-9][A-Za-z0-9_-]{0,31}/)?[A-Za-z0-9][A-Za-z0-9_-]{0,31}@[1-9][0-9]{0,8}$",
)


@cache
def document(path: str = "", cookie: str = COOKIE) -> dict[str, Any]:
    """Return the OpenAPI document of a door below a path, whose sessions are in a cookie."""
    _, schemas = components(_TYPES, _REF)
    schemas["OrderRequest"]["oneOf"] = _order_cases()
    return {
        "openapi": "3.1.0",
        "info": {"title": "The door of a Perudo ladder", "version": __version__},
        "servers": [{"url": path or "/"}],
        "paths": _paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": cookie},
            },
        },
    }


def _paths() -> dict[str, Any]:
    events = _stream("followLadder", api.Audience.EVERYBODY, ("401",), ())
    standings = _operation(
        "getStandings",
        "How the versions stand as the season is played",
        {"200": "StandingsInfo"},
        ("404",),
    )
    described = _operation("getDescription", "This document", {}, ())
    described["responses"]["200"] = {
        "description": "OpenAPI",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    numbers = [_path("fixture", _NUMBER), _path("game", _NUMBER)]
    replay = _operation(
        "getReplay", "A published replay, step by step", {}, ("404",), parameters=numbers
    )
    replay["responses"]["200"] = {
        "description": "The fixture, its seats and the replay",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    orders = _operation(
        "giveOrder",
        "Ask the ladder to do something, as an administrator",
        {"202": "OrderReceipt"},
        ("400", "401", "403", "404", "408", "409", "413", "503"),
        security=[_SESSION],
        body={"application/json": {"schema": _ref("OrderRequest")}},
    )
    paths = {
        **_of_authors(),
        "/ladder": {"get": _operation("getLadder", "How the ladder is", {"200": "LadderInfo"}, ())},
        "/ladder/standings": {"get": standings},
        "/ladder/events": {"get": events},
        "/ladder/replays/{fixture}/{game}": {"get": replay},
        "/openapi.json": {"get": described},
        "/orders": {"post": orders},
    }
    health = _operation(
        "getHealth", "Whether the ladder runs", {"200": "Health", "503": "Health"}, ()
    )
    return {**{f"/api/v1{path}": of for path, of in paths.items()}, "/healthz": {"get": health}}


def _of_authors() -> dict[str, Any]:
    put = _operation(
        "submitVersion",
        "Submit an archive of a bot's folder as a new version; on the disk when answered",
        {"201": "Receipt", "200": "Receipt"},
        ("400", "401", "403", "404", "408", "409", "413", "503", "507"),
        security=_AUTHOR,
        parameters=[_path(*_BOT), _DIGEST, _NOTE],
        body=_BINARY,
    )
    me = _operation(
        "getMe", "Who asks, what they may still submit", {"200": "Me"}, ("401",), security=_AUTHOR
    )
    version = _operation(
        "getVersion",
        "How a version is, for its author",
        {"200": "VersionInfo"},
        ("401", "404"),
        security=_AUTHOR,
        parameters=[_path(*_VERSION)],
    )
    check = _operation(
        "getCheck",
        "The result of the last check of a version, with build output and standard error",
        {"200": "CheckResult"},
        ("401", "404"),
        security=_AUTHOR,
        parameters=[_path(*_VERSION)],
    )
    events = _stream(
        "followVersion",
        api.Audience.AUTHOR,
        ("401", "404"),
        _AUTHOR,
        parameters=[_path(*_VERSION), _LAST_EVENT],
    )
    archive = _operation(
        "getArchive",
        "What was submitted as a version: the canonical archive of its files",
        {},
        ("401", "404"),
        security=_AUTHOR,
        parameters=[_path(*_VERSION)],
    )
    why = _operation(
        "getWhy",
        "Why a version loses, as the coach judges its games: its leaks, its worst decisions",
        {},
        ("401", "404"),
        security=_AUTHOR,
        parameters=[_path(*_VERSION)],
    )
    why["responses"]["200"] = {
        "description": "What `arena coach --json` says of its decisions",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    games = _operation(
        "getGames",
        "The newest games of a version, step by step, the newest first",
        {},
        ("401", "404"),
        security=_AUTHOR,
        parameters=[_path(*_VERSION)],
    )
    games["responses"]["200"] = {
        "description": "A JSON object a line",
        "content": {"application/jsonl": {"schema": {"type": "string"}}},
    }
    binary = {"type": "string", "format": "binary"}
    content = {"application/x-tar": {"schema": binary}}
    archive["responses"]["200"] = {"description": "A tar archive", "content": content}
    return {
        "/bots/{bot}/versions": {"put": put},
        "/me": {"get": me},
        "/versions/{version}": {"get": version},
        "/versions/{version}/check": {"get": check},
        "/versions/{version}/archive": {"get": archive},
        "/versions/{version}/why": {"get": why},
        "/versions/{version}/games": {"get": games},
        "/versions/{version}/events": {"get": events},
    }


def _order_cases() -> list[dict[str, Any]]:
    """Return what an order says beside its reason, by what it is: of other fields, nothing."""
    empty: dict[str, Any] = {"version": {"const": ""}, "author": {"const": ""}}
    empty["uploads"] = {"type": "null"}
    given: dict[str, Any] = {"version": {"minLength": 1}, "author": {"minLength": 1}}
    given["uploads"] = {"type": "integer"}
    cases = []
    for needs in dict.fromkeys(api.ORDER_NEEDS.values()):
        actions = [action for action, fields in api.ORDER_NEEDS.items() if fields == needs]
        fields = {name: given[name] if name in needs else empty[name] for name in empty}
        properties = {"what": {"enum": actions}, **fields}
        cases.append({"properties": properties, "required": ["what", *sorted(needs)]})
    return cases


_DIGEST = {
    "name": "Content-Digest",
    "in": "header",
    "required": False,
    "description": "The SHA-256 of the body (RFC 9530): it is checked",
    "schema": {"type": "string", "pattern": "^sha-256=:[A-Za-z0-9+/]{43}=:$"},
}
_NOTE = {
    "name": "note",
    "in": "query",
    "required": False,
    "description": "The author's own words on the version, for its page",
    "schema": {"type": "string", "maxLength": MOST_NOTE, "pattern": "^[ -~]*$"},
}
_LAST_EVENT = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The `id` of the last line of the log that was heard: it goes on after that one",
    "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
}


def _path(name: str, pattern: str) -> dict[str, Any]:
    schema = {"type": "string", "pattern": pattern}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _operation(
    name: str,
    summary: str,
    answers: dict[str, str],
    problems: tuple[str, ...],
    security: list[dict[str, list[str]]] | None = None,
    parameters: list[dict[str, Any]] | None = None,
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": _problems(problems),
    }
    for status, answer in answers.items():
        content = {"application/json": {"schema": _ref(answer)}}
        operation["responses"][status] = {"description": answer, "content": content}
    if security:
        operation["security"] = security
    if parameters:
        operation["parameters"] = parameters
    if body:
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _stream(
    name: str,
    audience: api.Audience,
    problems: tuple[str, ...],
    security: list[dict[str, list[str]]] | tuple[()],
    parameters: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    events = [
        f"`{event.name}` ({event.payload.__name__}), {event.sent}"
        for event in api.events_for(audience)
    ]
    summary = f"Server-sent events: {'; '.join(events)}"
    operation = _operation(name, summary, {}, problems, list(security), parameters)
    content = {"text/event-stream": {"schema": {"type": "string"}}}
    operation["responses"]["200"] = {"description": "Server-sent events", "content": content}
    return operation


def _problems(statuses: tuple[str, ...]) -> dict[str, Any]:
    content = {api.MIME: {"schema": _ref("Problem")}}
    problem = {"description": "Problem", "content": content}
    return dict.fromkeys((*statuses, *_EVERY), problem)


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
