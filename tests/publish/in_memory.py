"""Sites of fixtures that are at hand, without a store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from arena.game.records import Conditions, PlayedFixture, QuarantinedFixture
from arena.game.rules.books import Rules
from arena.publish.game_source import Job, Made, Work
from arena.publish.replays import NEWEST, ReplayChoice
from arena.publish.site import publish
from arena.publish.site_state import StoreState
from arena.ratings.league_ratings import Ratings
from tests.support.summaries import faults_of, league_of, summarize_fixture


class InMemory:
    """A source of fixtures in schedule order, without a cache."""

    def __init__(self, played: Sequence[PlayedFixture], variants: Mapping[str, Rules]) -> None:
        self._played = {one.fixture.index: one for one in played}
        summaries = [summarize_fixture(one, variants[one.fixture.variant]) for one in played]
        self.faults = faults_of(summaries)
        self.summary = league_of(summaries)
        self.results = [one.rated for one in summaries]
        self.without_logs = set[int]()
        self.hashes = {index: _hash(one) for index, one in self._played.items()}

    def each(self, work: Work[Made], jobs: Sequence[Job]) -> Iterator[Made]:
        """Yield the result of the work for each job."""
        for index, wanted, given in jobs:
            one = self._played[index]
            games = [record for record in one.games if record.game in wanted]
            yield work(replace(one, games=games), given)

    def beside(self, call: Callable[[], Made]) -> AbstractContextManager[Callable[[], Made]]:
        """Make the call when its result is asked for."""
        return nullcontext(call)

    def cached(self, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """Make it."""
        del name, key
        return make()


def _hash(played: PlayedFixture) -> str:
    return sha256(repr((played.fixture, played.games)).encode()).hexdigest()


def write_site(
    conditions: Conditions,
    ratings: Ratings,
    played: Sequence[PlayedFixture],
    folder: Path,
    *,
    quarantined: Sequence[QuarantinedFixture] = (),
    root: str = "",
    left: int = 0,
    goes_on: bool = False,
    replays: ReplayChoice = NEWEST,
    anonymous: bool = False,
    url: str = "",
    enter: str = "",
) -> Path:
    """Write the site of these fixtures, and return its front page."""
    source = InMemory(played, conditions.variants)
    return publish(
        conditions,
        ratings,
        source,
        folder,
        state=StoreState(root, left, quarantined, goes_on=goes_on, enter=enter),
        replays=replays,
        anonymous=anonymous,
        url=url,
    )
