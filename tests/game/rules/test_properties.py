"""Properties of every game, whatever the rule book, the switches and the play."""

from collections import Counter
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.rules import round as round_
from arena.game.rules.books import FACES, PACO, Rules
from arena.game.rules.explain import why_illegal_bid
from arena.game.rules.round import Bid, Round, Standing, calza_seats, is_legal, raises
from arena.game.rules.view import seen_by
from tests.support.depth import depth
from tests.support.random_games import Played, games, rules

each_game = settings(max_examples=depth(50, 150), deadline=None, database=None)


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
def test_the_right_seat_pays(game: list[Played]) -> None:
    """TIE, CALZA-RIGHT, CALZA-WRONG: by the dice that match the last bid, counted here anew."""
    for played in game:
        last, outcome, standing = played.said[-1], played.outcome, played.before
        plain = standing.palifico_seat is not None or not standing.rules.pacos_wild
        matching = {last.face} if plain else {last.face, PACO}
        count = sum(die in matching for hand in played.hands for die in hand)
        assert outcome.count == count
        if outcome.call == "dudo":
            assert outcome.caller == played.states[-1].to_act
            payer = outcome.caller if count >= last.quantity else last.seat
            assert (outcome.loser, outcome.gainer) == (payer, None)
        elif count == last.quantity:
            full = standing.dice[outcome.caller] == standing.rules.starting_dice
            assert (outcome.loser, outcome.gainer) == (None, None if full else outcome.caller)
        else:
            assert (outcome.loser, outcome.gainer) == (outcome.caller, None)


@each_game
@given(games())
def test_every_game_ends_within_its_bound(game: list[Played]) -> None:
    """With C dice at the start and R right calzas: at most C - 1 + 2R rounds, of 6C bids each.

    Every call takes a die but a right calza, which gives one back or, to a full cup, none. One die
    is left at least, so at most C - 1 + R rounds took one; the other R are the right calzas
    themselves. Without calza that is a countdown of C - 1 rounds. No rule limits R: it is luck, as
    nobody sees all dice, and where luck does not end, a bot's time for a game does.

    A round's bids only ever go up in one order (`height`), so none of its 6C bids comes twice.
    """
    at_start = game[0].before
    bids = FACES * at_start.cap
    right = sum(played.outcome.loser is None for played in game)
    assert game[-1].outcome.after.alive == 1
    assert right == 0 or at_start.rules.calza
    assert len(game) <= at_start.cap - 1 + 2 * right
    assert all(1 <= len(played.said) <= bids for played in game)


@each_game
@given(games())
def test_only_the_living_act(game: list[Played]) -> None:
    """TURN, OUT, STARTER: whoever opens, bids, calls or is to act has dice."""
    for played in game:
        dice, after = played.before.dice, played.outcome.after
        for state in played.states:
            assert dice[state.to_act] > 0
            assert state.to_act != state.bidder
            own = played.before.rules.calza_by_bidder
            seats = calza_seats(state)
            assert all(dice[seat] > 0 and (own or seat != state.bidder) for seat in seats)
        if after.palifico_seat is None:
            assert after.opener == first_with_dice(after.dice, next_in_line(played))


def next_in_line(played: Played) -> int:
    """STARTER, CALZA-START: as the rules say, who lost, who won, or the left of the opener."""
    outcome, rule = played.outcome, played.before.rules.next_opener
    if rule == "left":
        return (played.before.opener + 1) % len(played.before.dice)
    if rule == "loser":
        return outcome.caller if outcome.loser is None else outcome.loser
    bidder = played.said[-1].seat
    return bidder if outcome.loser == outcome.caller else outcome.caller


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
    palifico = standing.palifico_seat is not None
    if last is None:
        return bid.face != PACO or palifico or book.open_with_pacos or not book.pacos_wild
    if same:
        return more > 0
    up = more == 0 or (more > 0 and book.raise_quantity_and_face)
    if not palifico and book.pacos_wild:
        if last.face == PACO:
            return bid.quantity > 2 * last.quantity - (not book.from_pacos_one_more)
        if bid.face == PACO:
            return 2 * bid.quantity > last.quantity - book.from_pacos_one_more
    high = FACES + 1 if book.ones_high else PACO
    face, last_face = (high if one == PACO else one for one in (bid.face, last.face))
    if palifico:
        return face > last_face and up and may_raise_the_face(now)
    return up if face > last_face else more > 0 and book.raise_to_lower_face


def may_raise_the_face(now: Round) -> bool:
    if now.to_act == now.standing.palifico_seat:
        return now.standing.rules.palifico_opener_may_raise_face
    return is_veteran_on_turn(now)


def is_veteran_on_turn(now: Round) -> bool:
    standing, seat = now.standing, now.to_act
    had_it_before = standing.palifico_used[seat] and standing.palifico_seat != seat
    return standing.rules.veteran_may_raise_face and standing.dice[seat] == 1 and had_it_before


def check_offer(now: Round) -> None:
    """Ranges, `is_legal`, the judge and the clauses say the same of every bid there is."""
    offered = raises(now)
    assert [span.face for span in offered] == sorted({span.face for span in offered})
    in_ranges = {(n, span.face) for span in offered for n in range(span.min, span.max + 1)}
    for face in range(-1, FACES + 3):
        for quantity in range(-1, now.standing.cap + 3):
            bid = Bid(quantity, face)
            allowed = may_answer(now, bid)
            assert is_legal(now, bid) == ((quantity, face) in in_ranges) == allowed
            assert (why_illegal_bid(now, now.to_act, bid) is None) == allowed
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
    """PAL-LOCK, PAL-VETERAN, for every mixture of veterans, also if palifico recurs."""
    size = st.integers(0, min(2, book.starting_dice))
    dice = (1, *data.draw(st.lists(size, min_size=players - 1, max_size=players - 1)))
    used = tuple(data.draw(st.lists(st.booleans(), min_size=players, max_size=players)))
    standing = Standing(book, dice, used, 0, 0)
    last = Bid(min(quantity, standing.cap), face)
    for seat in range(players):
        if dice[seat]:
            check_offer(Round(standing, seat, last, (seat - 1) % players))


def height(bid: Bid, standing: Standing) -> tuple[int, int]:
    """Return a bid's rank in the order that holds in all rule books and with any switches.

    Where pacos are not wild, that is quantity before face, and FACES says which is the highest.
    Otherwise pacos rank above twice as many of any number and below the next quantity: TO-PACOS
    takes half as many and FROM-PACOS one more than twice as many. If twice as many are enough, they
    rank just below these. The books differ only in which of the higher bids they allow.
    """
    rules_now = standing.rules
    if bid.face == PACO and standing.palifico_seat is None and rules_now.pacos_wild:
        return 2 * bid.quantity, FACES + 1 if rules_now.from_pacos_one_more else PACO
    high = bid.face == PACO and rules_now.ones_high
    return bid.quantity, FACES + 1 if high else bid.face


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


@each_game
@given(games(), st.integers(0, 2**32))
def test_a_raise_goes_up(game: list[Played], seed: int) -> None:
    """Every offered bid ranks above the last one; under RAISE-BOTH and RAISE-DOWN every bid that
    ranks above it is offered, outside palifico rounds."""
    now = Random(seed).choice([state for played in game for state in played.states])
    if now.bid is None:
        return
    standing, rules_now = now.standing, now.standing.rules
    floor = height(now.bid, standing)
    every = {Bid(n, face) for n in range(1, standing.cap + 1) for face in range(1, FACES + 1)}
    higher = {bid for bid in every if height(bid, standing) > floor}
    offered = {Bid(n, span.face) for span in raises(now) for n in range(span.min, span.max + 1)}
    assert offered <= higher
    free = rules_now.raise_quantity_and_face and rules_now.raise_to_lower_face
    if free and standing.palifico_seat is None:
        assert offered == higher


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
        due = after.rules.palifico and fell and not again and not too_few
        assert (after.palifico_seat is not None) == due
        assert after.palifico_seat in (None, loser)
        assert after.palifico_seat in (None, after.opener)
    if game[0].before.rules.palifico_once:
        assert len(had_it) == len(set(had_it))


@each_game
@given(games())
def test_palifico_rounds_of_a_seat(game: list[Played]) -> None:
    """PAL-ONCE: one a game under bga and pressman; else one for every fall to one die, and a seat
    falls again only after a calza gave it a die back."""
    book = game[0].before.rules
    had_it = Counter(played.before.palifico_seat for played in game)
    regained = Counter(played.outcome.gainer for played in game)
    for seat in range(len(game[0].before.dice)):
        most = 1 if book.palifico_once else 1 + regained[seat]
        assert had_it[seat] <= (most if book.starting_dice > 1 else regained[seat])


# ---------------------------------------------------------------- views


@each_game
@given(games(), st.integers(0, 2**32))
def test_views_hide_what_others_hold(game: list[Played], seed: int) -> None:
    """Other seats' dice change no view, nor does their number if lost dice are hidden."""
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


@each_game
@given(games())
def test_every_raise_is_higher_in_the_order_of_the_engine(game: list[Played]) -> None:
    for played in game:
        wild = played.states[0].standing.wild
        bids = [one.bid for one in played.states if one.bid]
        heights = [round_.height(played.before.rules, wild, bid) for bid in bids]
        assert heights == sorted(set(heights))
