"""Dice and seeds against the digests of `sha256sum` and `sha512sum`, and the counting of faces."""

from hashlib import sha512

import pytest

from arena.game.rules.dice import count_face, first_opener, roll, roll_all
from arena.game.seeds import block_seed, bot_seed, commitment, fixture_seed

DIGEST = (
    "f8df5f181d447e351a696058d6ca72535d9709283afbe20a5d13964b10eab65f"
    "3092a0a77c96a6507724a8ca7f93171432d54d001812cd5731c04b7220b7776b"
)
"""printf %s s/3/2/1 | sha512sum"""


def words_of(digest: str) -> list[int]:
    return [int(digest[at : at + 8], 16) for at in range(0, len(digest), 8)]


def draws(key: str) -> list[int]:
    return words_of(sha512(key.encode()).hexdigest())


@pytest.mark.parametrize("quantity", range(17))
def test_a_die_for_each_word_of_the_digest(quantity: int) -> None:
    expected = tuple(1 + word % 6 for word in words_of(DIGEST)[:quantity])
    assert roll("s", 3, 2, 1, quantity) == expected


def test_all_hands_of_a_round_are_those_of_its_seats() -> None:
    dice = 5, 0, 1, 3, 10, 2
    expected = tuple(roll("s", 3, 2, seat, left) for seat, left in enumerate(dice))
    assert roll_all("s", 3, 2, dice) == expected


@pytest.mark.parametrize("left", range(0, 17, 4))
def test_all_hands_of_a_round_for_seeds_of_any_length(left: int) -> None:
    """A hash takes one block for a key of up to 111 bytes, then one more for each 128."""
    for length in range(260):
        seed = "\u00e9" * (length % 2) + "s" * (length - length % 2)
        hands = roll_all(seed, 3, 2, (left, 0, 16 - left))
        assert hands == (roll(seed, 3, 2, 0, left), (), roll(seed, 3, 2, 2, 16 - left))


def test_every_part_of_the_key_counts() -> None:
    hands = {roll(*key, 16) for key in (("s", 3, 2, 1), ("t", 3, 2, 1), ("s", 4, 2, 1))}
    hands |= {roll("s", 3, number, seat, 16) for number in range(3) for seat in range(3)}
    assert len(hands) == 11


@pytest.mark.parametrize("players", range(2, 7))
def test_a_random_opener(players: int) -> None:
    for game in range(20):
        expected = draws(f"key/{game}/opener/0")[0] % players
        found = first_opener(seed="key", game=game, players=players, highest_roll=False)
        assert found == expected


def highest(key: str, players: int) -> tuple[int, int]:
    """Return who rolls the highest die (only ties roll again), and the number of the last roll."""
    tied = list(range(players))
    for attempt in range(100):
        die = [word % 6 for word in draws(f"{key}/opener/{attempt}")]
        tied = [seat for seat in tied if die[seat] == max(die[other] for other in tied)]
        if len(tied) == 1:
            return tied[0], attempt
    raise AssertionError(key)


@pytest.mark.parametrize("players", range(2, 7))
def test_the_highest_roll_opens(players: int) -> None:
    expected = [highest(f"key/{game}", players) for game in range(200)]
    found = [first_opener("key", game, players, highest_roll=True) for game in range(200)]
    assert found == [seat for seat, _ in expected]
    assert {0, 1, 2} <= {attempt for _, attempt in expected}
    assert set(found) == set(range(players))


HANDS = ((1, 2, 2), (), (1, 3), (6, 6, 6, 1))


@pytest.mark.parametrize(
    ("face", "wild", "count"),
    [
        (2, 1, 5),
        (2, None, 2),
        (2, 3, 3),
        (3, 1, 4),
        (6, None, 3),
        (6, 1, 6),
        (5, 1, 3),
        (5, None, 0),
        (1, 1, 3),
        (1, None, 3),
    ],
)
def test_dice_that_match(face: int, wild: int | None, count: int) -> None:
    assert count_face(HANDS, face, wild) == count


# ---------------------------------------------------------------- seeds


def test_the_commitment_is_a_plain_digest() -> None:
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert commitment("abc") == digest


def test_a_fixtures_dice_have_half_a_digest_as_their_key() -> None:
    assert fixture_seed("master", "a-b/3") == "a7a41c7e00f1a95dd3ab17a421d70548"


def test_a_blocks_dice_have_a_key_of_their_own() -> None:
    """printf %s master/block/bga/2/0 | sha256sum."""
    assert block_seed("master", "bga/2/0") == "dd1f652be1009497e3a1de116d870bb7"


@pytest.mark.parametrize(("seat", "digest"), [(0, 0x9F60CD46), (5, 0x1AB8E809)])
def test_a_bots_seed_has_31_bits(seat: int, digest: int) -> None:
    """The digest's first 32 bits, without the last of them."""
    assert bot_seed("abc", seat) == digest // 2
