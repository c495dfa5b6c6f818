"""Times as people read them: UTC to the second, and how long something is ago."""

from datetime import UTC, datetime

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def stamp(seconds: float) -> str:
    """Return a time in seconds since 1970 as `2026-11-23T09:14:02Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def span(seconds: float) -> str:
    """Return a length of time in its largest unit: `12 s`, `6 h`, `3 d`."""
    whole = max(0, round(seconds))
    for size, unit in _UNITS:
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"
