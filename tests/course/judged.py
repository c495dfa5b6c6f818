"""A coach that remembers its judgements: the same games of a bot are judged once in a process."""

from hashlib import sha256

from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.playstats.coach.coach import Coach, Judgement

_JUDGED: dict[str, Judgement] = {}


class RememberingCoach(Coach):
    """Judges what it is given when it is asked."""

    def __init__(self, bot: str) -> None:
        super().__init__(bot)
        self._given: list[tuple[PlayedFixture, Rules]] = []

    def add(self, played: PlayedFixture, rules: Rules) -> None:
        """Keep the games of a fixture."""
        self._given.append((played, rules))

    @property
    def games(self) -> int:
        """The number of games that are kept."""
        return sum(len(played.games) for played, _ in self._given)

    def judgement(self) -> Judgement:
        """Return what a coach says of all of them."""
        key = sha256(repr((self.bot, self._given)).encode()).hexdigest()
        if key not in _JUDGED:
            coach = Coach(self.bot)
            for played, rules in self._given:
                coach.add(played, rules)
            _JUDGED[key] = coach.judgement()
        return _JUDGED[key]
