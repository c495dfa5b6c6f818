"""Answers of models that are in a record, so that the same request costs nothing again."""

from collections.abc import Iterable, Iterator

from arena.game.exchanges import Exchange


class Recorded:
    """The exchanges of a fixture, each of which answers the same request to the same model.

    Of several answers to one request, that of the same game and turn is taken, else the first one
    that was not taken yet. Unless each is taken `once`, the last one is taken any number of times.
    `new` is how many requests had no answer, `repeated` how many had one.
    """

    def __init__(self, exchanges: Iterable[Exchange] = (), *, once: bool = False) -> None:
        self._once = once
        self.new = 0
        self.repeated = 0
        self._left: dict[tuple[str, str], list[Exchange]] = {}
        micros: list[int] = []
        for exchange in exchanges:
            if exchange.request:  # words that were too long are not kept
                key = exchange.model, exchange.request
                self._left.setdefault(key, []).append(exchange)
            if not exchange.refused:
                micros.append(exchange.micros)
        self.mean_micros = sum(micros) / len(micros) if micros else 0.0
        """What a request cost on average, in millionths."""

    def take(self, model: str, request: str, game: int, turn: int) -> Exchange | None:
        """Return the exchange that answers a request, None if it is new."""
        left = self._left.get((model, request))
        if not left:
            self.new += 1
            return None
        self.repeated += 1
        same = [number for number, one in enumerate(left) if (one.game, one.turn) == (game, turn)]
        place = same[0] if same else 0
        return left.pop(place) if self._once or len(left) > 1 else left[place]

    def left(self) -> Iterator[Exchange]:
        """Yield those with a request that were not taken, or would be taken again."""
        for exchanges in self._left.values():
            yield from exchanges
