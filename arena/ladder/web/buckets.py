"""How often one address may do something."""

import time

_MOST = 10_000
"""Addresses that are remembered."""


class Buckets:
    """A bucket of tokens for each address, filled at a rate a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._found: dict[str, tuple[float, float]] = {}
        """By address: what was left, and when."""

    def take(self, address: str) -> bool:
        """Take one; False if there is none."""
        left = self._left(address)
        if left < 1:
            return False
        if len(self._found) >= _MOST:
            self._forget()
        self._found[address] = left - 1, time.monotonic()
        return True

    def is_empty(self, address: str) -> bool:
        """Tell whether there is none, without taking one."""
        return self._left(address) < 1

    def _left(self, address: str) -> float:
        left, at = self._found.get(address, (float(self._burst), 0.0))
        return min(self._burst, left + (time.monotonic() - at) * self._rate)

    def _forget(self) -> None:
        """Drop the addresses whose buckets are full again, or all if none is."""
        self._found = {
            one: found for one, found in self._found.items() if self._left(one) < self._burst
        }
        if len(self._found) >= _MOST:
            self._found.clear()
