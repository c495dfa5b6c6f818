"""`arena doctor`: what it prints of its findings, and its exit code."""

import json

import pytest

from arena.bots.sandboxes.doctor import GUARANTEES, GuaranteeResult, SandboxReport
from arena.bots.sandboxes.registry import SANDBOXES
from arena.cli.doctor import show

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
