"""A site in which nobody is named."""

import csv
import io
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.publish import pseudonyms
from arena.publish.pseudonyms import Pseudonyms, secret_of, who_is_who
from arena.publish.site import write_site
from arena.records import Cause, Faulted, LeagueInfo, PlayedFixture, RatingsInfo, Stage
from tests.publish import factory
from tests.publish.pages import broken_links, everything

BOTS = ("Quetzal", "Xylo Phone", "zw")
AUTHORS = ("Wilhelmina Oddfellow", "Björn Þórsson", "")
SECRET = b"secret"
SAID = 'File "/home/oddfellow/QUETZAL/bot.py", line 3: xylo phone by BJÖRN þórsson (zw), not zwar\n'


def league() -> LeagueInfo:
    info = factory.league(BOTS)
    bots = tuple(
        replace(bot, author=author, version=f"{bot.name}-1")
        for bot, author in zip(info.bots, AUTHORS, strict=True)
    )
    gone = factory.bot("Leaver", "Former Ph.D.")
    stage = Stage((*bots, gone), 2, (2, 2))
    return replace(info, bots=bots, earlier=(stage,), ratings=RatingsInfo(anchor="zw"))


def played() -> list[PlayedFixture]:
    crash = Faulted(1, Cause.CRASH, SAID)
    pairs = [(a, b) for a in BOTS for b in BOTS if a != b]
    return [
        factory.fixture(index, pair, faults={1: crash}, stderr=(SAID, SAID))
        for index, pair in enumerate(pairs)
    ]


def names(info: LeagueInfo | None = None, secret: bytes = SECRET) -> Pseudonyms:
    return Pseudonyms(info or league(), secret)


def anonymous_site(folder: Path) -> Path:
    named = names()
    info, seen = named.info(league()), [named.played(one) for one in played()]
    ratings = factory.ratings(seen, anchor=info.ratings.anchor)
    return write_site(info, ratings, seen, folder, replays="all").parent


def test_no_byte_of_the_site_names_anybody(tmp_path: Path) -> None:
    found = everything(anonymous_site(tmp_path)).casefold()
    words = ["quetzal", "xylo", "wilhelmina", "oddfellow", "björn", "þórsson", "leaver", "former"]
    assert [word for word in words if word in found] == []
    assert [bot.digest for bot in league().bots if bot.digest in found] == []
    assert factory.SEED not in found
    assert "withheld" in found
    assert broken_links(tmp_path) == []
    assert all(drawn in found for drawn in names(replace(league(), earlier=())).bots.values())


def test_names_in_texts_become_pseudonyms() -> None:
    bots, authors = names().bots, names().authors
    assert names().scrubbed(SAID) == (
        f'File "…/bot.py", line 3: {bots["Xylo Phone"]} by {authors[AUTHORS[1]]} '
        f"({bots['zw']}), not zwar\n"
    )
    assert names().scrubbed("") == ""
    assert names(factory.league(())).scrubbed("as it was") == "as it was"


def test_pseudonyms_stay_as_bots_come_and_go() -> None:
    info = league()
    more = replace(info, bots=(factory.bot("Newcomer"), *reversed(info.bots)))
    assert names(more).bots.items() >= names().bots.items()
    assert names(more).fingerprint != names().fingerprint


def test_another_secret_draws_other_pseudonyms() -> None:
    assert not set(names().bots.values()) & set(names(secret=b"other").bots.values())
    assert names().fingerprint != names(secret=b"other").fingerprint


def test_conditions_keep_what_decides_games_and_tell_no_order() -> None:
    info, named = league(), names()
    found = named.info(info)
    assert [bot.name for bot in found.bots] == sorted(named.bots[name] for name in BOTS)
    assert found.ratings.anchor == named.bots["zw"]
    assert len(found.earlier[0].bots) == 4
    assert named.ratings(RatingsInfo()).anchor is None
    assert found.seed == ""
    unchanged = {key: getattr(info, key) for key in ("bots", "earlier", "ratings", "seed")}
    assert replace(found, **unchanged) == info


@settings(max_examples=20, deadline=None, database=None)
@given(st.sets(st.text(min_size=1), min_size=300, max_size=400), st.binary(min_size=1))
def test_no_two_share_a_pseudonym(bots: set[str], secret: bytes) -> None:
    found = names(factory.league(tuple(sorted(bots))), secret)
    assert len(set(found.bots.values())) == len(bots)


def test_there_are_as_many_words_as_are_drawn_from() -> None:
    for words in (pseudonyms._FIRST.split(), pseudonyms._SECOND.split()):
        assert len(set(words)) == len(words) == 64


def test_who_is_who_is_a_table() -> None:
    rows = list(csv.DictReader(io.StringIO(who_is_who(names()))))
    found: dict[str, dict[str, str]] = {"bot": {}, "author": {}}
    for row in rows:
        found[row["kind"]][row["name"]] = row["pseudonym"]
    assert found == {"bot": names().bots, "author": names().authors}
    assert len(rows) == 4 + 3


def test_the_secret_stays_and_is_its_owner_s(tmp_path: Path) -> None:
    store = tmp_path / "league.sqlite"
    first = secret_of(store)
    assert secret_of(store) == first
    assert len(first) == 64
    [path] = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_of(tmp_path / "other.sqlite") != first


def test_a_secret_that_cannot_be_kept_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be kept"):
        secret_of(tmp_path / "missing" / "league.sqlite")
