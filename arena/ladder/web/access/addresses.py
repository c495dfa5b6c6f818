"""Where a request comes from: the address that counts for limits."""

from collections.abc import Iterable
from ipaddress import IPv6Address, IPv6Network, ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

_FORWARDED = b"x-forwarded-for"
_PREFIX = 64
"""Bits of an IPv6 address that name a network, which one visitor may have whole (RFC 6177)."""


class BehindProxy:
    """Takes requests from a proxy that speaks HTTPS for those from whom the proxy has them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            scope["scheme"] = "https"
            if address := _forwarded_for(scope["headers"]):
                scope["client"] = address, 0
        await self._app(scope, receive, send)


def _forwarded_for(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the address that the proxy saw; "" if it names none.

    It is the last one: a visitor may have sent those before it.
    """
    forwarded = b",".join(value for name, value in headers if name == _FORWARDED)
    last = forwarded.decode("latin-1").rpartition(",")[2].strip()
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


def network_of(host: str) -> str:
    """Return an address, of IPv6 the network that it is in."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), _PREFIX), strict=False))
