"""The start-up time of `arena --help` beyond that of Python: `python -m benchmarks.startup`.

Both are started in turn; the result is the difference of the medians.
"""

import subprocess
import sys
import time
from statistics import median

ROUNDS = 20
BUDGET = 0.150
"""Seconds that `arena --help` may take longer than `python -c pass`."""


def seconds(*arguments: str) -> float:
    """Time one Python process from launch to end."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Print both medians and whether the budget holds."""
    pairs = [(seconds("-c", "pass"), seconds("-m", "arena", "--help")) for _ in range(ROUNDS)]
    bare, ours = (median(column) for column in zip(*pairs, strict=True))
    verdict = "within" if ours - bare <= BUDGET else "OVER"
    print(
        f"python -c pass {bare * 1000:.0f} ms, arena --help {ours * 1000:.0f} ms: "
        f"{(ours - bare) * 1000:.0f} ms more, {verdict} the {BUDGET * 1000:.0f} ms allowed"
    )


if __name__ == "__main__":
    main()
