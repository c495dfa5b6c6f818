"""`arena doctor`: what it prints of what was found, and its exit code."""

import json
from collections.abc import Callable

import pytest

from arena.cli import doctor
from arena.cli.main import run
from arena.sandboxes.doctor import GUARANTEES, Finding, SandboxReport
from arena.sandboxes.registry import SANDBOXES

Say = Callable[..., None]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Let the sandboxes be found as a test says: names of broken ones, and promises not kept."""

    def said(*broken: str, **lacking: tuple[str, ...]) -> None:
        working = [name for name in SANDBOXES if name not in broken]

        def examined(name: str, _make: object) -> SandboxReport:
            if name in broken:
                return SandboxReport(name, name != "process", "it is\x1bbroken", ())
            lacks = lacking.get(name, ())
            findings = [
                Finding(key, key not in lacks, f"seen {key}", "" if key not in lacks else "do this")
                for key in GUARANTEES
            ]
            return SandboxReport(name, name != "process", "", tuple(findings))

        monkeypatch.setattr(doctor, "examine", examined)
        monkeypatch.setattr(doctor, "make_sandbox", lambda _name: SANDBOXES[working[0]]())

    return said


def test_all_is_well(say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    say()
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    strongest = next(iter(SANDBOXES))
    for words in GUARANTEES.values():
        assert f"{words} " in out
    assert f"auto takes {strongest}, which is fit for bots that nobody vetted" in out
    assert "NO" not in out.replace("NOT", "")


def test_what_is_missing_is_said_with_how_to_get_it(
    say: Say, capsys: pytest.CaptureFixture[str]
) -> None:
    strongest = next(iter(SANDBOXES))
    say(**{strongest: ("tree",)})
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"{strongest}, {GUARANTEES['tree']}: no (seen tree); do this\n" in out


def test_an_essential_promise_is_not_kept(say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    say(**{next(iter(SANDBOXES)): ("network",)})
    assert run(["doctor"]) == 1
    assert "NOT fit for bots that nobody vetted" in capsys.readouterr().out


def test_without_one_that_isolates(say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    say(*(name for name in SANDBOXES if name != "process"))
    assert run(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "auto takes process, which is NOT fit for bots that nobody vetted" in out
    assert "bubblewrap does not work here: it is\\x1bbroken\n" in out


def test_as_data(say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    say(process=("network", "files"))
    assert run(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["auto"] == next(iter(SANDBOXES))
    assert told["fit_for_strangers"] is True
    assert [each["sandbox"] for each in told["sandboxes"]] == list(SANDBOXES)
    process = next(each for each in told["sandboxes"] if each["sandbox"] == "process")
    assert [one["promise"] for one in process["findings"] if not one["kept"]] == [
        "network",
        "files",
    ]
