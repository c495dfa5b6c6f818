"""How well `arena coach` judges, and what it takes: `python -m benchmarks.coach`.

Sample bots that are written in Python play in this process, at tables of two. Prints

- the CPU time per 1,000 games, and what each sample bot gives up per game in games with the others;
- how often a player that takes the action with the highest value beats each of them;
- how well the weights of hidden hands foretell whether the bid on the table is true: the log loss
  of that chance, with hands as they fall and weighed by bids;
- the value of opening in rounds that `tests.exact` solves, beside the exact one, and how far the
  losses of openings, in wins, are from those against an optimal rival.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import groupby, permutations
from math import log
from statistics import fmean

from msgspec import convert, to_builtins

from arena.game.records import GameRecord
from arena.game.referee import Referee
from arena.game.rules.books import BGA, FACES
from arena.game.rules.round import Bid, lose_die
from arena.game.walk import walk
from arena.game.wire.messages import Answer, Turn
from arena.playstats.coach.coach import Coach
from arena.playstats.coach.lookahead import Floats, Lookahead, win_chance
from arena.ratings.maths.intervals import Z95
from benchmarks.shared.players import PROGRAMS, play, player
from tests.exact.certify import certified
from tests.exact.openings import openings
from tests.exact.values import ROUNDS, game_of
from tests.support import records
from tests.support.played_games import Request, play_out

Games = dict[tuple[str, str], list[GameRecord]]


def costs(games: Games) -> Iterator[str]:
    """Yield what each bot gives up, and what it took to find out."""
    coaches, count = {name: Coach(name) for name in PROGRAMS}, 0
    began = time.process_time()
    for index, (names, played) in enumerate(games.items()):
        fixture = records.fixture(names, len(played), id=str(index), index=index)
        for name in names:
            coaches[name].add(records.played(fixture, played), BGA)
            count += len(played)
    seconds = time.process_time() - began
    yield f"{1000 * seconds / count:.0f} s of CPU time per 1,000 games\n"
    yield "| bot | games | wins | wins given up per game |\n|---|---|---|---|"
    for name, coach in coaches.items():
        cost = coach.judgement().cost
        won = [r.places[at.index(name)] == 1 for at, of in games.items() if name in at for r in of]
        yield (
            f"| `{name}` | {coach.games:,} | {fmean(won):.0%} |"
            f" {cost.per_game:.3f} ± {cost.half_width:.3f} |"
        )


def best_answer(referee: Referee, turn: Turn) -> Answer:
    """Return the action with the highest value."""
    look = Lookahead(referee._standing, turn.seat, turn.dice, "")
    heard = [(bid.seat, Bid(bid.quantity, bid.face)) for bid in turn.bids]
    last = heard[-1][1] if heard else None
    weights, numbers = look.weights(heard), look.alternatives(last)
    values = list(weights @ look.after_bids(numbers))
    if last and (not values or weights @ look.after_dudo(last) >= max(values)):
        return Answer(id=0, action="dudo")
    bid = look.bid(numbers[values.index(max(values))])
    return Answer(id=0, action="bid", quantity=bid.quantity, face=bid.face)


def wins(rival: str, number: int) -> bool:
    """Tell whether the player with the best actions wins a game; it changes seats."""
    me = number % 2
    referee = Referee(BGA, 2, f"bench/{rival}", number // 2)
    other = player(rival, BGA, f"bench/{rival}/{number}")

    def choose(seat: int, turn: Request) -> Answer:
        assert isinstance(turn, Turn)
        if seat == me:
            return best_answer(referee, turn)
        return convert(other.choose(to_builtins(turn)), Answer)

    record = play_out(referee, choose, lambda notice: other.hear(to_builtins(notice)))
    return record.places[me] == 1


def strength(games: int) -> Iterator[str]:
    """Yield how often the best actions beat each sample bot."""
    yield "| against | games | wins of the best actions |\n|---|---|---|"
    for rival in PROGRAMS:
        share = fmean(wins(rival, number) for number in range(games))
        half = Z95 * (share * (1 - share) / games) ** 0.5
        yield f"| `{rival}` | {games:,} | {share:.0%} ± {half:.0%} |"


def log_losses(games: Games) -> Iterator[str]:
    """Yield how well bids on the table are foretold, with and without what was bid."""
    plain, weighed = list[float](), list[float]()
    for played_by_pair in games.values():
        for record in played_by_pair:
            for played in walk(record, BGA):
                bids = [(one.seat, Bid(one.quantity, one.face)) for one in played.bids]
                standing = played.now.standing
                looks = [Lookahead(standing, seat, played.hands[seat], "") for seat in (0, 1)]
                for at, (seat, bid) in enumerate(bids):
                    true = played.matching(bid.face) >= bid.quantity
                    look = looks[1 - seat]
                    plain.append(log_loss(look, look.weights([]), bid, true=true))
                    weighed.append(log_loss(look, look.weights(bids[: at + 1]), bid, true=true))
    yield f"log loss of bids on the table: {fmean(plain):.3f} by dice alone, weighed by bids"
    yield f"{fmean(weighed):.3f}; {len(plain):,} bids"


def log_loss(look: Lookahead, weights: Floats, bid: Bid, *, true: bool) -> float:
    """Return the log loss of the chance that the next seat gives a bid; it is never certain."""
    chance = float(weights @ (look._count[:, look.number(bid)] >= bid.quantity))
    chance = min(0.995, max(0.005, chance))
    return -log(chance if true else 1 - chance)


def solved_rounds() -> Iterator[str]:
    """Yield the value of opening beside the exact one, and how far losses are from exact ones."""
    yield "| opener keeps its die | exact | coach | losses: mean error | largest |"
    yield "|---|---|---|---|---|"
    for name in ROUNDS:
        game = game_of(BGA, name)
        lost, kept = (win_chance(lose_die(game.standing, seat), 0) for seat in (0, 1))
        value, errors = 0.0, list[float]()
        for hand, of in groupby(openings(game), lambda one: one.hand):
            exact = list(of)
            look = Lookahead(game.standing, 0, hand, "")
            numbers = [look.number(one.bid) for one in exact]
            coach = (look.weights([]) @ look.after_bids(numbers) - lost) / (kept - lost)
            value += max(coach) / FACES
            best = max(one.keeps for one in exact)
            errors += [
                abs((max(coach) - chance) - (best - one.keeps)) * (kept - lost)
                for one, chance in zip(exact, coach, strict=True)
            ]
        yield (
            f"| {name} | {float(certified(game).low):.3f} | {value:.3f} |"
            f" {fmean(errors):.3f} | {max(errors):.3f} |"
        )


def games_of_pairs(games: int) -> Games:
    """Play games of each ordered pair."""
    pairs: Sequence[tuple[str, str]] = list(permutations(PROGRAMS, 2))
    return {pair: list(play(BGA, pair, "/".join(pair), games)) for pair in pairs}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="per ordered pair of bots")
    options = parser.parse_args()
    games = games_of_pairs(options.games)
    for part in (costs(games), strength(4 * options.games), log_losses(games), solved_rounds()):
        print("\n".join(part), flush=True)
        print()


if __name__ == "__main__":
    main()
