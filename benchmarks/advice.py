"""Whether the advice of `arena coach` makes bots stronger: `python -m benchmarks.advice`.

Bots with one leak each (`tests.support.leaky`) play in this process. Prints

- for each leak: what the coach says first of 100 games against `odds`, the settings of the bot that
  follow from that advice to the letter, and what `arena compare` says of the bot with them; first
  for ten leaks, then for smaller and larger ones, some of them no leaks at all;
- which figures of a coaching tell strong bots from weak ones: their correlation, over the sample
  bots and versions with leaks of several sizes, with the share of games won in a field.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import correlation

from arena.author.compare.behaviour import NEW, OLD, from_field
from arena.author.compare.compare import comparison_fixtures
from arena.author.compare.result import Comparison, ComparisonGames
from arena.game.records import BotInfo, Conditions, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules, variant
from arena.league.store.rows import pack
from arena.playstats.coach.coach import Coach, Judgement
from benchmarks.shared.players import PROGRAMS, player
from tests.support import leaky, records
from tests.support.leaky import BASE, LEAKS, Seated, Settings, follow, write_bot

RIVAL = "odds"
SIZES: dict[str, Settings] = {
    **{f"doubts below {limit:.0%}": {"doubt": limit} for limit in (0.05, 0.15, 0.2, 0.4, 0.5, 0.6)},
    **{f"opens {more} higher": {"open more": more} for more in (1, 3)},
    "opens on the shortest face": {"open face": "shortest"},
    "opens on the highest face": {"open face": "highest"},
    "raises on the shortest face": {"raise face": "shortest"},
    "raises on the face of the table": {"raise face": "table"},
    "raises on the longest face": {"raise face": "longest"},
    "raises palifico one higher": {"palifico raise more": 1},
    "no leak": {},
}
"""More versions."""


def play(fixture: Fixture, bots: Sequence[str | Settings], rules: Rules) -> PlayedFixture:
    """Play a fixture of sample bots and bots with settings; these are asked about calza."""
    seats = [
        Seated(*player(bot, rules, f"{fixture.seed}/{seat}"))
        if isinstance(bot, str)
        else leaky.seated(bot, rules)
        for seat, bot in enumerate(bots)
    ]
    callers = (seat for seat, bot in enumerate(bots) if not isinstance(bot, str))
    return leaky.play(fixture, seats, rules, callers)


def rules_of(bot: str | Settings) -> Rules:
    """Return the rule book that shows a leak."""
    return variant("bga", {}, calza=not isinstance(bot, str) and "calza" in bot)


def coached(bot: str | Settings, games: int) -> Judgement:
    """Coach a bot at a quick table, as `arena coach` does."""
    rules, rival = rules_of(bot), "honest" if bot == RIVAL else RIVAL
    coach = Coach("bot")
    for index, names in enumerate((("bot", rival), (rival, "bot"))):
        fixture = records.fixture(names, games, id=str(index), index=index, seed=f"coach/{index}")
        at_table = [bot if name == "bot" else name for name in names]
        coach.add(play(fixture, at_table, rules), rules)
    return coach.judgement()


def compared(old: Settings, new: Settings, rules: Rules, blocks: int) -> Comparison:
    """Compare two versions by the schedule and the statistics of `arena compare`."""
    conditions = Conditions(
        name="versions",
        variants={"bga": rules},
        bots=tuple(BotInfo(name, "", "", "python", name) for name in PROGRAMS),
        players=(2,),
        games=10,
        blocks=blocks,
        limits=LimitsInfo().complete(10),
        sandbox="process",
        seed="advice",
        commitment="",
        arena_version="",
        rounds_per_die=0,
    )
    games = ComparisonGames(conditions, comparison_fixtures(conditions), None)
    versions: dict[str, Settings] = {OLD: old, NEW: new}
    while due := games.due():
        for fixture in due:
            bots = [versions.get(name) or from_field(name) for name in fixture.seats]
            packed = pack(play(fixture, bots, rules))
            games.keep([packed], [packed.result()])
    return games.comparison()


def verdict(comparison: Comparison) -> str:
    """Return which version is better, by the 95 % interval of `arena compare`."""
    share = comparison.rivals_beaten
    return "better" if share.low > 0 else "worse" if share.high < 0 else "not decided"


def advised(
    leaks: Mapping[str, Settings], games: int, blocks: int, into: Path | None
) -> Iterator[str]:
    """Yield what comes of the first advice on each bot with a leak."""
    head = ["leak", f"won of {2 * games}", "the coach says first", "now set", "rivals beaten"]
    yield f"| {' | '.join([*head, 'new', 'new - old, 95 %', ''])} |"
    yield "|---|---|---|---|---|---|---|---|"
    verdicts = Counter[str]()
    for name, leak in leaks.items():
        old = {**BASE, **leak}
        told = coached(leak, games)
        row = f"| {name} | {told.won} |"
        if not told.leaks:
            verdicts["no advice"] += 1
            yield f"{row} | | | | | no advice |"
            continue
        first = told.leaks[0]
        new = follow(old, first)
        if into:
            folder = into / re.sub(r"\W+", "-", name)
            write_bot(folder, old)
            write_bot(folder.with_name(f"{folder.name}-2"), new)
        result = compared(old, new, rules_of(leak), blocks)
        verdicts[verdict(result)] += 1
        share = result.rivals_beaten
        changed = ", ".join(f"`{key}: {value}`" for key, value in new.items() if old[key] != value)
        yield (
            f"{row} {first.kind}: {first.advice} | {changed} | {share.old:.1%} | {share.new:.1%} |"
            f" {100 * share.low:+.1f} to {100 * share.high:+.1f} % | {verdict(result)} |"
        )
    yield f"\n{dict(verdicts)}"


FIGURES: dict[str, Callable[[Judgement], float]] = {
    "games won": lambda told: told.won / told.games,
    "given up per game": lambda told: -told.cost.per_game,
    "given up per decision": lambda told: -told.cost.per_game * told.games / told.decisions,
    "worth of all changes": lambda told: -told.mendable.per_game,
}
"""Each is higher for a better bot."""


def strength(bot: str | Settings, games: int) -> float:
    """Return the share of games won against the sample bots, in both seats."""
    rules, won = rules_of({}), 0
    for rival in PROGRAMS:
        for index, names in enumerate((("bot", rival), (rival, "bot"))):
            seed = f"strength/{rival}/{index}"
            fixture = records.fixture(names, games, id=str(index), index=index, seed=seed)
            played = play(fixture, [bot if name == "bot" else name for name in names], rules)
            won += sum(record.places[index] == 1 for record in played.games)
    return won / games / 2 / len(PROGRAMS)


def ranked(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal ones share theirs."""
    return [
        sum(other < value for other in values) + sum(other == value for other in values) / 2
        for value in values
    ]


def tracked(games: int) -> Iterator[str]:
    """Yield how closely each figure follows strength, over all bots and over the stronger half."""
    bots: dict[str, str | Settings] = {name: name for name in PROGRAMS}
    bots |= {name: leak for name, leak in {**LEAKS, **SIZES}.items() if "calza" not in leak}
    strengths = {name: strength(bot, 4 * games) for name, bot in bots.items()}
    told = {name: coached(bot, games) for name, bot in bots.items()}
    strong = sorted(bots, key=strengths.__getitem__)[len(bots) // 2 :]
    yield f"| figure of {2 * games} games | {len(bots)} bots | the stronger {len(strong)} |"
    yield "|---|---|---|"
    for name, figure in FIGURES.items():
        ranks = []
        for of in (list(bots), strong):
            figures = [figure(told[bot]) for bot in of]
            ranks.append(correlation(ranked([strengths[bot] for bot in of]), ranked(figures)))
        yield f"| {name} | {ranks[0]:.2f} | {ranks[1]:.2f} |"


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50, help="of a coaching, in each seat")
    parser.add_argument("--blocks", type=int, default=50, help="of a comparison")
    parser.add_argument("--into", type=Path, help="a folder for both versions of each bot")
    options = parser.parse_args()
    games, how = options.games, (options.games, options.blocks, options.into)
    for part in (advised(LEAKS, *how), advised(SIZES, *how), tracked(games)):
        for line in part:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
