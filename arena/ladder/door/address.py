"""The address of a door as people write it, and where the one that is open was opened."""

import re
from urllib.parse import SplitResult, urlsplit

from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.ladder.folder import Folder

AN_ADDRESS = "https://ladder.example.org"
_USUAL = "http://127.0.0.1:8500"
_PATH = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)*/?")
_SHOWN = 80
_MODE = 0o640
"""The ladder's user reads it as the group of the door's."""


def door_address(text: str, where: str) -> SplitResult:
    """Return the address of a door, without a `/` at its end, and its name as it is asked for.

    Names in other letters than English ones become ASCII (RFC 5891). Raises ArenaError, which says
    `where` the address was, for one to which no browser could go.
    """
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port is not None else ""
        host = _ascii(parts.hostname or "")
    except ValueError:
        raise _no_address(text, where) from None
    is_web = parts.scheme in {"https", "http"} and host
    if not (is_web and _PATH.fullmatch(parts.path)):
        raise _no_address(text, where)
    if parts.query or parts.fragment or "@" in parts.netloc or {"?", "#"} & {*text}:
        raise _no_address(text, where)
    host = f"[{host}]" if ":" in host else host
    return SplitResult(parts.scheme, host + port, parts.path.rstrip("/"), "", "")


def _no_address(text: str, where: str) -> ArenaError:
    return ArenaError(f"{text[:_SHOWN]!a} is no address of a door", where, AN_ADDRESS)


def _ascii(host: str) -> str:
    """Return a host's name in ASCII; raises ValueError for what is none."""
    if host.isascii():
        if not host.isprintable() or " " in host:
            raise ValueError(host)
        return host
    import idna

    return idna.encode(host, uts46=True).decode()


def note_address(folder: Folder, address: str) -> None:
    """Write down where browsers reach the door that is opened now."""
    write_file(folder.door_address, address.encode(), _MODE)


def noted_address(folder: Folder) -> str:
    """Return where the door was opened last; its usual address if that is not known."""
    try:
        return folder.door_address.read_text(encoding="ascii") or _USUAL
    except (OSError, ValueError):
        return _USUAL
