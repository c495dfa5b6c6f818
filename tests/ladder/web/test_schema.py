"""The API keeps to its own description, whatever it is asked."""

import json
from typing import Any

import jsonschema
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from arena.ladder.door import api
from arena.ladder.door.access import Scope
from arena.ladder.web.openapi import document
from tests.ladder.web.doors import Door
from tests.support.depth import depth

OPERATIONS = [
    (method, path)
    for path, methods in document()["paths"].items()
    for method in methods
    if not path.endswith("/events")  # streams do not end
]
KEPT = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
EXAMPLES = depth(4, 60)


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=map(" ".join, OPERATIONS))
def test_answers_are_those_that_are_described(door: Door, method: str, path: str) -> None:
    found: Any = schemathesis.openapi.from_dict(document())
    operation = found[path][method]
    # It is an answer, too, that the ladder is down.
    kept = [name for name in KEPT if path != "/healthz" or name != "not_a_server_error"]
    checks = [CHECKS.get_one(name) for name in kept]
    who = [{}, door.token("ann"), door.session("root", Scope.ADMINISTRATOR)]
    modes = [operation.as_strategy(mode) for mode in GenerationMode if may(operation, mode)]

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
    )
    @given(case=st.one_of(modes), headers=st.sampled_from(who))
    def asked(case: Any, headers: dict[str, str]) -> None:
        if headers:  # in place of those that are made up
            case.headers = {
                k: v for k, v in (case.headers or {}).items() if k.lower() != "authorization"
            }
            case.cookies = {}
        response = case.call(base_url=door.base, headers=headers)
        case.validate_response(response, checks=checks)

    asked()


def may(operation: Any, mode: GenerationMode) -> bool:
    """Tell whether there is anything that can be asked wrongly."""
    return mode is GenerationMode.POSITIVE or bool(list(operation.iter_parameters()))


def test_the_description_has_every_type_that_is_answered() -> None:
    named = document()["components"]["schemas"].keys()
    kinds = [one for one in vars(api).values() if isinstance(one, type)]
    ours = {one for one in kinds if one.__module__ == api.__name__}
    assert {one.__name__ for one in ours if issubclass(one, msgspec.Struct)} <= named


def test_every_operation_has_a_name_of_its_own() -> None:
    operations = [of for methods in document()["paths"].values() for of in methods.values()]
    names = [operation["operationId"] for operation in operations]
    assert len({*names}) == len(operations)


def test_streams_are_described_with_the_header_that_goes_on() -> None:
    stream = document()["paths"]["/api/v1/versions/{version}/events"]["get"]
    assert "Last-Event-ID" in [parameter["name"] for parameter in stream["parameters"]]


@pytest.mark.parametrize(
    "order",
    [
        {"what": "rest", "version": "none@1"},
        {"what": "rest", "version": "none@1", "author": "", "uploads": None, "why": "so"},
        {"what": "rest"},
        {"what": "rest", "version": "none@1", "author": "ann"},
        {"what": "quota", "author": "none", "uploads": 7},
        {"what": "quota", "author": "none"},
        {"what": "quota", "author": "none", "uploads": 7, "version": "none@1"},
        {"what": "quota", "author": "none", "uploads": 0},
        {"what": "season close", "version": "none@1"},
        {"what": "strike", "version": "none@1", "why": "x" * 501},
        {"what": "dance"},
        {"what": "forget", "author": "none"},
    ],
)
def test_orders_that_are_none_are_described_as_such(door: Door, order: dict[str, Any]) -> None:
    described = {"$ref": "#/components/schemas/OrderRequest", **document()}
    is_described = jsonschema.Draft202012Validator(described).is_valid(order)
    root = {**door.session("root", Scope.ADMINISTRATOR), "Content-Type": "application/json"}
    answer = door.ask("/api/v1/orders", "POST", json.dumps(order), **root)
    assert is_described is (answer.status != 400), answer


@pytest.mark.parametrize("path", ["/api", "/api/none", "/healthz/none", "/api/v1/none"])
def test_programs_are_refused_in_their_language(door: Door, path: str) -> None:
    assert door.ask(path).problem()["status"] == 404


def test_the_description_is_served(door: Door) -> None:
    assert door.ask("/api/v1/openapi.json").json() == json.loads(json.dumps(document()))
