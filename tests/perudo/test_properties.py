"""What holds in every game, whatever the rule book, the switches and the play."""

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.perudo.round import Bid, Outcome, Round, Standing, calza_seats, is_legal, raises
from arena.perudo.rules import FACES, PACO, Rules
from arena.perudo.view import seen_by
from tests.perudo.games import Played, games, rules

each_game = settings(max_examples=150, deadline=None, database=None)


# ---------------------------------------------------------------- dice


@each_game
@given(games())
def test_dice_are_conserved(game: list[Played]) -> None:
    """A call moves one die at most: the loser's or the gainer's, within 0 and the start."""
    for played in game:
        before, outcome = played.before, played.outcome
        change = [new - old for old, new in zip(before.dice, outcome.after.dice, strict=True)]
        expected = [0] * len(before.dice)
        if outcome.loser is not None:
            expected[outcome.loser] = -1
        if outcome.gainer is not None:
            expected[outcome.gainer] = 1
        assert change == expected
        assert outcome.loser is None or outcome.gainer is None
        assert all(0 <= n <= before.rules.starting_dice for n in outcome.after.dice)
        assert 0 <= outcome.count <= sum(before.dice)


@each_game
@given(games())
def test_every_game_ends(game: list[Played]) -> None:
    """`play` stops only at a winner; every dudo takes a die, so without calza it is a countdown."""
    book = game[0].before.rules
    assert game[-1].outcome.after.alive == 1
    assert all(played.outcome.loser is not None or book.calza for played in game)
    if not book.calza:
        left = sum(game[-1].outcome.after.dice)
        assert len(game) == sum(game[0].before.dice) - left


@each_game
@given(games())
def test_only_the_living_act(game: list[Played]) -> None:
    """TURN, OUT, STARTER: whoever opens, bids, calls or is to act has dice."""
    for played in game:
        dice, after = played.before.dice, played.outcome.after
        for state in played.states:
            assert dice[state.to_act] > 0
            assert state.to_act != state.bidder
            assert all(dice[seat] > 0 and seat != state.bidder for seat in calza_seats(state))
        assert after.opener == first_with_dice(after.dice, next_in_line(played.outcome))


def next_in_line(outcome: Outcome) -> int:
    """STARTER, CALZA-START: who lost the die opens, and a caller of calza in any case."""
    return outcome.caller if outcome.loser is None else outcome.loser


def first_with_dice(dice: tuple[int, ...], seat: int) -> int:
    """OUT: the seat itself, or the first to its left that is still in the game."""
    around: list[int] = [*range(seat, len(dice)), *range(seat)]
    return next(other for other in around if dice[other])


# ---------------------------------------------------------------- bids


def may_answer(now: Round, bid: Bid) -> bool:
    """Whether the clauses let the seat on turn say `bid`, by the switches, one bid at a time."""
    standing, last, book = now.standing, now.bid, now.standing.rules
    cap = len(standing.dice) * book.starting_dice
    if not (1 <= bid.quantity <= cap and PACO <= bid.face <= FACES):
        return False
    more, same = bid.quantity - (last.quantity if last else 0), last and bid.face == last.face
    if last is None:
        return bid.face != PACO or standing.palifico_seat is not None
    if same:
        return more > 0
    up = more == 0 or (more > 0 and book.raise_quantity_and_face)
    if standing.palifico_seat is not None:
        return bid.face > last.face and up and is_veteran_on_turn(now)
    if last.face == PACO:
        return bid.quantity > 2 * last.quantity
    if bid.face == PACO:
        return 2 * bid.quantity >= last.quantity
    return up if bid.face > last.face else more > 0 and book.raise_to_lower_face


def is_veteran_on_turn(now: Round) -> bool:
    standing, seat = now.standing, now.to_act
    had_it_before = standing.palifico_used[seat] and standing.palifico_seat != seat
    return standing.rules.veteran_may_raise_face and standing.dice[seat] == 1 and had_it_before


def check_offer(now: Round) -> None:
    """The ranges, `is_legal` and the clauses say the same of every bid there is."""
    offered = raises(now)
    assert [span.face for span in offered] == sorted({span.face for span in offered})
    in_ranges = {(n, span.face) for span in offered for n in range(span.min, span.max + 1)}
    for face in range(-1, FACES + 3):
        for quantity in range(-1, now.standing.cap + 3):
            bid = Bid(quantity, face)
            assert is_legal(now, bid) == ((quantity, face) in in_ranges) == may_answer(now, bid)
    assert all(span.min <= span.max for span in offered)


@each_game
@given(games(), st.integers(0, 2**32))
def test_offers_are_exactly_the_legal_bids(game: list[Played], seed: int) -> None:
    states = [state for played in game for state in played.states]
    for state in Random(seed).sample(states, min(8, len(states))):
        check_offer(state)


@each_game
@given(rules(), st.integers(3, 6), st.integers(1, 12), st.integers(1, 6), st.data())
def test_offers_in_palifico_rounds(
    book: Rules, players: int, quantity: int, face: int, data: st.DataObject
) -> None:
    """PAL-LOCK, PAL-VETERAN, for every mixture of veterans, also where palifico comes again."""
    size = st.integers(0, min(2, book.starting_dice))
    dice = (1, *data.draw(st.lists(size, min_size=players - 1, max_size=players - 1)))
    used = tuple(data.draw(st.lists(st.booleans(), min_size=players, max_size=players)))
    standing = Standing(book, dice, used, 0, 0)
    last = Bid(min(quantity, standing.cap), face)
    for seat in range(players):
        if dice[seat]:
            check_offer(Round(standing, seat, last, (seat - 1) % players))


def height(bid: Bid, standing: Standing) -> tuple[int, int]:
    """Where a bid stands in its round: pacos count double, and above that number."""
    if bid.face == PACO and standing.palifico_seat is None:
        return 2 * bid.quantity, FACES + 1
    return bid.quantity, bid.face


@each_game
@given(games())
def test_bids_of_a_round_strictly_progress(game: list[Played]) -> None:
    """No bid comes twice in a round, so every round ends and PACOS-ONCE holds by itself."""
    for played in game:
        bids = [Bid(said.quantity, said.face) for said in played.said]
        heights = [height(bid, played.before) for bid in bids]
        assert all(low < high for low, high in pairwise(heights))
        pacos = [bid.quantity for bid in bids if bid.face == PACO]
        assert len(pacos) == len(set(pacos))


# ---------------------------------------------------------------- palifico


@each_game
@given(games())
def test_palifico_rounds(game: list[Played]) -> None:
    """PAL-TRIGGER, PAL-ONCE, PAL-TWO: right after the fall to one die, and as often as the rules
    say."""
    had_it: list[int] = []
    for played in game:
        after, loser = played.outcome.after, played.outcome.loser
        if played.before.palifico_seat is not None:
            had_it.append(played.before.palifico_seat)
        fell = loser is not None and after.dice[loser] == 1
        again = loser in had_it and after.rules.palifico_once
        too_few = after.alive == 2 and not after.rules.palifico_with_two_left
        assert (after.palifico_seat is not None) == (fell and not again and not too_few)
        assert after.palifico_seat in (None, loser)
        assert after.palifico_seat in (None, after.opener)
    if game[0].before.rules.palifico_once:
        assert len(had_it) == len(set(had_it))


# ---------------------------------------------------------------- views


@each_game
@given(games(), st.integers(0, 2**32))
def test_views_hide_what_others_hold(game: list[Played], seed: int) -> None:
    """Other seats' dice, and where lost dice are hidden their number too, change no view."""
    rng = Random(seed)
    played = rng.choice(game)
    now = played.states[-1]
    seat = rng.choice([s for s, left in enumerate(now.standing.dice) if left])
    seen = seen_by(seat, now, played.hands, played.said)
    dice = tuple(other_count(now.standing, s, seat, rng) for s in range(len(played.hands)))
    hands = tuple(
        hand if s == seat else tuple(rng.choices(range(1, FACES + 1), k=dice[s]))
        for s, hand in enumerate(played.hands)
    )
    other = replace(now, standing=replace(now.standing, dice=dice))
    assert seen_by(seat, other, hands, played.said) == seen
    assert seen.dice == played.hands[seat]
    assert (seen.dice_counts is None) != now.standing.rules.lost_dice_visible


def other_count(standing: Standing, seat: int, viewer: int, rng: Random) -> int:
    """A number of dice that `viewer` could not tell from the one `seat` has."""
    have = standing.dice[seat]
    if seat == viewer or not have or standing.rules.lost_dice_visible:
        return have
    return rng.randint(1, standing.rules.starting_dice)


@each_game
@given(games(), st.integers(0, 2**32))
def test_offers_hide_what_others_hold(game: list[Played], seed: int) -> None:
    """OVER-TOTAL, LOST-DICE: the bids offered do not tell how many dice the others have left."""
    rng = Random(seed)
    now = rng.choice(rng.choice(game).states)
    count = len(now.standing.dice)
    dice = tuple(other_count(now.standing, seat, now.to_act, rng) for seat in range(count))
    other = replace(now, standing=replace(now.standing, dice=dice))
    assert raises(other) == raises(now)
