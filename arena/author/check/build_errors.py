"""Why a build failed, worked out from its output."""

import re

_ERROR = re.compile(r"\b(?:error|fatal|cannot|undefined)\b", re.IGNORECASE)
_NO_NETWORK = re.compile(
    r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|name resolution|[Cc]ould(?: not|n't) resolve host"
    r"|NewConnectionError|network is unreachable|dial tcp|spurious network error"
)
_NETWORK_HINT = (
    "a build has no network: put what it needs into the folder; for Python name the packages in"
    " requirements.txt, and let them in with --packages"
)
_MOST = 200
"""Characters of a line."""


def of_build(output: str) -> str:
    """Return the first error of a build that failed and its cause, or how to mend it if known."""
    if _NO_NETWORK.search(output):
        return _NETWORK_HINT
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    at = next((number for number, line in enumerate(lines) if _ERROR.search(line)), -1)
    first = lines[at]
    if 0 <= at < len(lines) - 1 and lines[at + 1].startswith("--> "):  # the place, of rustc
        first = f"{lines[at + 1].removeprefix('--> ')}: {first}"
    if "Caused by:" in lines[at:-1]:  # of Cargo, whose last line says most
        return f"{first[:_MOST]}: {lines[-1][:_MOST]}"
    return first[:_MOST]
