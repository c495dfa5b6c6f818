"""`arena doctor`: what it prints of its findings, and its exit code."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from arena.bots.sandboxes.doctor import GUARANTEES, GuaranteeResult, SandboxReport
from arena.bots.sandboxes.registry import SANDBOXES
from arena.cli.doctor import program_note, show
from tests.cli.command import ROOT

STRONGEST = next(iter(SANDBOXES))


def reports(*broken: str, **missing: tuple[str, ...]) -> list[SandboxReport]:
    """Return a report for each sandbox, by the names of broken ones and missing guarantees."""
    return [
        SandboxReport(name, name != "process", "it is\x1bbroken", ())
        if name in broken
        else SandboxReport(name, name != "process", "", findings(*missing.get(name, ())))
        for name in SANDBOXES
    ]


def findings(*missing: str) -> tuple[GuaranteeResult, ...]:
    return tuple(
        GuaranteeResult(
            key, key not in missing, f"saw {key}", "" if key not in missing else "do this"
        )
        for key in GUARANTEES
    )


def test_safe_sandbox_has_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert show(reports(), STRONGEST, as_json=False) == 0
    out = capsys.readouterr().out
    for words in GUARANTEES.values():
        assert f"{words} " in out
    assert f"auto takes {STRONGEST}, which is safe for untrusted bots" in out
    assert "NO" not in out.replace("NOT", "")


def test_missing_guarantee_is_shown_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert show(reports(**{STRONGEST: ("total_memory",)}), STRONGEST, as_json=False) == 0
    out = capsys.readouterr().out
    assert f"{STRONGEST}, {GUARANTEES['total_memory']}: no (saw total_memory); do this\n" in out


def test_missing_essential_guarantee_has_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert show(reports(**{STRONGEST: ("network",)}), STRONGEST, as_json=False) == 1
    assert "NOT safe for untrusted bots" in capsys.readouterr().out


def test_process_sandbox_is_not_safe(capsys: pytest.CaptureFixture[str]) -> None:
    broken = [name for name in SANDBOXES if name != "process"]
    assert show(reports(*broken), "process", as_json=False) == 1
    out = capsys.readouterr().out
    assert "auto takes process, which is NOT safe for untrusted bots" in out
    assert "bubblewrap does not work here: it is\\x1bbroken\n" in out


def test_json_has_all_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert show(reports(process=("network", "files")), STRONGEST, as_json=True) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["auto"] == STRONGEST
    assert printed["safe_for_untrusted_bots"] is True
    assert [each["sandbox"] for each in printed["sandboxes"]] == list(SANDBOXES)
    process = next(each for each in printed["sandboxes"] if each["sandbox"] == "process")
    missing = [each["guarantee"] for each in process["findings"] if not each["holds"]]
    assert missing == ["network", "files"]


HERE = Path(sys.executable).parent
OTHERS = {
    "another program": "#!/usr/bin/python3\nfrom arena_cli import main\n",
    "installed elsewhere": "#!/opt/other/bin/python\nfrom arena.cli.quick import main\n",
}


def on_path(folder: Path, script: str) -> Path:
    path = folder / "arena"
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("said", OTHERS)
def test_arena_on_the_path_that_is_not_this_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    path = on_path(tmp_path, OTHERS[said])
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    show(reports(), STRONGEST, as_json=False)
    [line] = [one for one in capsys.readouterr().out.splitlines() if str(path) in one]
    assert said in line


@pytest.mark.parametrize("script", ["", f"#!{HERE}/python3\nfrom arena.cli.quick import main\n"])
def test_own_script_or_none_is_not_worth_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    if script:
        on_path(tmp_path, script)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program_note() == ""


def test_both_names_are_the_same_program() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts["perudo-arena"] == scripts["arena"]
    assert scripts["arena"].partition(":")[0] == "arena.cli.quick"
