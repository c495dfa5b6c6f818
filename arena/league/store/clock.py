"""The clock that fixtures are stored by."""

import time
from collections.abc import Callable


def steady_clock() -> Callable[[], float]:
    """Return a clock in seconds since 1970 that no setting of the time moves; sleep counts."""
    began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return lambda: began + time.clock_gettime(time.CLOCK_BOOTTIME)
