"""The pages keep what they say: tables equal the code, links lead somewhere."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import asdict, fields

from arena.author.check.steps import STEPS
from arena.game.records import MODEL_SECONDS, MODEL_SHARE, LimitsInfo, RatingsInfo
from arena.game.rules.books import BGA, SWITCHES, VARIANTS
from arena.game.rules.clauses import MEANINGS
from arena.ladder.door.door import MAX_UPLOAD
from arena.league.terms.config import LeagueFile, VariantEntry
from arena.ratings.leaderboard_rows import LeaderboardRow, OverallRow
from tests.cli.command import ROOT, run

LEAGUE = "docs/reference/league.md"
RATINGS = "docs/reference/ratings.md"
PAGES = sorted(
    path.relative_to(ROOT)
    for pattern in (
        "*.md",
        "benchmarks/**/*.md",
        "docs/**/*.md",
        "protocol/*.md",
        "sample_bots/*.md",
    )
    for path in ROOT.glob(pattern)
)
CODE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def rows(page: str) -> dict[str, list[str]]:
    """Return the table rows of a page that begin with a `name`, without the backquotes."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    named = [line.strip("|") for line in lines if line.startswith("| `")]
    cells = [[cell.strip("` ") for cell in line.split(" | ")] for line in named]
    return {row[0]: row[1:] for row in cells}


def text_of(page: Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def links(page: Path) -> list[tuple[Path, str]]:
    """Return the local links of a page: the file and the anchor of each."""
    targets = re.findall(r"\]\(([^)\s]+)\)", text_of(page))
    split = [target.partition("#") for target in targets if "://" not in target]
    folder = (ROOT / page).parent
    return [((folder / path) if path else ROOT / page, anchor) for path, _, anchor in split]


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    text = CODE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    assert [str(path) for path, _ in links(page) if not path.exists()] == []
    named = [(path, anchor) for path, anchor in links(page) if anchor]
    assert [(str(path), anchor) for path, anchor in named if anchor not in anchors(path)] == []


def test_every_page_is_in_the_index_once() -> None:
    listed = [path.resolve() for path, _ in links(Path("docs/index.md"))]
    assert len(listed) == len(set(listed))
    assert set(ROOT.glob("docs/*/*.md")) <= set(listed)
    assert [path.name for path in ROOT.glob("docs/*.md")] == ["index.md"]


def test_readme_is_a_screen_and_a_half() -> None:
    assert len(text_of(Path("README.md")).splitlines()) <= 120


def test_files_that_name_a_page_name_one_that_exists() -> None:
    folders = ("arena", "benchmarks", "deploy", "examples", "protocol", "reports", "tests")
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    # What was compiled may be of modules that are gone.
    files = (path for path in paths if "__pycache__" not in path.parts)
    texts = [path.read_bytes().decode(errors="ignore") for path in files]
    named = {page for text in texts for page in re.findall(r"\bdocs/[\w/]+\.md\b", text)}
    assert named
    assert [page for page in sorted(named) if not (ROOT / page).exists()] == []


def test_install_page_names_every_dependency() -> None:
    project = tomllib.loads(text_of(Path("pyproject.toml")))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[>; ]", need)[0] for group in groups for need in group}
    page = text_of(Path("docs/reference/install.md")).lower().replace("-", "_")
    ours = {name for name in names if not name.startswith("types-")}
    assert [name for name in ours if name.lower().replace("-", "_") not in page] == []


def test_league_page_names_every_key() -> None:
    limits = {f"limits.{field.encode_name}" for field in fields(LimitsInfo)}
    ratings = {f"ratings.{field.encode_name}" for field in fields(RatingsInfo)}
    whole = {field.encode_name for field in fields(LeagueFile)}
    keys = whole - {"limits", "ratings"} | limits | ratings
    options = {field.encode_name for field in fields(VariantEntry)}
    assert keys | options | SWITCHES <= rows(LEAGUE).keys()


def test_league_page_has_the_defaults() -> None:
    table = rows(LEAGUE)
    defaults = LeagueFile(bots=[])
    limits = asdict(LimitsInfo().complete(defaults.games))
    assert f"{limits.pop('fixture'):g} with the defaults" in table["limits.fixture"][1]
    limits["model"] = MODEL_SECONDS
    for name, value in limits.items():
        shown = str(value).lower() if isinstance(value, bool) else f"{value:g}"
        assert table[f"limits.{name}"][0] == shown
    said = {name: cells[0] for name, cells in table.items() if name.startswith("ratings.")}
    ratings = {**asdict(RatingsInfo()), "model_share": MODEL_SHARE}
    assert said == {f"ratings.{name}": word(value) for name, value in ratings.items()}
    assert table["players"][0] == str(defaults.players)
    assert table["games"][0] == str(defaults.games)
    assert table["variants"][0] == f"[{', '.join(map(str, defaults.variants))}]"


def word(default: object) -> str:
    """Write a default as the pages do."""
    return "none" if default is None else str(default).lower()


def test_ratings_page_explains_every_column() -> None:
    explained = " ".join(f"{name} {' '.join(cells)}" for name, cells in rows(RATINGS).items())
    columns = {field.encode_name for field in (*fields(LeaderboardRow), *fields(OverallRow))}
    plain = {"bot", "games", "wins", "faults", "provisional"}
    assert [name for name in columns - plain if name not in explained] == []


def test_league_page_has_every_switch_of_every_book() -> None:
    table = rows(LEAGUE)
    for switch in SWITCHES:
        said = table[switch][1:]
        books = [getattr(rules, switch) for rules in VARIANTS.values()]
        assert said == [value if isinstance(value, str) else str(value).lower() for value in books]


def test_protocol_page_explains_every_switch() -> None:
    text = text_of(Path("protocol/README.md"))
    section = text.partition("### Rule switches\n")[2].partition("\n## ")[0]
    explained = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))
    yes_or_no = [name for name in MEANINGS if name in SWITCHES and is_yes_or_no(name)]
    assert explained == {name: MEANINGS[name][0].lower() + MEANINGS[name][1:] for name in yes_or_no}
    others = SWITCHES - explained.keys()
    assert {*re.findall(r"`(\w+)`", section)} >= others


def is_yes_or_no(switch: str) -> bool:
    return isinstance(getattr(BGA, switch), bool)


def test_judge_page_shows_what_the_command_says() -> None:
    text = text_of(Path("docs/reference/rules.md"))
    position, verdicts = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    line = json.dumps(json.loads(position))
    ran = run("judge", cwd=ROOT, stdin=line)
    assert ran.out == verdicts.splitlines()[0] + "\n"


@pytest.mark.parametrize("page", ["docs/guides/serve.md", "docs/reference/security.md"])
def test_pages_name_the_limit_of_an_upload(page: str) -> None:
    [row] = re.findall(
        r"^\| (?:size|the size and pace of an upload).*$", text_of(Path(page)), re.MULTILINE
    )
    assert f" {MAX_UPLOAD // 1024**2} MiB, " in row


def test_check_page_lists_every_step() -> None:
    text = text_of(Path("docs/guides/check.md"))
    listed = re.findall(r"^\| (\d+) \| ([a-z ]+) \| (.+) \|$", text, re.MULTILINE)
    steps = [(str(number), step.name, step.about) for number, step in enumerate(STEPS, 1)]
    assert listed == steps
