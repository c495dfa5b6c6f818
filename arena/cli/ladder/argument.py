"""What commands of an operator share: the argument LADDER, and the check of `--url`."""

from urllib.parse import urlsplit

import click

from arena.cli.options import PathType
from arena.io.errors import ArenaError

folder_argument = click.argument("ladder", type=PathType())
"""The folder of a ladder."""
_URL = "https://ladder.example.org"


def door_url(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Return the address of a door, or "": ArenaError for one to which no browser could go."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    plain = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    is_web = parts.scheme in {"https", "http"} and parts.hostname
    if url and not (is_web and plain and url.isascii() and url.isprintable() and " " not in url):
        raise ArenaError(f"{url[:80]!a} is no address of a door", "--url", _URL)
    return url
