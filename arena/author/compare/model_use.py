"""What the versions of a bot asked language models, and what that cost."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from arena.author.compare.names import version_seat
from arena.bots.bot import Bot
from arena.bots.models.config import MICROS, Model, check_granted, read_key
from arena.game.records import Fixture
from arena.io.errors import ArenaError
from arena.league.store.format.rows import PackedFixture
from arena.league.store.format.texts import unpack_texts


class ModelUse(Struct, frozen=True):
    """The answers of models that a version got in all its games."""

    answers: int = 0
    tokens: int = 0
    """Of prompts and answers together."""
    seconds: float = 0.0
    """From the requests to the answers, one by one."""
    money: float = 0.0
    """In the currency of the prices."""


def check_models(models: Mapping[str, Model], bots: Sequence[Bot]) -> None:
    """Refuse models without their keys, and bots that ask for others; raises ArenaError."""
    for name, model in models.items():
        read_key(name, model)
    for bot in bots:
        if bot.info.models and not models:
            hint = "name the league.yaml that has them: --models league.yaml"
            raise ArenaError("it asks language models, and there are none", str(bot.source), hint)
        check_granted(bot.info.models, models, str(bot.source))


def add_use(uses: dict[str, ModelUse], packed: PackedFixture, fixture: Fixture) -> None:
    """Add what the version at a table asked there."""
    version, seat = version_seat(fixture)
    use = uses.get(version, ModelUse())
    for exchange in unpack_texts(packed.stderr)["exchanges"]:
        if exchange.seat == seat:
            use = ModelUse(
                use.answers + 1,
                use.tokens + exchange.tokens_in + exchange.tokens_out,
                use.seconds + exchange.milliseconds / 1000,
                use.money + exchange.micros / MICROS,
            )
    if use.answers:
        uses[version] = use
