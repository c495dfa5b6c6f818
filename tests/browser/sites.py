"""Sites to look at: as a visitor finds them, of a league of enemies, of games to watch."""

from pathlib import Path
from random import Random

from msgspec.structs import replace

from arena.game.records import (
    BidMade,
    BotInfo,
    CallMade,
    Cause,
    Conditions,
    Fault,
    Faulted,
    GameRecord,
    MachineInfo,
    PlayedFixture,
    RoundStarted,
)
from arena.game.rules.books import Rules, variant
from arena.ratings.leaderboard_rows import Suspicion
from tests.publish.in_memory import write_site
from tests.support import factory, records
from tests.support import played_games as games

KINDS = {
    "index": "index.html",
    "bots": "bots.html",
    "about": "about.html",
    "leaderboard": "tables/bga-4p.html",
    "fixtures": "fixtures.html",
    "fixture page": "fixtures/0.html",
    "charts": "charts.html",
    "head-to-head": "head-to-head/bga-4p.html",
    "bot": "bots/bluffer.html",
    "watch": "watch.html",
    "watch a table": "watch/bga-4p.html",
    "replay": "replay.html",
    "faults": "faults.html",
    "suspicions": "suspicions.html",
    "conditions": "conditions.html",
    "rules": "rules.html",
}
"""One page of each kind, in the sample."""
SHOWCASED = {
    **KINDS,
    "leaderboard": "tables/bga-6p.html",
    "head-to-head": "head-to-head/bga-6p.html",
    "bot": "bots/glitch-14980158.html",
    "watch a table": "watch/bga-6p.html",
}
"""The same of a showcase."""

NAMES = ("bluffer", "Counting House", "honest", "markov-opponent-model-2", "odds", "Zoë's bot")
VARIANTS = {
    "bga": variant("bga", {}),
    "house rules": variant("italian", {"calza_in_palifico": True}, calza=True, starting_dice=4),
}
_NIGHT = 1_790_000_000.0
_DETAILS = {
    Cause.ILLEGAL_ACTION: "the bid of 2 fives is not above 3 fours (RAISE-FACE)",
    Cause.MALFORMED_LINE: 'not JSON: "thinking about my next bid..." (line 17, byte 0)',
}
_TRACEBACK = """Traceback (most recent call last):
  File "/bot/main.py", line 41, in <module>
    print(json.dumps(answer(json.loads(line))))
KeyError: 'raises'
"""


def sample(folder: Path) -> Path:
    """Write the site of six bots, three kinds of tables, some faults and two suspicions."""
    played = [
        *_block_fixtures("bga", 2, 0, 5),
        *_block_fixtures("bga", 4, 200, 5),
        *_block_fixtures("house rules", 3, 400, 2),
    ]
    league = factory.league(
        NAMES,
        name="Autumn league",
        variants=VARIANTS,
        players=(2, 3, 4),
        machine=MachineInfo("Example 7 at 3 GHz", 8, 2**34, "Linux 6.1 x86_64", "CPython 3.12.1"),
    )
    ratings = factory.ratings(played, overall=True, provisional=30)
    cases = [
        Suspicion("collusion", "bga", 4, NAMES[0], NAMES[3], 40, 0.5, 0.1, 1e-5),
        Suspicion("drift", "bga", 2, NAMES[1], None, 90, 0.0, -2.5, 0.004),
    ]
    ratings = replace(ratings, suspicions=cases)
    return write_site(league, ratings, played, folder, root="e" * 64).parent


def _block_fixtures(label: str, players: int, first: int, blocks: int) -> list[PlayedFixture]:
    n = len(NAMES)
    return [
        _fixture(first + block * n + at, label, players, block, at + block)
        for block in range(blocks)
        for at in range(n)
    ]


def _fixture(index: int, label: str, players: int, block: int, shift: int) -> PlayedFixture:
    """A table of real games; every seventh has two faults."""
    seats = tuple(NAMES[(shift + seat * (1 + block % 2)) % len(NAMES)] for seat in range(players))
    seats = seats if len(set(seats)) == players else NAMES[:players]
    cause = list(_DETAILS)[index % 2]
    fault = {3: Fault(cause, _DETAILS[cause])} if index % 7 == 0 else None
    one = games.fixture(index, label, VARIANTS[label], seats, 2)
    records = [games.play(VARIANTS[label], players, one.fixture.seed, n, fault) for n in range(2)]
    return replace(
        one,
        fixture=replace(one.fixture, block=block),
        games=records,
        stored_at=_NIGHT + index,
        stderr=(_TRACEBACK,) * players if fault else (),
    )


NASTY = '</script><img src=x onerror="document.title=1"><b>\x1b]0;\u202e'
SEATS = ("alpha", NASTY, "W" * 80, "delta")
"""Who play the games to watch."""


def replays(folder: Path) -> Path:
    """Write the site of two fixtures of four bots with hostile names, some of whom fault."""
    rules = variant("bga", {}, calza=True)
    played = [
        games.fixture(0, "bga", rules, SEATS, 3, detail=NASTY),
        games.fixture(1, "bga", rules, SEATS, 1),
    ]
    league = factory.league(SEATS, variants={"bga": rules}, players=(4,), name=NASTY)
    return write_site(league, factory.ratings(played), played, folder).parent


ATTACK = (
    '</script><script>document.title="owned";alert(1)</script>',
    "<img src=x onerror=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    '"><svg onload="document.title=\'owned\'"><style>*{display:none}</style>',
    "\x1b[31m\x1b]0;owned\x07\u202egnorts\u2066\x00\udc80",
    "W" * 200,
)
"""Names that were made to do harm, in as many ways as there are."""
FETCHER = '<link rel=stylesheet href=http://192.0.2.1/x.css><img src="//192.0.2.1/x.png">'
ENEMY = "".join(ATTACK[:5]) + "{{ 7 * 7 }}<!-- --!></title></pre></code>" + FETCHER


def hostile(folder: Path) -> Path:
    """Write a site in which every text that a bot or a league may choose is an attack."""
    rules = {"bga": variant("bga", {}), ENEMY: variant("pressman", {}, calza=True)}
    played = [
        _enemies(0, "bga", rules["bga"], ATTACK[:2]),
        _enemies(1, "bga", rules["bga"], ATTACK[2:4]),
        _enemies(2, ENEMY, rules[ENEMY], ATTACK),
    ]
    bots = tuple(BotInfo(name, ENEMY, ENEMY, ENEMY, ENEMY) for name in ATTACK)
    league = factory.league(ATTACK, name=ENEMY, variants=rules, bots=bots, seed=ENEMY)
    ratings = factory.ratings(played, overall=True, anchor=ATTACK[0])
    cases = [Suspicion("collusion", ENEMY, 6, ATTACK[0], ATTACK[1], 9, 0.5, 0.1, 0.001)]
    ratings = replace(ratings, suspicions=cases)
    return write_site(_with_machine(league), ratings, played, folder, replays="all").parent


def _with_machine(conditions: Conditions) -> Conditions:
    return replace(conditions, sandbox=ENEMY, machine=MachineInfo(ENEMY, 1, 1, ENEMY, ENEMY))


def _enemies(index: int, label: str, rules: Rules, seats: tuple[str, ...]) -> PlayedFixture:
    one = games.fixture(index, label, rules, seats, 2, detail=ENEMY)
    return replace(one, stderr=(ENEMY,) * len(seats), sandbox=ENEMY)


def showcase(folder: Path, left: int = 0) -> Path:
    """Write the site of 24 bots at tables of 2, 3 and 6 by two rule books, as visitors see it.

    With `left`, so many fixtures are still to come.
    """
    kinds = [(label, size) for label in ("bga", "classic") for size in (2, 3, 6)]
    rules = {label: variant(label, {}) for label in ("bga", "classic")}
    blocks = 3 if left else 12
    many = blocks * len(FIELD)
    played = [
        _shown(at * many + number, label, size, rules[label])
        for at, (label, size) in enumerate(kinds)
        for number in range(many)
    ]
    bots = tuple(factory.bot(name, author=_AUTHORS[at % 4]) for at, name in enumerate(FIELD))
    league = factory.league(
        FIELD, name="Autumn Cup 2031", variants=rules, players=(2, 3, 6), bots=bots
    )
    ratings = factory.ratings(played, overall=True)
    return write_site(league, ratings, played, folder, root="e" * 64, left=left).parent


FIELD = (
    "Cardano",
    "Markov",
    "Gaussian",
    "Sevens",
    "Oracle",
    "Quipu",
    "Kelly",
    "Wildcard",
    "ElBluff",
    "Ivory",
    "UncleBob",
    "Ada",
    "Glitch",
    "Fermat",
    "Dudo-Duck",
    "Pascal",
    "Bernoulli",
    "Cup&Saucer",
    "Кубик",
    "骰子",
    "honest-2",
    "Pólya",
    "LastDie",
    "Zeno",
)
"""Names in several scripts, in falling strength but for Glitch."""
_AUTHORS = ("Ada Lovelace", "Émilie du Châtelet", "Kurt Gödel", "Srinivasa R.")


def _shown(index: int, label: str, size: int, rules: Rules) -> PlayedFixture:
    """A fixture by strength; every 40th is of real games, and Glitch faults in one of five."""
    chance = Random(f"{index} {label} {size}")
    start = index % len(FIELD)
    others = [at for at in range(len(FIELD)) if at != start]
    seats = (start, *chance.sample(others, size - 1))
    names = tuple(FIELD[at] for at in seats)
    if index % 40 == 0:
        one = games.fixture(index, label, rules, names, 4)
    else:
        plan = records.fixture(names, 4, id=f"{index:016x}", index=index, variant=label)
        drawn = [_drawn(number, seats, chance) for number in range(4)]
        one = records.played(plan, drawn, sandbox="bubblewrap", decisions=100, seconds=1.0)
    fixture = replace(one.fixture, block=index // len(FIELD))
    return replace(one, fixture=fixture, stored_at=_NIGHT + index)


def _drawn(number: int, seats: tuple[int, ...], chance: Random) -> GameRecord:
    """A game of one bid; the first bots of the field do best, though not by much."""
    luck = [chance.gauss(-1.5 * (bot // 3 * 3) / len(FIELD), 1) for bot in seats]
    order = sorted(range(len(seats)), key=lambda seat: -luck[seat])
    last: CallMade | Faulted = CallMade(1, "dudo", 2 * len(seats), 1, None)
    if FIELD.index("Glitch") in seats and chance.random() < 0.2:
        seat = seats.index(FIELD.index("Glitch"))
        order = [*(one for one in order if one != seat), seat]
        causes = [(Cause.TIMEOUT, "no answer within 2 s"), (Cause.CRASH, "exit status 1")]
        last = Faulted(seat, *causes[number % 2])
    places = tuple(order.index(seat) + 1 for seat in range(len(seats)))
    dice = tuple((1, 2, 3, 4, 5) for _ in seats)
    return GameRecord(number, places, [RoundStarted(0, 0, None, dice), BidMade(0, 2, 3), last])
