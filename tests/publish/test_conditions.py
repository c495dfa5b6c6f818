"""The pages of conditions and of rules: all that decided the results, and how to check it."""

from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from arena.game.records import Conditions, FixtureResult, MachineInfo, MasterSeed, fixture_result
from arena.game.rules import books
from arena.game.rules.books import OPTIONS, SWITCHES, VARIANTS, Rules, changed_switches, variant
from arena.game.rules.clauses import CLAUSES, MEANINGS
from arena.game.seeds import commitment
from arena.league.terms.master_seed import withheld
from arena.playstats.league_summary import LeagueSummary, timing
from arena.publish.pages import conditions
from arena.publish.pages.conditions import BOOKS, PROMISES, clauses_of, rule_rows, switches
from arena.publish.text import duration, timestamp
from tests.publish.in_memory import write_site
from tests.publish.pages import read, tree
from tests.support import factory

MACHINE = MachineInfo("Zuse <Z3>", 2, 3 * 2**29, "Linux 6.1", "CPython 3.11.7", "2.4.6")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    league, ratings, played = factory.sample()
    times = [replace(one, stored_at=1e9 + 2 * at) for at, one in enumerate(played)]
    folder = tmp_path_factory.mktemp("site")
    league = replace(league, machine=MACHINE)
    return write_site(league, ratings, times, folder, root="12ab").parent


def test_every_switch_and_option_is_explained_and_leads_to_its_clauses(site: Path) -> None:
    links = set(read(site / "conditions.html").links)
    for clause in CLAUSES:
        if clause.switch:
            assert f"rules.html#{clause.id}" in links
    assert {f"rules.html#{one}" for one in clauses_of("calza")} <= links


class MadeUpRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules with one more switch."""

    made_up: bool = False


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Conditions:
    """A league of an arena whose rules have one more switch."""
    later = {name: MadeUpRules(**asdict(rules)) for name, rules in VARIANTS.items()}
    monkeypatch.setattr(conditions, "Rules", MadeUpRules)
    monkeypatch.setattr(conditions, "book_of", lambda rules: later[rules.name])
    monkeypatch.setattr(conditions, "SWITCHES", SWITCHES | {"made_up"})
    return factory.league((), variants={"mine": later["bga"]})


@pytest.mark.parametrize("meanings", [{}, {"made_up": "Something is allowed"}])
def test_a_switch_without_a_meaning_or_a_clause_is_refused(
    made_up: Conditions, monkeypatch: pytest.MonkeyPatch, meanings: dict[str, str]
) -> None:
    monkeypatch.setattr(conditions, "MEANINGS", MEANINGS | meanings)
    with pytest.raises(LookupError, match="made_up"):
        conditions.conditions_page(made_up, LeagueSummary(), None, "")
    with pytest.raises(LookupError, match="made_up"):
        rule_rows(made_up)


def test_a_switch_with_a_meaning_and_a_clause_is_on_the_page_and_in_the_data(
    made_up: Conditions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MEANINGS, "made_up", "Something is allowed")
    clauses = [*CLAUSES, replace(CLAUSES[0], switch="made_up")]
    monkeypatch.setattr(conditions, "CLAUSES", clauses)
    page = conditions.conditions_page(made_up, LeagueSummary(), None, "")
    assert ("made_up", "Something is allowed") in [(one.name, one.words) for one in page.switches]
    assert ("made_up", "no") in [(row.switch, row.value) for row in rule_rows(made_up)]


@pytest.mark.parametrize("book", VARIANTS)
def test_overridden_switches_are_marked_and_no_others(book: str) -> None:
    rules = variant(book, {"calza_in_palifico": True, "reveal": "at_once"}, calza=True)
    league = factory.league((), variants={"mine": rules, "book": VARIANTS[book]})
    marked = {one.name for one in switches(league, SWITCHES) if one.values[0].book is not None}
    assert marked == set(changed_switches(rules))
    assert all(one.values[1].book is None for one in switches(league, SWITCHES))
    assert [one.values[0].shown for one in switches(league, OPTIONS)] == ["yes", "no", "5"]


def test_the_rules_have_every_clause_in_the_words_of_every_book(site: Path) -> None:
    page = unescape((site / "rules.html").read_text())
    assert set(BOOKS) == set(books.BOOKS)
    assert [one for one in read(site / "rules.html").ids if one.isupper()] == [
        clause.id for clause in CLAUSES
    ]
    for clause in CLAUSES:
        section = page.partition(f'id="{clause.id}"')[2].partition("</section>")[0]
        for words in clause.texts.values():
            assert f"<dd>{words}</dd>" in section
        assert (f"<code>{clause.switch}</code>" in section) == bool(clause.switch)


def test_rules_page_marks_the_switches_of_the_league(site: Path) -> None:
    page = (site / "rules.html").read_text()
    changed = page.partition('id="CALZA-PAL"')[2].partition("</section>")[0]
    assert "<bdi>house rules</bdi> <strong>yes</strong> <small>changed; the book has no" in changed
    italian = page.partition('id="REVEAL"')[2].partition("</section>")[0]
    assert '<div class="other"><dt>italian</dt><dd>all at once</dd></div>' in italian
    assert "<div><dt>bga, classic</dt><dd>→ no order</dd></div>" in italian


def test_the_books_are_those_of_the_documentation() -> None:
    text = (ROOT / "docs/reference/rules.md").read_text().replace('"', "")
    for name, words in BOOKS.items():
        assert f"| `{name}` | {words.replace('“', '').replace('”', '')} |" in text


def test_sandbox_promises_match_the_documentation() -> None:
    found = (
        (ROOT / "benchmarks/results/hostile.md")
        .read_text()
        .partition("### What is not promised\n")[2]
    )
    for name, promise in PROMISES.items():
        listed = found.partition(f"`{name}`:\n\n")[2].partition("\n\n")[0].splitlines()
        lines = {line[2:].replace("`", "") for line in listed if line.startswith("- ")}
        assert lines <= {*promise.open, "Nothing of what these bots try is left open."}
        assert lines


def test_seed_commitment_limits_and_what_was_used(site: Path) -> None:
    page = unescape((site / "conditions.html").read_text())
    assert f"printf %s {factory.SEED} | sha256sum" in page
    assert sha256(factory.SEED.encode()).hexdigest() in page
    assert "arena verify league.yaml --root 12ab" in page
    assert "10 s" in page
    assert "<code>bubblewrap</code> <small>5 fixtures</small>" in page
    assert "wall clock <small>5 fixtures</small>" in page
    assert "<dd>510</dd>" in page
    assert "changed; the book has no" in page
    for line in PROMISES["bubblewrap"].open:
        assert line in page


def test_a_seed_is_quoted_for_the_shell() -> None:
    league = factory.league((), seed="a b; rm")
    [seed] = conditions.seeds(league)
    assert seed.quoted == "'a b; rm'"


def test_every_master_seed_is_shown_with_its_commitment(tmp_path: Path) -> None:
    earlier = tuple(MasterSeed(seed, commitment(seed)) for seed in ("a", "b"))
    info = factory.league((), earlier_seeds=earlier)
    page = conditions_page(info, tmp_path)
    for number, seed in enumerate(("a", "b", factory.SEED), 1):
        assert f"<dt>Master seed {number}</dt><dd><code>{seed}</code>" in page
        assert f"printf %s {seed} | sha256sum" in page
        assert f"<dd><code>{commitment(seed)}</code></dd>" in page


def test_withheld_seed_is_promised_and_only_committed_to(tmp_path: Path) -> None:
    earlier = MasterSeed("before", commitment("before"))
    page = conditions_page(withheld(factory.league((), earlier_seeds=(earlier,))), tmp_path)
    assert "<dt>Master seed 2</dt><dd>published after the last game</dd>" in page
    assert not any(text in page for text in (factory.SEED, "before</code>", "sha256sum"))
    assert all(commitment(seed) in page for seed in ("before", factory.SEED))


def conditions_page(conditions: Conditions, folder: Path) -> str:
    front = write_site(conditions, factory.ratings([]), [], folder)
    return unescape(front.with_name("conditions.html").read_text())


def test_machine_times_and_versions_show(site: Path) -> None:
    page = (site / "conditions.html").read_text()
    for name, value in [
        ("Processor", "Zuse &lt;Z3&gt;"),
        ("Memory", "1.5 GiB"),
        ("numpy", "2.4.6"),
        ("First fixture stored", "2001-09-09 01:46 UTC"),
        ("Last fixture stored", "2001-09-09 01:46 UTC"),
        ("Wall time, without pauses", "9.5 s"),
        ("Time at the tables, in total", "7.5 s"),
        ("Games per second", "2.1"),
        ("Decisions per second", "54"),
        ("Arena that played", "0.1.0"),
        ("Wire protocol", "1"),
    ]:
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page


@pytest.mark.slow
def test_machine_and_times_change_only_conditions_feed_front_and_cards(
    site: Path, tmp_path: Path
) -> None:
    league, ratings, played = factory.sample()
    other = [replace(one, stored_at=2e9, seconds=9.0, stderr=()) for one in played]
    played = [replace(one, stderr=()) for one in played]
    one, two = tmp_path / "one", tmp_path / "two"
    write_site(league, ratings, played, one)
    write_site(replace(league, machine=MACHINE), ratings, other, two)
    differ = {name for name, text in tree(one).items() if tree(two)[name] != text}
    pages = {name for name in differ if not name.startswith("cards/")}
    assert pages == {"conditions.html", "feed.xml", "index.html"}


def test_conditions_name_changes_and_memory(site: Path, tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    resting = (league.bots[0].name,)
    changed = replace(league, changes=3, resting=resting, memory_across_fixtures=True)
    write_site(changed, ratings, played, tmp_path)
    page = (tmp_path / "conditions.html").read_text()
    assert "changed while the league ran, 3 times. 1 of the bots rests: no new fixtures" in page
    assert "those that play on are too high" not in page
    assert "<dd>over many fixtures</dd>" in page
    assert "<dd>one fixture</dd>" in (site / "conditions.html").read_text()
    assert "while the league ran" not in (site / "conditions.html").read_text()


def test_a_season_says_what_bots_that_leave_do_to_the_ratings(tmp_path: Path) -> None:
    league, ratings, played = factory.sample()
    season = replace(league, endless=True, changes=1, resting=(league.bots[0].name,))
    write_site(season, ratings, played, tmp_path)
    page = (tmp_path / "conditions.html").read_text()
    assert "the ratings of those that play on are too high" in page


def test_unknown_machine_and_times_are_marked_not_recorded(tmp_path: Path) -> None:
    write_site(*factory.sample(), tmp_path)
    assert (tmp_path / "conditions.html").read_text().count("Not recorded") == 2


def test_unknown_sandbox_is_named(tmp_path: Path) -> None:
    league = factory.league(("a", "b"), sandbox="moon")
    write_site(league, factory.ratings([]), [], tmp_path)
    page = (tmp_path / "conditions.html").read_text()
    assert "<code>moon</code> <small>requested, not used yet</small>" in page
    assert "does not know what it guarantees" in page


def test_paths_that_bots_were_shown_are_named(tmp_path: Path) -> None:
    league = factory.league(("a", "b"), sandbox_paths=("/opt/julia", "/etc/<julia>"))
    write_site(league, factory.ratings([]), [], tmp_path)
    page = (tmp_path / "conditions.html").read_text()
    shown = "<code>/opt/julia</code>, <code>/etc/&lt;julia&gt;</code>"
    assert f"Bots also saw, read-only: {shown}." in page


def stored(stored_at: float | None, seconds: float) -> FixtureResult:
    played = fixture_result(factory.fixture(0, ("a", "b")))
    games = [played.games[0]] * 5
    return replace(played, games=games, decisions=50, seconds=seconds, stored_at=stored_at)


def test_pauses_between_runs_do_not_count() -> None:
    """Two tables at once, then a night, then one more that took 2 s after a start of 1 s."""
    found = timing([stored(103, 3), stored(104, 3), stored(5000, 2)], start=1)
    assert found is not None
    assert (found.wall, found.tables) == (3 + 1 + 3, 8)
    assert found.games_per_second == pytest.approx(15 / 7)
    assert timing([], start=1) is None
    assert timing([stored(None, 1)], start=1) is None


def test_a_league_that_took_no_time_has_no_rate() -> None:
    found = timing([stored(5, 0)], start=1)
    assert found is not None
    assert (found.games_per_second, found.decisions_per_second) == (0, 0)


def test_times_are_readable() -> None:
    assert [duration(s) for s in (0.04, 9.96, 59.4, 61, 3599.7, 3725, 4e6)] == [
        "0.0 s",
        "10.0 s",
        "59 s",
        "1 min 1 s",
        "1 h 0 min",
        "1 h 2 min",
        "1,111 h 6 min",
    ]
    assert timestamp(0.9) == "1970-01-01T00:00:00Z"
