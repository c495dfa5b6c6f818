"""What a site shows of its store beside the games; what bots used of language models."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct, UnsetType, field

from arena.game.records import (
    MODEL_SHARE,
    SERVER_FAILED,
    DecidedBy,
    Division,
    Exchange,
    QuarantinedFixture,
    RatingsInfo,
)
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.store.store import Store
from arena.publish.pseudonyms import Pseudonyms


class ModelUse(Struct):
    """What a bot used of language models in a division."""

    games: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    micros: int = 0
    """Money, in millionths."""
    failed: int = 0
    """Requests that a server failed with, though it answered others."""
    estimated: int = 0
    """Answers whose tokens the arena estimated."""
    capped: tuple[int, int] | None = None
    """The fixture, by its index, and the game in which a cap was reached first."""
    decided: Counter[DecidedBy] = field(default_factory=Counter)
    """How many decisions each made; none of a bot without models."""

    def add(self, fixture: int, exchange: Exchange) -> None:
        """Count an answer, or take note of a refusal; fixtures come in schedule order."""
        if exchange.refused == SERVER_FAILED:
            self.failed += 1
            return
        if exchange.refused:
            self.capped = self.capped or (fixture, exchange.game)
            return
        self.requests += 1
        self.estimated += exchange.estimated
        self.tokens_in += exchange.tokens_in
        self.tokens_out += exchange.tokens_out
        self.milliseconds += exchange.milliseconds
        self.micros += exchange.micros


def model_share(decided: Counter[DecidedBy]) -> float | None:
    """Return the share of decisions that models made; None without any decision."""
    made = decided[DecidedBy.MODEL] + decided[DecidedBy.RETRY]
    return made / decided.total() if decided else None


BotModels = dict[tuple[Division, str], ModelUse]
"""By division and bot."""


class StoreState(Struct, frozen=True):
    """The state of a store that its site shows, beside the games."""

    root: str = ""
    """The hash that pins the store."""
    left: int = 0
    """Fixtures that are due and not stored."""
    quarantined: Sequence[QuarantinedFixture] = ()
    playoff: PlayoffVerdict | None = None
    goes_on: bool = False
    """Whether more is drawn whenever nothing is due, as in the open season of a ladder."""
    models: BotModels = {}
    """What bots used of language models; empty in a league without any."""
    door: str = ""
    """Where the door of a ladder serves the site: a part for the front page of the door is made."""
    entered: Sequence[str] = ()
    """All bots that ever entered a ladder, in this order, by which they got their marks."""
    enter: str = ""
    """Where readers learn how to enter a bot; "" if the league does not say."""
    inputs: str = ""
    """A digest of all that the site is made of; empty if that is not known."""


def not_the_models(used: BotModels, options: RatingsInfo) -> frozenset[str]:
    """Return the bots whose models make too few of their decisions, over all divisions."""
    decided: dict[str, Counter[DecidedBy]] = {}
    for (_, bot), use in used.items():
        decided.setdefault(bot, Counter()).update(use.decided)
    least = least_share(options)
    shares = {bot: model_share(of) for bot, of in decided.items()}
    return frozenset(bot for bot, share in shares.items() if share is not None and share < least)


def least_share(options: RatingsInfo) -> float:
    """Return the least share of its decisions that a bot's models make in a league."""
    return MODEL_SHARE if isinstance(options.model_share, UnsetType) else options.model_share


def model_use(
    store: Store, counts: Callable[[str], bool], names: Pseudonyms | None = None
) -> BotModels:
    """Return it for the fixtures that count and whose requests were not pruned.

    Raises ArenaError for a fixture that is damaged.
    """
    used: BotModels = {}
    for stored in store.stored():
        if not stored.stderr or not counts(stored.id):
            continue
        played = store.decoded(stored.without_games)
        fixture = names.fixture(played.fixture) if names else played.fixture
        for seat, bot in enumerate(fixture.seats):
            use = used.setdefault((fixture.division, bot), ModelUse())
            use.games += fixture.games
            for exchange in played.exchanges:
                if exchange.seat == seat:
                    use.add(fixture.index, exchange)
            use.decided.update(one.by for one in played.decisions_by if one.seat == seat)
    return used
