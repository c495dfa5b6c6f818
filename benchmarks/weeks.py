"""What the solution of each week of a course is worth under the rubric of each week.

`python -m benchmarks.weeks [--games 1] [--seed weeks]`.

Bots play the baselines of `arena/course/plan.py`, in `GAMES` times `--games` games, and
get the points of their shares and for legal play, without those of the field. "One exercise" is the
rubric of 30 points each for legal play, `random` and `honest`, before references were drawn: there
it is `memory` with one constant changed.
"""

import argparse
import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from arena import __version__
from arena.bots.bot import Bot
from arena.bots.kits import create
from arena.bots.manifest import SAMPLE, find_bot, load_bot
from arena.bots.sandboxes.registry import make_sandbox
from arena.course.baselines import PER_BLOCK
from arena.course.config import MarksEntry
from arena.course.estimate import play_apart
from arena.course.lock import GradingTerms
from arena.course.plan import ONE_EXERCISE, REFERENCE, STARTER, WEEKS
from arena.course.points import Share, against, certain, share_of, total_of
from arena.course.reference.draw import draw_reference
from arena.game.records import LimitsInfo
from arena.game.rules.books import BGA
from arena.io import shipped
from arena.io.cores import core_count
from arena.league.play.dispatcher import RunListener

GAMES = {"random": 160, "honest": 480, "sh-minimal": 960, REFERENCE: 960}
"""Games of each bot against each baseline; a bot that is close to it needs more."""
ROWS = {
    STARTER: "what is handed out",
    **{week.solution: f"solution of week {number}" for number, week in enumerate(WEEKS, 1)},
    "bluffer": "chance alone",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=float, default=1.0, help="a factor")
    parser.add_argument("--seed", default="weeks")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        measure(Path(folder), options.games, options.seed)


def measure(folder: Path, factor: float, seed: str) -> None:
    """Play, and print the table."""
    draw_reference(folder / "reference", random.Random(seed))
    bots = {name: sample(name) for name in ROWS}
    bots["kit"] = create(folder / "kit", "python")
    bots["drawn"] = load_bot(folder / "reference")
    bots["changed"] = changed_memory(folder / "changed")
    shares = played(bots, factor, seed)
    columns = {f"week {number}": week.marks for number, week in enumerate(WEEKS, 1)}
    most = [f"of {100 - marks.field:g}" for marks in columns.values()]
    heads = [f"{name}, {of}" for name, of in zip(columns, most, strict=True)]
    print("| bot | | before: one exercise, of 90 |", " | ".join(heads), "|")
    print("|---|---|---" + "|---" * len(heads) + "|")
    for name, what in {"kit": "`arena new`, as it is", **ROWS}.items():
        before = points(ONE_EXERCISE, shares[name], shares["changed"])
        cells = [points(marks, shares[name], shares["drawn"]) for marks in columns.values()]
        print(f"| `{name}` | {what} | {before} |", " | ".join(cells), "|")
    print("\n| share of games won against |", " | ".join(GAMES), "|")
    print("|---" + "|---" * len(GAMES) + "|")
    for name in (*ROWS, "drawn"):
        print(f"| {name} |", " | ".join(map(percent, shares[name].values())), "|")


def sample(name: str) -> Bot:
    return find_bot(f"{SAMPLE}{name}", Path.cwd(), "")


def changed_memory(folder: Path) -> Bot:
    """Return the reference that `arena course init` wrote before references were drawn."""
    shutil.copytree(shipped.folder("sample_bots") / "memory", folder)
    program = folder / "bot.py"
    text = program.read_text(encoding="utf-8").replace("DOUBT = 4", "DOUBT = 12")
    program.write_text(text, encoding="utf-8")
    return load_bot(folder)


def played(bots: dict[str, Bot], factor: float, seed: str) -> dict[str, dict[str, Share]]:
    """Return the share that each bot won against each baseline."""
    baselines = {name: bots["drawn"] if name == REFERENCE else sample(name) for name in GAMES}
    sandbox = make_sandbox("process")
    terms = GradingTerms(
        arena=__version__,
        seed=seed,
        sandbox=sandbox.name,
        rules=BGA,
        limits=LimitsInfo(),
        precision=0.0,
        budget=0,
        reference_games=0,
        scheme="",
        baselines={name: bot.info.digest for name, bot in baselines.items()},
    )
    won = play_apart(
        terms,
        [*bots.values(), *baselines.values()],
        [bot.info.digest for bot in bots.values()],
        {name: max(1, round(factor * games / PER_BLOCK)) for name, games in GAMES.items()},
        sandbox,
        RunListener(),
        workers=core_count(),
        packages=False,
    )
    if won is None:
        raise KeyboardInterrupt
    return {
        name: {of: share_of(blocks, PER_BLOCK) for of, blocks in won[bot.info.digest].items()}
        for name, bot in bots.items()
    }


def points(marks: MarksEntry, shares: dict[str, Share], best: dict[str, Share]) -> str:
    """Return the points of a bot that plays legally, with their 95 % interval."""
    parts = {"legal": certain(marks.legal, marks.legal)}
    for name, entry in marks.baselines.items():
        none, whole = entry.scale(best[name].share)
        parts[name] = against(shares[name], whole, entry.points, none)
    total = total_of(parts)
    return f"{total.points:.0f} ({total.low:.0f} to {total.high:.0f})"


def percent(share: Share) -> str:
    return f"{100 * share.share:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f} %)"


if __name__ == "__main__":
    main()
