"""Makes a data set of decisions of the champion and the sample bots, with a card.

    python examples/make_dataset.py build/dataset --decisions 1000000

Plays a league in the folder, block by block, until it has so many decisions, and writes
`decisions.parquet` and the card `README.md`. Stop it at any time: the same command goes on. Needs
pyarrow: `pip install 'perudo-arena[parquet]'`.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from pyarrow.parquet import ParquetFile, read_table

from arena import __version__
from arena.game.rules.books import VARIANTS
from arena.publish.data.schema import LeagueHead, TableType
from arena.publish.export import DecisionRow

ROWS = "decisions.parquet"
MARGIN = 1.1
"""How many times the decisions that are asked for are aimed at, as games are not equally long."""
CARD = Path(__file__).with_name("dataset_card.md")


def main() -> None:
    """Play, export, describe."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--decisions", type=int, default=1_000_000, help="at least so many")
    parser.add_argument(
        "--bots", nargs="*", default=["sample:*", "sample:champion"], help="folders and samples"
    )
    parser.add_argument("--book", nargs="*", default=[*VARIANTS], choices=[*VARIANTS])
    parser.add_argument("--players", nargs="*", type=int, default=[2, 3, 4, 5, 6])
    parser.add_argument("--games", type=int, default=20, help="of a fixture, at most")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    games, blocks = begun(chosen.folder) or planned(chosen)
    while (rows := play(chosen, chosen.folder, chosen.book, games, blocks)) < chosen.decisions:
        blocks += 1
    (chosen.folder / "README.md").write_text(card(chosen.folder), encoding="utf-8")
    print(f"{rows:,} decisions in {chosen.folder / ROWS}; README.md says what they are")


def begun(folder: Path) -> tuple[int, int] | None:
    """Return the games of a fixture and the blocks of the league in a folder, if there is one."""
    path = folder / "league.yaml"
    if not path.exists():
        return None
    league = yaml.safe_load(path.read_text(encoding="utf-8"))
    return league["games"], league["blocks"]


def planned(chosen: argparse.Namespace) -> tuple[int, int]:
    """Return how many games a fixture and how many blocks make so many decisions.

    A block with one game a fixture, of one rule book, says how many that makes.
    """
    with TemporaryDirectory() as folder:
        tried = play(chosen, Path(folder), chosen.book[:1], games=1, blocks=1)
    most = tried * len(chosen.book) * chosen.games
    wanted = chosen.decisions * MARGIN
    blocks = ceil(wanted / most)
    return ceil(wanted * chosen.games / (most * blocks)), blocks


def play(
    chosen: argparse.Namespace, folder: Path, rule_books: Sequence[str], games: int, blocks: int
) -> int:
    """Play so many blocks, and export; returns the number of decisions."""
    books = [{"variant": book, "calza": on} for book in rule_books for on in (False, True)]
    league = {
        "name": "Decisions",
        "bots": [
            bot if bot.startswith("sample:") else str(Path(bot).absolute()) for bot in chosen.bots
        ],
        "variants": books,
        "players": chosen.players,
        "games": games,
        "blocks": blocks,
        "seed": "decisions",
    }
    path = folder / "league.yaml"
    path.write_text(yaml.safe_dump(league, sort_keys=False), encoding="utf-8")
    arena(folder, "run", path.name, "--accept-changes", "--replays", "none")
    how = ("--rows", "decisions", "--format", "parquet", "-o", ROWS)
    arena(folder, "export", path.name, *how)
    with ParquetFile(folder / ROWS) as file:
        return int(file.metadata.num_rows)


def arena(folder: Path, *arguments: str) -> None:
    """Run a command of the arena there; ends as it ends if it fails."""
    with subprocess.Popen([sys.executable, "-m", "arena", *arguments], cwd=folder) as running:
        try:
            code = running.wait()
        except KeyboardInterrupt:
            code = running.wait()  # It keeps what was played.
    if code:
        sys.exit(code)


def card(folder: Path) -> str:
    """Return the card of the data set in a folder."""
    columns = TableType("decisions", DecisionRow, LeagueHead).columns
    return CARD.read_text(encoding="utf-8").format(
        version=__version__,
        league=(folder / "league.yaml").read_text(encoding="utf-8").strip(),
        columns="\n".join(
            f"| `{name}` | {column['description']} |" for name, column in columns.items()
        ),
        books=counts(folder, "variant", "players"),
        bots=counts(folder, "bot"),
    )


def counts(folder: Path, *by: str) -> str:
    """Return the rows of a table of decisions."""
    found = read_table(folder / ROWS, columns=[*by]).group_by([*by]).aggregate([([], "count_all")])
    rows = found.sort_by([(name, "ascending") for name in by]).to_pylist()
    parts = ([*(str(row[name]) for name in by), f"{row['count_all']:,}"] for row in rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in parts)


if __name__ == "__main__":
    main()
