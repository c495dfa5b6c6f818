"""The pages keep what they say: tables equal the code, links lead somewhere."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import asdict, fields

from arena.author.check.steps import STEPS
from arena.cli.main import COMMANDS
from arena.game.records import LimitsInfo, RatingsInfo
from arena.game.rules.books import SWITCHES, VARIANTS
from arena.league.terms.config import LeagueFile
from arena.league.terms.variant_entry import VariantEntry
from arena.ratings.table import OverallRow, Row
from tests.cli.command import ROOT, run

RATINGS = "docs/ratings.md"
PAGES = sorted(
    path.relative_to(ROOT)
    for folder in (".", "benchmarks", "docs", "protocol", "sample_bots")
    for path in (ROOT / folder).glob("*.md")
)


def rows(page: str) -> dict[str, list[str]]:
    """Return the table rows of a page that begin with a `name`, without the backquotes."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    named = [line.strip("|") for line in lines if line.startswith("| `")]
    cells = [[cell.strip("` ") for cell in line.split(" | ")] for line in named]
    return {row[0]: row[1:] for row in cells}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)", text)
    local = [link for link in links if "://" not in link]
    missing = [link for link in local if not (ROOT / page).parent.joinpath(link).exists()]
    assert not missing


def test_league_page_names_every_key() -> None:
    limits = {f"limits.{field.encode_name}" for field in fields(LimitsInfo)}
    ratings = {f"ratings.{field.encode_name}" for field in fields(RatingsInfo)}
    whole = {field.encode_name for field in fields(LeagueFile)}
    keys = whole - {"limits", "ratings"} | limits | ratings
    options = {field.encode_name for field in fields(VariantEntry)}
    assert keys | options | SWITCHES <= rows("docs/league.md").keys()


def test_league_page_has_the_defaults() -> None:
    table = rows("docs/league.md")
    defaults = LeagueFile(bots=[])
    limits = asdict(LimitsInfo().complete(defaults.games))
    assert f"{limits.pop('fixture'):g} with the defaults" in table["limits.fixture"][1]
    for name, value in limits.items():
        shown = str(value).lower() if isinstance(value, bool) else f"{value:g}"
        assert table[f"limits.{name}"][0] == shown
    for page in ("docs/league.md", "docs/ratings.md"):
        said = {name: cells[0] for name, cells in rows(page).items() if name.startswith("ratings.")}
        assert said == {
            f"ratings.{name}": word(value) for name, value in asdict(RatingsInfo()).items()
        }
    assert table["players"][0] == str(defaults.players)
    assert table["games"][0] == str(defaults.games)
    assert table["variants"][0] == f"[{', '.join(map(str, defaults.variants))}]"


def word(default: object) -> str:
    """Write a default as the pages do."""
    return "none" if default is None else str(default).lower()


def test_ratings_page_explains_every_column() -> None:
    explained = " ".join(f"{name} {' '.join(cells)}" for name, cells in rows(RATINGS).items())
    columns = {field.encode_name for field in (*fields(Row), *fields(OverallRow))}
    plain = {"bot", "games", "wins", "faults", "provisional"}
    assert [name for name in columns - plain if name not in explained] == []


def test_league_page_has_every_switch_of_every_book() -> None:
    table = rows("docs/league.md")
    for switch in SWITCHES:
        said = table[switch][1:]
        books = [getattr(rules, switch) for rules in VARIANTS.values()]
        assert said == [value if isinstance(value, str) else str(value).lower() for value in books]


def test_readme_lists_every_command() -> None:
    listed = [name.split()[1] for name in rows("README.md") if name.startswith("arena ")]
    assert sorted(listed) == sorted(name for room in COMMANDS.values() for name in room)


def test_judge_page_shows_what_the_command_says() -> None:
    text = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    position, verdicts = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    line = json.dumps(json.loads(position))
    ran = run("judge", cwd=ROOT, stdin=line)
    assert ran.out == verdicts.splitlines()[0] + "\n"


def test_check_page_lists_every_step() -> None:
    text = (ROOT / "docs/check.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \| ([a-z ]+) \| (.+) \|$", text, re.MULTILINE)
    steps = [(str(number), step.name, step.about) for number, step in enumerate(STEPS, 1)]
    assert listed == steps
