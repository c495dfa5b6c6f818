"""Winnowing: a few of the k-grams of a text, chosen so that equal texts choose the same ones.

Schleimer, Wilkerson and Aiken, *Winnowing: Local Algorithms for Document Fingerprinting*, SIGMOD
2003. Of every `WINDOW` k-grams in a row the one with the least hash is chosen, the last of those if
there are several. Whatever two texts share in `GUARANTEE = WINDOW + K - 1` tokens in a row is found
for sure, and nothing that they share in fewer than `K` tokens is. Of random texts a share of
`2 / (WINDOW + 1)` of the k-grams is chosen.

K-grams that are common to many are left out before choosing, so that the guarantee holds for what
is left: of any shared `GUARANTEE` tokens that are not common as a whole, one k-gram is chosen.
"""

from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b

K = 16
"""Tokens of a k-gram."""
WINDOW = 8
"""K-grams of which one is chosen."""
GUARANTEE = WINDOW + K - 1


def kgrams(tokens: Sequence[str]) -> Iterator[int]:
    """Yield the hash of each `K` tokens in a row, the same on every machine."""
    for start in range(len(tokens) - K + 1):
        text = "\0".join(tokens[start : start + K])
        yield int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def winnow(hashes: Sequence[int], common: Collection[int] = ()) -> dict[int, int]:
    """Return the places that are chosen, with their hashes.

    Hashes in `common` are left out. A text of fewer than `WINDOW` k-grams is one window.
    """
    chosen: dict[int, int] = {}
    own = [(-hash_, place) for place, hash_ in enumerate(hashes) if hash_ not in common]
    first = 0
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        while first < len(own) and own[first][1] < start:
            first += 1
        window = own[first : first + WINDOW]
        inside = [hashed for hashed in window if hashed[1] < start + WINDOW]
        if inside:
            hash_, place = max(inside)
            chosen[place] = -hash_
    return chosen
