"""Reports without a terminal: after a run, of a store, and again whenever the store changes."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.league.run import play_and_report
from arena.game.records import Conditions
from arena.io.errors import ArenaError
from arena.league.changes import Change
from arena.league.keeping.prune import Plan, remove
from arena.league.play.dispatcher import RunListener
from arena.league.play.league_run import RunRequest
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.league.terms.conditions import conditions_of
from arena.publish import report as reports
from arena.publish.replays import NEWEST
from arena.publish.report import Report, ReportRequest, report, watch
from arena.publish.site import publish
from arena.publish.site_folder import MANIFEST
from arena.publish.stored import fixture_work, stored_games
from tests.league import leagues
from tests.league.store import edit
from tests.publish.pages import broken_links, everything, tree
from tests.support.drawn_schedules import let_go_before_rating
from tests.support.made_once import made_once

SALTED = f"7/{32 * 'a'}"


@pytest.fixture
def run(tmp_path: Path) -> RunRequest:
    """A request to play a small league."""
    league = leagues.write_league(tmp_path, players=[2], bots=["sample:honest", "sample:random"])
    return RunRequest(league, tmp_path / "store", workers=1)


@pytest.fixture(scope="session")
def _reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that league, played and reported."""

    def make(folder: Path) -> None:
        league = leagues.write_league(folder, players=[2], bots=["sample:honest", "sample:random"])
        played(RunRequest(league, folder / "store", workers=1), folder / "site")

    return made_once(tmp_path_factory, "small-report", make)


@pytest.fixture
def request_(run: RunRequest, _reported: Path, tmp_path: Path) -> ReportRequest:
    """A request to report that league again into its site, which has all replays."""
    shutil.copytree(_reported, tmp_path, dirs_exist_ok=True)
    return ReportRequest(run.league, run.store, tmp_path / "site", replays="all")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Conditions]:
    """The conditions of every schedule that is drawn."""
    found: list[Conditions] = []
    draw = Schedule.__init__

    def spy(
        schedule: Schedule,
        conditions: Conditions,
        changes: Sequence[Change] = (),
        encoded: Sequence[bytes] = (),
    ) -> None:
        found.append(conditions)
        draw(schedule, conditions, changes, encoded)

    monkeypatch.setattr(Schedule, "__init__", spy)
    return found


def played(run: RunRequest, site: Path) -> Report:
    outcome, written = play_and_report(run, site, "all", RunListener(), nullcontext())
    assert outcome.finished
    assert written
    return written


def test_run_ends_with_the_report_of_its_store(run: RunRequest, tmp_path: Path) -> None:
    written = played(run, tmp_path / "site")
    assert (written.games, written.left, written.quarantined) == (4, 0, [])
    assert written.front_page == tmp_path / "site/index.html"
    assert broken_links(tmp_path / "site") == []
    again = report(ReportRequest(run.league, run.store, tmp_path / "again", replays="all"))
    assert again.root == written.root
    assert tree(tmp_path / "again") == tree(tmp_path / "site")


def test_the_schedule_is_let_go_before_games_are_rated(
    request_: ReportRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = let_go_before_rating(reports, monkeypatch)
    assert report(replace(request_, site=tmp_path / "again")).left == 0
    assert schedules


class Noting:
    """Counts how often something is called."""

    def __init__(self, call: Callable[..., object]) -> None:
        self._call, self.calls = call, 0

    def __call__(self, *given: object, **named: object) -> object:
        self.calls += 1
        return self._call(*given, **named)


def unchanged(request: ReportRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Tell whether a report makes nothing anew."""
    noting = Noting(publish)
    with monkeypatch.context() as patch:
        patch.setattr(reports, "publish", noting)
        report(request)
    return not noting.calls


def settled(site: Path) -> None:
    """Let all files of a site be older than its manifest, as in one that takes long to write."""
    for path in site.rglob("*.*"):
        if path.name != MANIFEST:
            os.utime(path, ns=(0, 0))
    os.utime(site / MANIFEST)


def test_a_report_of_which_nothing_changed_makes_nothing(
    request_: ReportRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, site = replace(request_, replays=NEWEST), request_.site
    written = report(request_)
    assert not unchanged(request, monkeypatch)  # fewer replays are asked for
    settled(site)
    before = tree(site)
    assert unchanged(request, monkeypatch)
    assert tree(site) == before
    again = report(request)
    assert (again, again.data()) == (
        replace(again),
        {**written.data(), "site": again.data()["site"]},
    )


@pytest.mark.parametrize("name", ["index.html", "data/faults.csv"])
def test_files_of_a_site_that_were_changed_or_removed_are_written_again(
    request_: ReportRequest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    request, site = request_, request_.site
    before = tree(site)
    settled(site)
    (site / name).write_text("mine")
    assert not unchanged(request, monkeypatch)
    settled(site)
    (site / name).unlink()
    assert not unchanged(request, monkeypatch)
    assert tree(site) == before


def test_files_of_a_site_that_changed_places_are_written_again(
    request_: ReportRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, site = request_, request_.site
    settled(site)
    before = tree(site)
    assert unchanged(request, monkeypatch)
    (site / "style.css").rename(tmp_path / "one")
    (site / "index.html").rename(site / "style.css")
    (tmp_path / "one").rename(site / "index.html")
    assert not unchanged(request, monkeypatch)
    assert tree(site) == before


def test_other_options_and_pruned_logs_make_a_report_anew(
    request_: ReportRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, site = request_, request_.site
    whole = json.loads(request.league.read_text())
    request.league.write_text(json.dumps({**whole, "ratings": {"anchor": "honest"}}))
    for other in (request, replace(request, replays=1), replace(request, url="https://a.example")):
        settled(site)
        assert not unchanged(other, monkeypatch)
    settled(site)
    with Store(request.store, create=True) as store:
        remove(store, Plan([], store.positions(), 0, 0))
    assert not unchanged(replace(request, url="https://a.example"), monkeypatch)


def test_an_unchanged_report_refuses_a_damaged_store(request_: ReportRequest) -> None:
    settled(request_.site)
    edit.execute(request_.store, "UPDATE games SET rounds = rounds + 1")
    with pytest.raises(ArenaError, match="damaged"):
        report(request_)


@pytest.mark.parametrize("many", [1, fixture_work.MANY])
def test_rows_of_fixtures_that_are_not_read_are_checked(
    request_: ReportRequest, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    front = request_.site / "index.html"
    before = front.read_bytes()
    edit.execute(request_.store, "UPDATE games SET rounds = rounds + 1")
    monkeypatch.setattr(stored_games, "MANY", many)  # so many seats are checked in another process
    with pytest.raises(ArenaError, match="damaged"):
        report(replace(request_, url="https://a.example"))
    assert front.read_bytes() == before


def test_stopped_run_has_no_report(run: RunRequest, tmp_path: Path) -> None:
    class Stopper(RunListener):
        def stop_requested(self) -> bool:
            return True

    outcome, written = play_and_report(run, tmp_path / "site", "all", Stopper(), nullcontext())
    assert (outcome.finished, written) == (False, None)
    assert not (tmp_path / "site").exists()


@pytest.mark.slow
def test_one_schedule_is_drawn_and_continued_if_the_league_changes(
    run: RunRequest, tmp_path: Path, drawn: list[Conditions]
) -> None:
    for _ in ("begun", "finished"):
        played(run, tmp_path / "site")
        assert len(drawn) == 1
        drawn.clear()
    report(ReportRequest(run.league, run.store, tmp_path / "site"))
    assert len(drawn) == 1
    drawn.clear()
    whole = json.loads(run.league.read_text())
    run.league.write_text(json.dumps({**whole, "games": 1}))
    played(replace(run, accept_changes=True), tmp_path / "site")
    assert [conditions.games for conditions in drawn] == [2]


def test_unplayed_league_is_not_reported(run: RunRequest, tmp_path: Path) -> None:
    request = ReportRequest(run.league, run.store, tmp_path / "site")
    with pytest.raises(ArenaError, match="nothing was played yet"):
        report(request)
    Store(run.store, create=True).__exit__()
    with pytest.raises(ArenaError, match="nothing was played yet"):
        report(request)
    assert not request.site.exists()


@pytest.mark.slow
def test_watched_report_follows_the_league_and_ends_with_it(
    run: RunRequest, tmp_path: Path
) -> None:
    class Once(RunListener):
        def stop_requested(self) -> bool:
            with Store(run.store) as store:
                return bool(store.positions())

    leagues.write_league(tmp_path, players=[2], blocks=3)
    reports = watch(ReportRequest(run.league, run.store, tmp_path / "site"))
    assert next(reports) is None
    assert not leagues.play_league(run, Once()).finished
    written = next(reports)
    assert written
    assert 0 < written.left < 9
    assert leagues.play_league(run).finished
    assert [last.left if last else None for last in reports] == [0]


@pytest.mark.parametrize(
    ("given", "used", "reveals"),
    [
        (None, "x", True),
        (7, "7", True),
        (7, SALTED, False),
        (None, SALTED, False),
        (SALTED, SALTED, True),
    ],
)
def test_seed_that_is_given_whole_or_guessed_reveals_names(
    tmp_path: Path, given: object, used: str, reveals: bool
) -> None:
    plan = leagues.league(tmp_path, seed=given)
    request = ReportRequest(plan.path, tmp_path / "store", tmp_path / "site", anonymous=True)
    assert not request.reveals_seed()
    with Store(request.store, create=True) as store:
        store.begin(conditions_of(plan, "process", used))
    assert request.reveals_seed() == reveals
    assert replace(request, anonymous=False, key=tmp_path / "key").reveals_seed() == reveals
    assert not replace(request, anonymous=False).reveals_seed()


@pytest.mark.slow
def test_seed_is_published_after_the_last_game(run: RunRequest) -> None:
    class Once(RunListener):
        def stop_requested(self) -> bool:
            with Store(run.store) as store:
                return bool(store.positions())

    words = "a seed that nobody guesses"
    sites = {anonymous: run.league.with_name(f"site {anonymous}") for anonymous in (False, True)}
    leagues.write_league(run.league.parent, players=[2], blocks=3, seed=words)
    assert not leagues.play_league(run, Once()).finished
    for anonymous, site in sites.items():
        assert report(ReportRequest(run.league, run.store, site, anonymous=anonymous)).left
        assert words not in everything(site)
        assert ("published after the last game" in everything(site)) != anonymous
    assert leagues.play_league(run).finished
    for anonymous, site in sites.items():
        report(ReportRequest(run.league, run.store, site, anonymous=anonymous))
        assert (words in everything(site)) != anonymous
