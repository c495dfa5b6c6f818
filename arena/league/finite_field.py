"""Finite fields GF(q), for tables that favour nobody."""

from itertools import product

Poly = tuple[int, ...]
"""An element: its coefficients modulo p, the constant first."""


def prime_power(number: int) -> tuple[int, int] | None:
    """Return (p, e) with number = p^e for a prime p; None where there is none."""
    p = next((d for d in range(2, number + 1) if number % d == 0), None)
    if p is None:
        return None
    e = 0
    while number % p == 0:
        number //= p
        e += 1
    return (p, e) if number == 1 else None


class FiniteField:
    """Arithmetic on 0 .. q-1, which stand for the elements of GF(q); q is a prime power."""

    def __init__(self, q: int) -> None:
        found = prime_power(q)
        if found is None:
            raise ValueError(f"{q} is no prime power")
        self._p, self._e = found
        self._modulus = _irreducible(self._p, self._e)
        # itertools.product counts with the last place fastest: element 0 is zero, whatever q is.
        self._elements = list(product(range(self._p), repeat=self._e))
        self._numbers = {element: number for number, element in enumerate(self._elements)}

    def add(self, one: int, other: int) -> int:
        """Return the sum of two elements."""
        pairs = zip(self._elements[one], self._elements[other], strict=True)
        return self._numbers[tuple((a + b) % self._p for a, b in pairs)]

    def multiply(self, one: int, other: int) -> int:
        """Return the product of two elements."""
        found = _times(self._elements[one], self._elements[other], self._p)
        return self._numbers[_remainder(found, self._modulus, self._p)]


def _times(one: Poly, other: Poly, p: int) -> list[int]:
    found = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] = (found[i + j] + a * b) % p
    return found


def _remainder(dividend: list[int], modulus: Poly, p: int) -> Poly:
    """Divide by a polynomial whose highest coefficient is 1; returns what is left."""
    degree = len(modulus) - 1
    rest = list(dividend)
    while len(rest) > degree:
        factor = rest.pop()
        for i in range(degree):
            at = len(rest) - degree + i
            rest[at] = (rest[at] - factor * modulus[i]) % p
    return tuple(rest + [0] * (degree - len(rest)))


def _irreducible(p: int, e: int) -> Poly:
    """Return the first polynomial of degree e, highest coefficient 1, that has no divisor."""
    for low in product(range(p), repeat=e):
        candidate = (*low, 1)
        if not any(_divides(divisor, candidate, p) for divisor in _monic(p, e // 2)):
            return candidate
    raise ValueError(f"no irreducible polynomial of degree {e} modulo {p}")


def _monic(p: int, degree: int) -> list[Poly]:
    """Return every polynomial of degree 1 to `degree` with highest coefficient 1."""
    return [(*low, 1) for d in range(1, degree + 1) for low in product(range(p), repeat=d)]


def _divides(divisor: Poly, candidate: Poly, p: int) -> bool:
    return not any(_remainder(list(candidate), divisor, p))
