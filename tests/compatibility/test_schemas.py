"""What is promised of formats: it may be added to, and nothing of it goes."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from arena.io.renamed import Renamed
from tests.cli.every_command import every_command
from tests.compatibility import declared
from tests.compatibility.declared import FOLDER, READ, broken, kept, text_of
from tests.compatibility.printed import PRINTED, SILENT

KEPT = kept()


@pytest.fixture(scope="module")
def now() -> dict[str, dict[str, Any]]:
    return declared.declared()


def test_all_that_was_promised_is_kept(now: dict[str, Any]) -> None:
    assert broken(KEPT, now) == []


def test_files_are_those_that_make_schemas_writes(now: dict[str, Any]) -> None:
    stale = [
        name
        for name, schema in now.items()
        if name not in KEPT or text_of(schema) != (FOLDER / f"{name}.json").read_text()
    ]
    assert stale == [], "run: make schemas"


def test_every_command_declares_what_it_prints() -> None:
    assert every_command().keys() - SILENT == PRINTED.keys()


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects with keys inside a schema."""
    if isinstance(node, list):
        for item in node:
            yield from objects(item)
    elif isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and node["properties"]:
            yield node
        for key, value in node.items():
            yield from () if key == "if" else objects(value)


@pytest.mark.parametrize("name", KEPT)
def test_key_that_is_renamed_in_any_object_is_named(name: str) -> None:
    changed = deepcopy(KEPT[name])
    for node in objects(changed):
        key, about = next(iter(node["properties"].items()))
        del node["properties"][key]
        gone = broken({name: KEPT[name]}, {name: changed})
        assert gone
        assert f".{key}" in gone[0]
        node["properties"][key] = about


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
CHANGES: list[tuple[str, dict[str, Any], dict[str, Any], list[str]]] = [
    ("stored/x", of(a=NUMBER), of(a=NUMBER, b={**TEXT, "default": ""}), []),
    ("stored/x", of(a=NUMBER), of(a={"anyOf": [NUMBER, {"type": "null"}]}), []),
    ("stored/x", of(a=NUMBER), of(a=TEXT), ["$.a: integer"]),
    ("stored/x", of(a=NUMBER), of(), ["$.a: integer", "$.a: known"]),
    (
        "stored/x",
        of(a={**NUMBER, "default": 1}),
        of(a={**NUMBER, "default": 2}),
        ["$.a: 1 if it is left out"],
    ),
    ("printed/x", of(a={**NUMBER, "default": 1}), of(a={**NUMBER, "default": 2}), []),
    (
        "stored/x",
        of(a=NUMBER),
        {**of(a=NUMBER, b=TEXT), "required": ["b"]},
        ["$.b: must be there now"],
    ),
    ("printed/x", of(a=NUMBER), {**of(a=NUMBER, b=TEXT), "required": ["b"]}, []),
    ("printed/x", {"enum": ["a", "b"]}, {"enum": ["a"]}, ["$: 'b'"]),
    (
        "printed/x",
        {"type": "array", "items": of(a=NUMBER)},
        {"type": "array", "items": of(b=NUMBER)},
        ["$[].a: integer", "$[].a: known"],
    ),
]


@pytest.mark.parametrize(("name", "before", "after", "gone"), CHANGES)
def test_change_of_a_schema(
    name: str, before: dict[str, Any], after: dict[str, Any], gone: list[str]
) -> None:
    assert broken({name: before}, {name: after}) == [f"{name}: {line}" for line in gone]


def test_name_that_still_works_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (
        Renamed("LeagueFile", "limits.reply", "limits.answer", "9.0"),
        Renamed("arena rules", "--versus", "--diff", "9.0"),
        Renamed("arena ladder", "show", "list", "9.0"),
    )
    option, show = {"rules": of(**{"--versus": {}})}, {"ladder show": of(), "judge": of()}
    before = {
        "written/league.yaml": of(limits=of(reply=NUMBER, replies=NUMBER)),
        "written/commands": of(**option, **show),
    }
    after = {"written/league.yaml": of(limits=of()), "written/commands": of(rules=of())}
    monkeypatch.setattr(declared, "RENAMED", entries)
    gone = {line.partition(": ")[2].partition(":")[0] for line in broken(before, after)}
    assert gone == {"$.limits.replies", "$.judge"}


def test_make_schemas_takes_no_promise_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "declared", lambda: {"written/league.yaml": of()})
    with pytest.raises(SystemExit, match=r"written/league.yaml: \$.bots: known"):
        declared.write()


def test_folders_that_later_versions_read_are_there() -> None:
    assert {name.partition("/")[0] for name in KEPT} > READ
