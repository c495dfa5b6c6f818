"""Where browsers reach the door: under which names, and below which path."""

from typing import NamedTuple

from starlette.requests import Request


class Where(NamedTuple):
    """Where a door is reached."""

    origins: frozenset[str]
    """`https://ladder.example.org` and so on, without the path."""
    path: str = ""
    """The path below which all of it is, as `/perudo`; "" if the whole host is the door's."""
    plain: bool = False
    """Whether browsers come over a network by plain HTTP, and have no secure cookies."""

    @property
    def hosts(self) -> frozenset[str]:
        """Return the values of `Host` that mean the door."""
        return frozenset(origin.partition("://")[2] for origin in self.origins)


def where_of(request: Request) -> Where:
    """Return where the door that was asked is reached."""
    where: Where = request.app.state.where
    return where


def path_of(request: Request) -> str:
    """Return the path that is asked for, without that of the door."""
    path, below = request.url.path, where_of(request).path
    return path.removeprefix(below) if path.startswith(f"{below}/") else path


def address_of(request: Request) -> str:
    """Return the address of the door, as who asks knows it."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}{where_of(request).path}"
