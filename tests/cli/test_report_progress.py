"""The lines that tell how far a report is."""

from threading import Event

import pytest

from arena.cli import output


def test_a_report_that_takes_long_says_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with output.reporting() as tell:
        tell("pages")
    assert capsys.readouterr().err == ""
    said = Event()
    monkeypatch.setattr(output, "REPORT_SOON", 0)
    monkeypatch.setattr(output, "say", lambda text: said.set())
    with output.reporting() as tell:
        tell("fixtures: 3 of 9")
        assert said.wait(60)
