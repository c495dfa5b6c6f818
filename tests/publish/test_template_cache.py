"""Compiled templates: kept for the next report, and never in its way."""

import marshal
import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from arena.publish.templates import TemplateCache, environment


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "page.html").write_text("{{ 1 + 1 }} {{ name }}")
    return tmp_path


def render(folder: Path, monkeypatch: pytest.MonkeyPatch, filters: bytes = b"1") -> tuple[str, int]:
    """Render the page as a new process would; return it, and how many templates were compiled."""
    env = Environment(
        loader=FileSystemLoader(folder),
        bytecode_cache=TemplateCache(folder, filters),
        autoescape=True,
    )
    made: list[str] = []

    def compiling(source: str, filename: str) -> object:
        made.append(filename)
        return compile(source, filename, "exec")

    monkeypatch.setattr(env, "_compile", compiling)
    return env.get_template("page.html").render(name="<b>"), len(made)


def kept(folder: Path) -> Path:
    [path] = (folder / "__pycache__").iterdir()
    return path


def test_the_next_process_compiles_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert render(folder, monkeypatch) == ("2 &lt;b&gt;", 1)
    assert render(folder, monkeypatch) == ("2 &lt;b&gt;", 0)


def test_a_template_that_changed_is_compiled_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    render(folder, monkeypatch)
    before = kept(folder)
    (folder / "page.html").write_text("{{ 2 + 1 }} {{ name }}")
    assert render(folder, monkeypatch) == ("3 &lt;b&gt;", 1)
    assert kept(folder) == before


def test_templates_are_compiled_again_when_the_filters_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    render(folder, monkeypatch)
    assert render(folder, monkeypatch, b"2")[1] == 1
    assert render(folder, monkeypatch, b"2")[1] == 0


@pytest.mark.parametrize("length", [0, 3, 40, 200])
def test_damaged_cache_file_is_compiled_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    render(folder, monkeypatch)
    path = kept(folder)
    path.write_bytes(path.read_bytes()[:length])
    assert render(folder, monkeypatch) == ("2 &lt;b&gt;", 1)
    assert render(folder, monkeypatch)[1] == 0


def test_a_changed_byte_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the code itself, of which Python believes its own compiled files, too."""
    render(folder, monkeypatch)
    path = kept(folder)
    whole = path.read_bytes()
    code = whole.index(marshal.dumps(compile("", "", "exec"))[:1])
    for at in range(code):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert render(folder, monkeypatch)[0] == "2 &lt;b&gt;", at


def test_unwritable_folder_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "__pycache__").write_text("in the way")
    assert render(folder, monkeypatch) == ("2 &lt;b&gt;", 1)
    assert (folder / "__pycache__").is_file()


def test_no_file_is_written_if_python_writes_no_bytecode(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    render(folder, monkeypatch)
    assert not (folder / "__pycache__").exists()


def test_the_templates_of_the_site_are_cached() -> None:
    assert isinstance(environment().bytecode_cache, TemplateCache)
