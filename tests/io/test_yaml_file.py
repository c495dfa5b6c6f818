"""YAML files: which values are read, limits, and where errors are, with either parser."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from arena.io import yaml_file
from arena.io.errors import ArenaError
from arena.io.yaml_file import locate, parse_yaml

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]


@pytest.fixture(params=LOADERS, autouse=True)
def loader(request: pytest.FixtureRequest) -> Iterator[None]:
    with mock.patch.object(yaml_file, "LOADER", request.param):
        yield


def _parse(tmp_path: Path, text: str) -> Any:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    return parse_yaml(tmp_path / "a.yaml")


def _refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(ArenaError) as refusal:
        _parse(tmp_path, text)
    return str(refusal.value).replace(f"{tmp_path}/", "")


VALUES: dict[str, object] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "False": False,
    "yes": "yes",
    "off": "off",
    "12": 12,
    "-7": -7,
    "+3": 3,
    "010": 10,
    "0o10": 8,
    "0x1f": 31,
    "1_000": "1_000",
    "1:59:59": "1:59:59",
    "2024-01-31": "2024-01-31",
    "1.5": 1.5,
    "-.5": -0.5,
    "1e3": 1000.0,
    ".inf": ".inf",
    ".nan": ".nan",
    "'12'": "12",
    '"true"': "true",
    "''": "",
    "=": "=",
    "<<": "<<",
    "[a, [1], {b: 2}]": ["a", [1], {"b": 2}],
    "&anchor x": "x",
    "| \n  one\n  two\n": "one\ntwo\n",
}


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_values_are_those_of_the_core_schema(tmp_path: Path, text: str, value: object) -> None:
    data, _ = _parse(tmp_path, f"key: {text}\n")
    assert data == {"key": value}
    assert type(data["key"]) is type(value)


def test_keys_are_texts(tmp_path: Path) -> None:
    data, _ = _parse(tmp_path, "1: a\nnull: b\non: c\n2024-01-31: d\n")
    assert data == {"1": "a", "null": "b", "on": "c", "2024-01-31": "d"}


def test_empty_file_and_byte_order_mark(tmp_path: Path) -> None:
    assert _parse(tmp_path, "") == (None, {})
    assert _parse(tmp_path, "# a comment\n") == (None, {})
    assert _parse(tmp_path, "\ufeffa: 1\n")[0] == {"a": 1}


def test_positions_count_characters(tmp_path: Path) -> None:
    _, positions = _parse(tmp_path, "é: [ä, 'ö', {ü: 1}]\nb:\n  - x\n")
    assert positions["$.é[1]"] == "1:8"
    assert positions["$.é[2].ü"] == "1:14"
    assert positions["$.b[0]"] == "3:5"


@pytest.mark.parametrize("value", ["$.a[b", "$.a]", "$.a.[x", "$.", "x[y"])
def test_value_with_brackets_in_its_name_is_located(value: str) -> None:
    assert locate(Path("f"), {"$": "1:1"}, value) == "f:1:1"


REFUSED = {
    "tag": ("a: !!bool x\n", "the tag tag:yaml.org,2002:bool is not supported / a.yaml:1:4"),
    "tag of a list": ("a: !!set [x]\n", "is not supported / a.yaml:1:4"),
    "tag of a key": ("!!int a: 1\n", "is not supported / a.yaml:1:1"),
    "tag without a name": ("a: ! 1\n", "the tag ! is not supported / a.yaml:1:4"),
    "alias": ("a: &x 1\nb: *x\n", "the alias *x is not supported / a.yaml:2:4"),
    "alias as a key": ("a: &x 1\n*x : 1\n", "the alias *x is not supported / a.yaml:2:1"),
    "list as a key": ("[a]: 1\n", "a list or a mapping / a.yaml:1:1"),
    "duplicate key": ("a: 1\n'a': 2\n", "duplicate key 'a' / a.yaml:2:1"),
    "long key": (f"{'k' * 101}: 1\n", "a key of more than 100 characters / a.yaml:1:1"),
    "long number": (f"a: {'9' * 101}\n", "a number of more than 100 characters / a.yaml:1:4"),
    "long hexadecimal": (f"a: 0x{'9' * 99}\n", "a number of more than 100 characters / a.yaml:1:4"),
    "deep list": ("a:\n " + "[" * 9, "values more than 8 deep in one another / a.yaml:2:10"),
    "very deep list": ("[" * 100_000, "values more than 8 deep in one another / a.yaml:1:10"),
    "very deep mapping": ("{a: " * 50_000, "values more than 8 deep in one another / a.yaml:1:37"),
    "many dashes": ("- " * 100_000, "values more than 8 deep in one another / a.yaml:1:19"),
    "long list": ("[" + "x," * 20_000, "more than 20,000 values / a.yaml:1:40000"),
    "many empty values": ("[" + "[]," * 40_000, "more than 20,000 values / a.yaml:1:"),
    "long list of times": ("[" + "1:59:59," * 100_000, "more than 20,000 values / a.yaml:1:"),
    "two documents": ("a: 1\n---\nb: 1\n", "a second document / a.yaml:2:1"),
    "control character": ("a: 1\né\0\n", r"the character '\x00' / a.yaml:2:2 / remove it"),
    "half a character": ('a: "\\ud800"\n', "/ a.yaml:1:"),
    "no character at all": ('a: "\\U99999999"\n', "/ a.yaml"),
    "large file": ("#" * 2**20 + "\n", "larger than 1,024 KiB / a.yaml"),
    "directive": ("%YAML 9.9\n--- a\n", "incompatible YAML document"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused_text_has_a_place(tmp_path: Path, text: str, reason: str) -> None:
    refusal = _refusal(tmp_path, text)
    assert reason in refusal
    assert "\n" not in refusal


def test_only_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    paths = [tmp_path / "fifo", tmp_path, Path("/dev/zero"), tmp_path / "loop", tmp_path / "x" / ""]
    for path in [*paths, tmp_path / ("x" * 256), Path("a\0b"), Path("a\ud800")]:
        with pytest.raises(ArenaError):
            parse_yaml(path)
