"""Finite fields GF(q), for block designs."""

from itertools import product
from math import log

Poly = tuple[int, ...]
"""An element: its coefficients modulo p, the constant first."""


def prime_power(number: int) -> tuple[int, int] | None:
    """Return (p, e) with number = p^e for a prime p, or None if there are none."""
    for p in range(2, number + 1):
        if number % p == 0:
            e = round(log(number, p))
            return (p, e) if p**e == number else None
    return None


class FiniteField:
    """Arithmetic on 0 .. q-1, which stand for the elements of GF(q); q is a prime power."""

    def __init__(self, q: int) -> None:
        power = prime_power(q)
        if power is None:
            raise ValueError(f"{q} is not a prime power")
        self._p, self._e = power
        self._modulus = _irreducible(self._p, self._e)
        # itertools.product begins with all zeros: number 0 is the zero of the field.
        self._elements = list(product(range(self._p), repeat=self._e))
        self._numbers = {element: number for number, element in enumerate(self._elements)}

    def add(self, a: int, b: int) -> int:
        """Return the sum of two elements."""
        pairs = zip(self._elements[a], self._elements[b], strict=True)
        return self._numbers[tuple(sum(pair) % self._p for pair in pairs)]

    def multiply(self, a: int, b: int) -> int:
        """Return the product of two elements."""
        coefficients = [0] * (2 * self._e - 1)
        for i, one in enumerate(self._elements[a]):
            for j, other in enumerate(self._elements[b]):
                coefficients[i + j] += one * other
        return self._numbers[_remainder(coefficients, self._modulus, self._p)]


def _remainder(dividend: list[int], modulus: Poly, p: int) -> Poly:
    """Return the remainder of a division by a polynomial whose highest coefficient is 1."""
    degree = len(modulus) - 1
    rest = [coefficient % p for coefficient in dividend]
    while len(rest) > degree:
        factor = rest.pop()
        for i in range(degree):
            at = len(rest) - degree + i
            rest[at] = (rest[at] - factor * modulus[i]) % p
    return tuple(rest + [0] * (degree - len(rest)))


def _irreducible(p: int, e: int) -> Poly:
    """Return the first irreducible polynomial of degree e whose highest coefficient is 1."""
    degrees = range(1, e // 2 + 1)
    divisors = [(*low, 1) for degree in degrees for low in product(range(p), repeat=degree)]
    monic = ([*low, 1] for low in product(range(p), repeat=e))
    return next(tuple(one) for one in monic if all(any(_remainder(one, d, p)) for d in divisors))
