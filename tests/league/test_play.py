"""Playing a league without a terminal: to its end, in parts, changed, and heard by a listener."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from textwrap import dedent

import pytest
from msgspec.structs import replace

from arena.cli.exit_codes import BAD_INPUT
from arena.game.records import Conditions, FixtureResult
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.league.play.dispatcher import OnResult, RunListener
from arena.league.play.league_run import RunRequest
from arena.league.schedule.progress import Verdict
from tests.cli.command import LOWEST, bot, run
from tests.league import leagues
from tests.league.store.edit import dump

SALT = "no salt is mixed into the master seed: all bots came with the arena"


class Recorder(RunListener):
    """Writes down what it hears, and stops the run after some fixtures."""

    def __init__(self, stop_after: float = float("inf")) -> None:
        self.conditions: Conditions | None = None
        self.notes: list[str] = []
        self.left: int | None = None
        self.played: list[str] = []
        self.verdicts: list[Verdict] = []
        self.stops = 0
        self._stop_after = stop_after

    def started(self, conditions: Conditions) -> None:
        self.conditions = conditions

    def note(self, text: str) -> None:
        self.notes.append(text)

    @contextmanager
    def progress(self, fixtures: int) -> Iterator[OnResult]:
        self.left = fixtures

        def on_result(result: FixtureResult | None) -> None:
            self.played += [result.fixture.id] if result else []

        yield on_result

    def stop_requested(self) -> bool:
        return len(self.played) >= self._stop_after

    def stopping(self) -> None:
        self.stops += 1

    def verdict(self, verdict: Verdict, conditions: Conditions) -> None:
        assert conditions == self.conditions
        self.verdicts.append(verdict)


def request(folder: Path, **changes: object) -> RunRequest:
    league = leagues.write_league(folder, **{"players": [2], **changes})
    return RunRequest(league, folder / "store", workers=1)


def test_league_is_played_to_its_end(tmp_path: Path) -> None:
    listener = Recorder()
    outcome = leagues.play_league(request(tmp_path), listener)
    assert (outcome.finished, outcome.stored) == (True, 6)
    assert outcome.conditions == listener.conditions
    # Fixtures that share dice and a bot wait for each other, so they may end in another order.
    assert sorted(id_ for id_, _ in leagues.records(tmp_path / "store")) == sorted(listener.played)
    assert (listener.left, listener.notes, listener.verdicts, listener.stops) == (6, [SALT], [], 0)


def test_stopped_league_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first, second = Recorder(stop_after=2), Recorder()
    outcome = leagues.play_league(request(tmp_path), first)
    assert (outcome.finished, outcome.stored) == (False, len(first.played))
    assert 2 <= len(first.played) < 6
    assert first.stops == 1
    assert leagues.play_league(request(tmp_path), second).finished
    assert second.notes == [SALT, f"stored already: {len(first.played)} of 6 fixtures"]
    assert second.left == len(second.played) == 6 - len(first.played)
    whole = tmp_path / "whole"
    whole.mkdir()
    leagues.play_league(request(whole))
    assert leagues.records(tmp_path / "store") == leagues.records(whole / "store")


def test_finished_league_is_not_played_again(tmp_path: Path) -> None:
    leagues.play_league(request(tmp_path))
    listener = Recorder()
    assert leagues.play_league(request(tmp_path), listener).finished
    assert (listener.left, listener.notes) == (None, [SALT, "stored already: 6 of 6 fixtures"])


def test_finished_league_starts_no_bot(tmp_path: Path) -> None:
    started = tmp_path / "started"
    source = f"open({str(started)!r}, 'a').write('.')\n{dedent(LOWEST)}"
    folder = bot(tmp_path / "noted", source)
    asked = request(tmp_path, bots=[str(folder), "sample:honest"], blocks=2)
    trusting = replace(asked, trust_bots=True)
    assert leagues.play_league(trusting).finished
    starts = started.read_text()
    assert leagues.play_league(trusting).finished
    assert started.read_text() == starts


def test_changed_league_is_played_only_if_that_is_accepted(tmp_path: Path) -> None:
    leagues.play_league(request(tmp_path))
    before = dump(tmp_path / "store")
    changed, listener = request(tmp_path, games=1), Recorder()
    with pytest.raises(ArenaError, match="games is 1, not 2: 6 of 6 stored fixtures would no long"):
        leagues.play_league(changed, listener)
    assert listener.conditions is None
    assert dump(tmp_path / "store") == before
    accepted = RunRequest(changed.league, changed.store, workers=1, accept_changes=True)
    outcome = leagues.play_league(accepted, listener)
    assert listener.notes == [
        "the league changed: games is 1, not 2: 6 of 6 stored fixtures no longer count",
        SALT,
    ]
    assert (outcome.finished, outcome.stored, len(listener.played)) == (True, 12, 6)


def test_verdict_is_told_of_each_division_that_stopped(tmp_path: Path) -> None:
    bots = ["sample:odds", "sample:random"]
    until = {"separated": 0.5}
    listener = Recorder()
    leagues.play_league(request(tmp_path, bots=bots, blocks=12, until=until, games=1), listener)
    [verdict] = listener.verdicts
    assert verdict.division == ("bga", 2)
    assert 8 <= verdict.blocks <= 12
    assert len(listener.played) == 2 * verdict.blocks


def test_bots_without_their_runtime_are_left_out_on_request(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    folder.mkdir()
    (folder / "bot.yaml").write_text("name: missing\ncommand: no-such-interpreter bot\n")
    bots = ["sample:honest", "sample:random", "missing"]
    asked = request(tmp_path, bots=bots)
    with pytest.raises(ArenaError, match="'missing' needs 'no-such-interpreter'"):
        leagues.play_league(RunRequest(asked.league, asked.store, trust_bots=True))
    listener = Recorder()
    skipping = RunRequest(asked.league, asked.store, trust_bots=True, skip_missing_runtimes=True)
    assert leagues.play_league(skipping, listener).stored == 2
    assert listener.notes[0].startswith("left out: missing (needs no-such-interpreter); to include")


def test_sample_bots_that_do_not_start_are_left_out_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a version of their runtime that does not work in the sandbox."""
    samples = tmp_path / "sample_bots"
    for name in ("honest", "random", "sick"):
        copytree(shipped.folder("sample_bots") / name.replace("sick", "honest"), samples / name)
    (samples / "sick" / "bot.py").write_text("import sys\nsys.exit('out of memory')\n")
    manifest = samples / "sick" / "bot.yaml"
    manifest.write_text(manifest.read_text().replace("honest", "sick"))
    real = shipped.folder
    monkeypatch.setattr(shipped, "folder", lambda of: samples if of == samples.name else real(of))
    asked = request(tmp_path, bots=["sample:honest", "sample:random", "sample:sick"])
    with pytest.raises(ArenaError, match=r"'sick' does not start: .* exit code 1: out of memory"):
        leagues.play_league(asked)
    listener = Recorder()
    assert leagues.play_league(replace(asked, skip_missing_runtimes=True), listener).stored == 2
    assert listener.notes[0] == (
        "left out: sick does not start: the program ended with exit code 1: out of memory;"
        f" see why: arena check {samples / 'sick'}"
    )


@pytest.mark.parametrize("cluster", ["", "nowhere", "local:0"])
def test_wrong_cluster_is_refused_before_the_league_is_read(tmp_path: Path, cluster: str) -> None:
    (tmp_path / "league.yaml").write_text("nonsense")
    ran = run("run", "league.yaml", "--cluster", cluster, cwd=tmp_path)
    assert ran.code == BAD_INPUT
    assert f"--cluster {cluster}" in ran.err
