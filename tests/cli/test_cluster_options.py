"""Addresses of clusters and options for them that are wrong, without a cluster."""

from pathlib import Path

import pytest

from arena.league.cluster.entry import is_exposed
from tests.cli.command import error_line, league, run

PLAY = ("run", "league.yaml", "--cluster")


@pytest.mark.parametrize(
    "address",
    [
        "local:0",
        "local:x",
        "local:",
        "local",
        "local:-1",
        "local:1.5",
        "local:1025",
        "local:\u0664",
    ],
)
def test_wrong_number_of_local_workers_is_refused(tmp_path: Path, address: str) -> None:
    league(tmp_path, sandbox="process")
    error_line(run(*PLAY, address, cwd=tmp_path), address)
    assert not (tmp_path / "league.sqlite").exists()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "10.0.0.1:8786",
        "http://host:1",
        "ucx://10.0.0.1:8786",
        "inproc://1",
        "tcp://",
        "tcp://a b",
        "tcp://host",
        "tcp://:8786",
        "tcp://host:port",
        "tcp://host:0",
        "tcp://host:65536",
        "tcp://host:\u0661",
        "tcp://[::1:8786",
        "tcp://me@host:1",
        "tcp://host:1/path",
        "tcp://host:1 host:2",
    ],
)
def test_wrong_address_is_refused(tmp_path: Path, address: str) -> None:
    league(tmp_path, sandbox="process")
    ran = run(*PLAY, address, cwd=tmp_path)
    error_line(ran, "not a scheduler address", "for example --cluster tls://")
    assert not (tmp_path / "league.sqlite").exists()


def test_workers_option_is_refused_with_a_cluster(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    ran = run(*PLAY, "local:2", "--workers", 2, cwd=tmp_path)
    error_line(ran, "--workers", "--cluster local:2", "leave it out")


def test_mixed_sandboxes_need_a_cluster(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    ran = run("run", "league.yaml", "--mixed-sandboxes", cwd=tmp_path)
    error_line(ran, "--mixed-sandboxes", "--cluster")


@pytest.mark.parametrize(
    ("address", "exposed"),
    [
        ("tcp://127.0.0.1:1", False),
        ("tcp://127.8.0.1:1", False),
        ("tcp://localhost:1", False),
        ("tcp://[::1]:1", False),
        ("local:2", False),
        ("tls://10.0.0.5:1", False),
        ("tcp://10.0.0.5:1", True),
        ("TCP://scheduler:1", True),
        ("tcp://[fe80::1]:1", True),
    ],
)
def test_connections_that_leave_the_machine_in_the_clear(address: str, exposed: bool) -> None:
    assert is_exposed(address) == exposed
