"""Count bid sequences, to check move generators against each other."""

from arena.game.rules.round import Bid, Round, Standing, open_round, place, raises


def perft(standing: Standing) -> int:
    """Count all non-empty bid sequences of the coming round, without calls.

    Sequences that reach the same bid with the same seat on turn have the same futures, which are
    counted once.
    """
    known: dict[tuple[int, Bid | None], int] = {}

    def futures(now: Round) -> int:
        key = (now.to_act, now.bid)
        if key not in known:
            bids = [Bid(n, r.face) for r in raises(now) for n in range(r.min, r.max + 1)]
            known[key] = sum(1 + futures(place(now, bid)) for bid in bids)
        return known[key]

    return futures(open_round(standing))
