"""Whose a request is: the address that it comes from, or that a proxy names."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ladder.web.doors import PATIENT, door_of, ladder

PROXY: dict[str, Any] = {"behind_proxy": True, "url": "https://ladder.example.org"}
TWICE = replace(PATIENT, rate=0.001, burst=2)


@pytest.mark.parametrize(
    ("forwarded", "other"),
    [
        # What a visitor writes into the header stands before what the proxy adds.
        (["192.0.2.1", "10.0.0.1, 192.0.2.1", "10.0.0.2,10.0.0.3, 192.0.2.1"], "192.0.2.2"),
        (["192.0.2.1", "192.0.2.2, 192.0.2.1", "x, 192.0.2.1"], "192.0.2.1, 192.0.2.2"),
        (["::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"], "::ffff:192.0.2.2"),
        # Who has one address of IPv6 has 64 bits of them.
        (["2001:db8::1", "2001:db8::2", "2001:db8:0:0:9::"], "2001:db8:0:1::1"),
        (["", "no address", "192.0.2.1, -"], "192.0.2.1"),
    ],
)
def test_behind_a_proxy_the_address_is_the_last_that_is_forwarded(
    tmp_path: Path, forwarded: list[str], other: str
) -> None:
    with door_of(ladder(tmp_path), TWICE, **PROXY) as door:
        statuses = [
            door.ask("/live", Host="ladder.example.org", X_Forwarded_For=value).status
            for value in (*forwarded, other)
        ]
    assert statuses == [200, 200, 429, 200]


def test_without_a_proxy_nothing_forwarded_is_believed(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path), TWICE) as door:
        statuses = [
            door.ask("/live", X_Forwarded_For=f"192.0.2.{number}").status for number in range(3)
        ]
    assert statuses == [200, 200, 429]


def test_behind_a_proxy_browsers_are_told_to_come_by_https(tmp_path: Path) -> None:
    with door_of(ladder(tmp_path), **PROXY) as door:
        headers = door.ask("/", Host="ladder.example.org", X_Forwarded_Proto="http").headers
    assert "strict-transport-security" in headers
