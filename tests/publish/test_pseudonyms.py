"""A site in which nobody is named."""

import csv
import io
import stat
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import (
    BotInfo,
    Cause,
    Conditions,
    Faulted,
    PlayedFixture,
    QuarantinedFixture,
    RatingsInfo,
)
from arena.io.errors import ArenaError
from arena.publish import pseudonyms
from arena.publish.pseudonyms import Pseudonyms, secret_of, who_is_who
from tests.publish.in_memory import write_site
from tests.publish.pages import broken_links, everything, tree
from tests.support import factory
from tests.support.depth import depth

SECRET = b"secret"
RULES = "the bid of 2 fives is not above 3 fours (RAISE-FACE)"


class World(NamedTuple):
    """What may tell who is who; three bots."""

    bots: tuple[str, ...]
    authors: tuple[str, ...]
    versions: tuple[str, ...]
    runtimes: tuple[str, ...]
    tags: tuple[str, ...]
    gone: str
    said: str
    """What the bots wrote."""

    @property
    def texts(self) -> list[str]:
        """All of it in lower case."""
        of_bots = self.bots + self.authors + self.versions + self.runtimes + self.tags
        return [text.casefold() for text in (*of_bots, self.gone, self.said) if text]


WORLD = World(
    bots=("Quetzal", "Xylo Phone", "fives"),
    authors=("Wilhelmina Oddfellow", "Björn Þórsson", ""),
    versions=("quetzal-7", "6.6.6-oddfellow", "zebra"),
    runtimes=("fortran", "brainfuck", "cobol"),
    tags=("group-of-wilhelmina", "yodeller", "ventriloquist"),
    gone="Leaver",
    said='File "/home/oddfellow/QUETZAL/bot.py", line 3: nrojB, w-i-l-l-i\n',
)
OTHER = World(
    bots=("aardvark", "Mr. B", "zz top"),
    authors=("", "Eve", "Mallory Unnamed"),
    versions=("", "1", "2"),
    runtimes=("python", "python", "rust"),
    tags=("a", "b", "c"),
    gone="Also Gone",
    said="another traceback, much longer than that of the first world\n" * 9,
)


def league(world: World = WORLD) -> Conditions:
    bots = tuple(
        BotInfo(name, author, version, runtime, f"{at:x}" * 64, (tag,))
        for at, (name, author, version, runtime, tag) in enumerate(zip(*world[:5], strict=True), 10)
    )
    gone = factory.bot(world.gone, "Former Ph.D.")
    info = factory.league(world.bots)
    listed = tuple(sorted(bots, key=lambda bot: bot.author))
    return replace(info, bots=listed, struck=(gone,), ratings=RatingsInfo(anchor=world.bots[2]))


def played(world: World = WORLD) -> list[PlayedFixture]:
    """Every cause of faults; what bots wrote is in those that quote them."""
    quoting = {Cause.CRASH, Cause.MALFORMED_LINE}
    faults = [Faulted(1, cause, world.said if cause in quoting else RULES) for cause in Cause]
    pairs = [(a, b) for a in world.bots for b in world.bots if a != b]
    return [
        factory.fixture(index, pair, faults={1: fault}, stderr=(world.said, world.said))
        for index, (pair, fault) in enumerate(zip(pairs, cycle(faults), strict=False))
    ]


def names(conditions: Conditions | None = None, secret: bytes = SECRET) -> Pseudonyms:
    return Pseudonyms(conditions or league(), secret)


def anonymous_site(folder: Path, world: World = WORLD, named: Pseudonyms | None = None) -> Path:
    named = named or names(league(world))
    info, seen = named.info(league(world)), [named.played(one) for one in played(world)]
    last = played(world)[-1].fixture
    quarantined = [named.quarantined(QuarantinedFixture(last, "its worker died", 3, 0.0))]
    ratings = factory.ratings(seen, anchor=info.ratings.anchor, overall=True)
    page = write_site(
        info, ratings, seen, folder, quarantined=quarantined, replays="all", anonymous=True
    )
    return page.parent


def test_anonymous_site_holds_no_name(tmp_path: Path) -> None:
    found = everything(anonymous_site(tmp_path)).casefold().replace(RULES.casefold(), "")
    parts = ["quetzal", "xylo", "wilhelmina", "oddfellow", "björn", "þórsson", "former", "nrojb"]
    assert [text for text in (*WORLD.texts, *parts) if text in found] == []
    assert [bot.digest for bot in league().bots if bot.digest in found] == []
    assert factory.SEED not in found
    assert "bots and authors go by pseudonyms here" in found
    assert broken_links(tmp_path) == []
    assert all(drawn in found for drawn in names(replace(league(), struck=())).bots.values())


def test_anonymous_site_does_not_depend_on_names_and_authors(tmp_path: Path) -> None:
    """The same games give the same site, whoever played them: so no order tells either."""
    found = []
    for world in (WORLD, OTHER):
        named = names(league(world))
        drawn = names().bots.values()
        named.bots = dict(zip((*world.bots, world.gone), drawn, strict=True))
        named.authors = {}
        found.append(tree(anonymous_site(tmp_path / world.gone, world, named)))
    assert found[0] == found[1]


def test_details_in_the_arenas_words_stay_unchanged() -> None:
    """A bot is called by a word of it: to take it out would tell which."""
    found = {
        event.cause: event.detail
        for one in played()
        for game in names().played(one).games
        for event in game.events
        if isinstance(event, Faulted)
    }
    assert found == {
        Cause.TIMEOUT: RULES,
        Cause.CRASH: "withheld",
        Cause.ILLEGAL_ACTION: RULES,
        Cause.MALFORMED_LINE: "withheld",
        Cause.FLOOD: RULES,
    }


def test_pseudonyms_stay_as_bots_come_and_go() -> None:
    info = league()
    more = replace(info, bots=(factory.bot("Newcomer"), *reversed(info.bots)))
    assert names(more).bots.items() >= names().bots.items()
    assert names(more).fingerprint != names().fingerprint


def test_another_secret_draws_other_pseudonyms() -> None:
    assert not set(names().bots.values()) & set(names(secret=b"other").bots.values())
    assert names().fingerprint != names(secret=b"other").fingerprint


def test_anonymous_conditions_keep_the_rules_but_not_the_order_of_bots() -> None:
    info, named = league(), names()
    found = named.info(info)
    assert [bot.name for bot in found.bots] == sorted(named.bots[name] for name in WORLD.bots)
    assert found.ratings.anchor == named.bots["fives"]
    assert [bot.name for bot in found.struck] == [named.bots[WORLD.gone]]
    assert named.ratings(RatingsInfo()).anchor is None
    assert found.seed == ""
    unchanged = {key: getattr(info, key) for key in ("bots", "struck", "ratings", "seed")}
    assert replace(found, **unchanged) == info


@pytest.mark.slow
@settings(max_examples=depth(3, 20), deadline=None, database=None)
@given(st.sets(st.text(min_size=1), min_size=300, max_size=400), st.binary(min_size=1))
def test_pseudonyms_are_unique(bots: set[str], secret: bytes) -> None:
    found = names(factory.league(tuple(sorted(bots))), secret)
    assert len(set(found.bots.values())) == len(bots)


def test_pseudonyms_have_64_different_words_each() -> None:
    for words in (pseudonyms._FIRST.split(), pseudonyms._SECOND.split()):
        assert len(set(words)) == len(words) == 64


def test_bots_that_are_named_keep_their_names_and_nobody_else_gets_them() -> None:
    hidden = Pseudonyms(league(), SECRET).bots
    known, other = [*hidden][:2]
    names = Pseudonyms(league(), SECRET, [known]).bots
    assert names == {**hidden, known: known}
    bots = [BotInfo(name, "", "", "", "") for name in (hidden[other], other)]
    taken = replace(league(), bots=tuple(bots))
    names = Pseudonyms(taken, SECRET, [hidden[other]]).bots
    assert names[hidden[other]] == hidden[other]
    assert len({*names.values()}) == len(names)


def test_key_of_pseudonyms_is_a_csv_table() -> None:
    rows = list(csv.DictReader(io.StringIO(who_is_who(names()))))
    found: dict[str, dict[str, str]] = {"bot": {}, "author": {}}
    for row in rows:
        found[row["kind"]][row["name"]] = row["pseudonym"]
    assert found == {"bot": names().bots, "author": names().authors}
    assert len(rows) == 4 + 3


def test_secret_is_drawn_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    store = tmp_path / "league.sqlite"
    first = secret_of(store)
    assert secret_of(store) == first
    assert len(first) == 64
    [path] = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_of(tmp_path / "other.sqlite") != first


def test_unwritable_secret_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be kept"):
        secret_of(tmp_path / "missing" / "league.sqlite")
