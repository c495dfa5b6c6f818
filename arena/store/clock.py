"""When something was stored, told by a clock that nobody sets."""

import time
from collections.abc import Callable


def steady_clock() -> Callable[[], float]:
    """Return a clock in seconds since 1970 that goes on evenly from now.

    The machine's own may be set forward or back meanwhile; time in which it sleeps counts.
    """
    began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return lambda: began + time.clock_gettime(time.CLOCK_BOOTTIME)
