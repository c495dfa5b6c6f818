"""The published schemas: every JSON file keeps to the one it names, every table has its data."""

import csv
import json
from pathlib import Path
from typing import Any

import html5lib
import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import QuarantinedFixture
from arena.io.text import csv_of
from arena.publish.data.schema import DIALECT, numbers
from arena.publish.pages.models import table_types
from arena.ratings.leaderboard_rows import DiceGain, Suspicion
from tests.publish.columns import SECTION, markdown
from tests.publish.in_memory import write_site
from tests.publish.test_hostile import NAMES
from tests.support import factory
from tests.support import played_games as games

XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture(scope="module", params=[factory.NAMES, NAMES], ids=["plain", "hostile"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    league, _, played = factory.sample(request.param)
    ratings = factory.ratings(played[:4], overall=True)
    bot, rival = request.param[:2]
    cases = [
        Suspicion("collusion", "bga", 2, bot, rival, 40, 0.5, 0.1, 1e-5),
        Suspicion("drift", "house rules", 3, bot, None, 90, 0.0, -2.5, 0.004),
    ]
    boards = [replace(board, dice_gain=DiceGain(1.2, 0.9, 1.6)) for board in ratings.boards[:1]]
    ratings = replace(ratings, suspicions=cases, boards=[*boards, *ratings.boards[1:]])
    # Players who do whatever is legal have bad highlights.
    played.append(games.fixture(9, "bga", league.variants["bga"], (bot, rival), 4))
    quarantined = [QuarantinedFixture(played[0].fixture, f"it died with {bot}", 3, 1_790_000_000.0)]
    folder = tmp_path_factory.mktemp("site")
    return write_site(league, ratings, played, folder, quarantined=quarantined).parent


def tables(site: Path) -> dict[str, Any]:
    """Every JSON file that is a table."""
    return {path.name: json.loads(path.read_bytes()) for path in (site / "data").glob("*.json")}


@pytest.mark.slow
def test_json_files_validate_against_the_schemas_they_name(site: Path) -> None:
    used = set()
    for name, document in tables(site).items():
        schema = json.loads((site / "data" / document["$schema"]).read_bytes())
        assert schema["$schema"] == DIALECT
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(document, schema)
        assert document["rows"], name
        used.add(document["$schema"])
    # A league with language models has one more (`tests/e2e/test_models.py`).
    assert used == {table.schema_file for table in table_types(models=False)}


def test_schemas_reject_missing_extra_and_mistyped_fields(site: Path) -> None:
    """Whatever is left out, added, or of another type; so the schemas say something."""
    for document in tables(site).values():
        schema = json.loads((site / "data" / document["$schema"]).read_bytes())
        valid = jsonschema.Draft202012Validator(schema)
        row = document["rows"][0]
        for key in row:
            short = {name: value for name, value in row.items() if name != key}
            for bad in (short, row | {"more": 1}, row | {key: {"no": "value"}}):
                assert not valid.is_valid(document | {"rows": [bad]})
        assert not valid.is_valid(document | {"$schema": "schema/none.json"})


def test_csv_files_have_the_columns_of_the_schema(site: Path) -> None:
    for name, document in tables(site).items():
        schema = json.loads((site / "data" / document["$schema"]).read_bytes())
        row = schema["properties"]["rows"]["items"]["$ref"].removeprefix("#/$defs/")
        columns = list(schema["$defs"][row]["properties"])
        with (site / "data" / name).with_suffix(".csv").open(newline="") as file:
            lines = list(csv.reader(file))
        assert lines[0] == columns
        assert len(lines) == 1 + len(document["rows"])


def test_every_table_on_a_page_has_its_data_beside_it(site: Path) -> None:
    for path in site.rglob("*.html"):
        if path.name == "replay.html":
            continue
        root = html5lib.parse(path.read_bytes(), transport_encoding="utf-8")
        for part in [*root.iter(f"{XHTML}section"), *root.iter(f"{XHTML}main")]:
            if part.find(f"{XHTML}div/{XHTML}table") is None:
                continue
            links = [link.get("href", "") for link in part.iter(f"{XHTML}a")]
            assert any(link.endswith(".csv") for link in links), path
            assert any(link.endswith(".json") for link in links), path


def test_the_documentation_has_every_column() -> None:
    assert SECTION.read() == markdown(), "make columns"


@given(
    st.lists(
        st.floats() | st.integers(-(2**31), 2**31) | st.booleans() | st.none(),
        min_size=1,
        max_size=5,
    )
)
@example([4.749e-05, 1.0])
@example([1e16, 1e17])
@example([0.1, -0.0, 2])
def test_numbers_are_written_as_python_does(cells: list[float | None]) -> None:
    assert csv_of([numbers(cells)]) == csv_of([cells])
