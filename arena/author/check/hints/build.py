"""Why a build failed, worked out from its command and its output."""

import re
from collections.abc import Sequence

_ERROR = re.compile(r"\b(?:error|fatal|cannot|undefined)\b|not found$", re.IGNORECASE)
_NO_NETWORK = re.compile(
    r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|name resolution|[Cc]ould(?: not|n't) resolve host"
    r"|NewConnectionError|network is unreachable|dial tcp|spurious network error"
)
_FETCHES = re.compile(r"\b(?:pip3?|npm|yarn|pnpm) (?:install|ci|add)\b")
_NETWORK_HINT = (
    "a build has no network: put what it needs into the folder; name Python packages in"
    " requirements.txt, for leagues with `packages: true` and for --packages here"
)
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'")
_PLACE = re.compile(r"^--> ")
_MATHS = frozenset({"pow", "exp", "log", "sqrt", "sin", "cos", "floor", "ceil", "lgamma", "fmod"})
_MOST = 200
"""Characters of a line."""


def of_build(command: Sequence[str], output: str) -> str:
    """Return the first error of a build that failed and its cause, or how to mend it if known."""
    if _NO_NETWORK.search(output) or _FETCHES.search(" ".join(command)):
        return _NETWORK_HINT
    if missing := _UNDEFINED.search(output):
        lacks = "-lm at its end" if missing[1] in _MATHS else "every .c file and library"
        return f"{missing[0]}: `build` must name {lacks}"
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it wrote nothing"]
    at = next((number for number, line in enumerate(lines) if _ERROR.search(line)), -1)
    first = lines[at]
    if 0 <= at < len(lines) - 1 and _PLACE.match(lines[at + 1]):  # of rustc
        first = f"{_PLACE.sub('', lines[at + 1])}: {first}"
    if "Caused by:" in lines[at:-1]:  # of Cargo, whose last line says most
        return f"{first[:_MOST]}: {lines[-1][:_MOST]}"
    return first[:_MOST]
