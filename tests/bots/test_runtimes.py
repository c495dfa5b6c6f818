"""The table of runtimes: what is made of it agrees with it."""

import re

import pytest

from arena.bots.command import how_to_get
from arena.bots.manifest import load_bot
from arena.bots.runtimes import KITS, OF_SAMPLES, RUNTIMES, toolchains
from tests.bots.languages_page import OF_DEBIAN, SECTION, markdown, of_debian
from tests.cli.command import ROOT


def test_page_has_every_runtime() -> None:
    assert SECTION.read() == markdown(), "make languages"
    assert OF_DEBIAN.read() == of_debian(), "make languages"


@pytest.mark.parametrize("language", KITS)
def test_kit_names_the_runtime_in_whose_row_it_is(language: str) -> None:
    manifest = (ROOT / "protocol/kits" / language / "bot.yaml").read_text()
    [runtime] = re.findall(r"^runtime: (\S+)$", manifest, re.MULTILINE) or ["any"]
    assert language in RUNTIMES[runtime].kits


@pytest.mark.parametrize("page", ["README.md", "docs/start/authors.md"])
def test_page_on_how_to_begin_names_every_language(page: str) -> None:
    text = (ROOT / page).read_text()
    [languages] = re.findall(r"^arena new my-bot --lang (.*)$", text, re.MULTILINE)
    # The others are for a policy that was trained and for a prompt: docs/guides/lab.md, models.md.
    to_write_in = {name for name, kit in KITS.items() if not kit.module and not kit.helper}
    assert {*re.findall(r"\w+", languages)} & KITS.keys() == to_write_in


def test_install_page_names_the_packages_of_every_language() -> None:
    words = {*re.findall(r"[\w.+-]+", (ROOT / "docs/reference/install.md").read_text())}
    packages = {
        name: packages.split() for name, packages in toolchains().items() if name != "python3"
    }
    assert {name: need for name, need in packages.items() if not words.issuperset(need)} == {}


def test_page_on_debugging_names_the_debugger_of_every_runtime() -> None:
    page = (ROOT / "docs/guides/debug.md").read_text()
    commands = {name: row.debugger.format(pid="PID") for name, row in RUNTIMES.items()}
    assert {name: command for name, command in commands.items() if command not in page} == {}


def test_every_folder_of_kits_is_in_a_row() -> None:
    folders = {path.name for path in (ROOT / "protocol/kits").iterdir() if path.is_dir()}
    assert folders == KITS.keys()


def test_sample_bots_need_the_runtimes_whose_images_are_built_unasked() -> None:
    folders = [path.parent for path in (ROOT / "sample_bots").glob("*/bot.yaml")]
    assert {load_bot(folder).info.runtime for folder in folders} == {*OF_SAMPLES}


@pytest.mark.parametrize("program", [name for row in RUNTIMES.values() for name in row.programs])
def test_hint_for_a_missing_program_names_its_packages(program: str) -> None:
    packages = next(row.programs[program] for row in RUNTIMES.values() if program in row.programs)
    assert packages in how_to_get([program], ROOT)
