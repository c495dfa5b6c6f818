"""`arena serve` refuses what cannot be, in one line."""

import builtins
import socket
from pathlib import Path
from typing import Any

import pytest

from arena.io import shipped
from tests.cli.command import error_line, run
from tests.ladder.web.doors import Door


def test_a_folder_that_is_no_ladder(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        error_line(run("serve", folder, cwd=tmp_path), "it is no ladder")


def test_a_port_that_is_taken(door: Door, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        root = door.folder.root
        error_line(run("serve", root, "--port", port, cwd=tmp_path), "another door is open")
        other = tmp_path / "other"
        words = ("ladder", "init", other, "--sandbox", "process", "--trust-bots")
        assert run(*words, cwd=tmp_path).code == 0
        error_line(run("serve", other, "--port", port, cwd=tmp_path), "cannot listen there")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "192.0.2.1"), "links and sessions need HTTPS"),
        (("--host", "ladder.example.org"), "links and sessions need HTTPS"),
        (("--host", "192.0.2.1", "--url", "http://x.test"), "links and sessions need HTTPS"),
        (("--behind-proxy",), "where browsers reach it"),
        (("--behind-proxy", "--url", "http://x"), "where browsers reach it"),
        (("--certificate", "none.pem"), "a certificate needs its key"),
        (("--certificate", "none.pem", "--key", "none.pem"), "No such file"),
        (("--certificate", "/etc/passwd", "--key", "/etc/passwd"), "it cannot be used"),
        (("--port", "99999"), "99999"),
    ],
)
def test_addresses_at_which_secrets_would_be_read(
    door: Door, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    error_line(run("serve", door.folder.root, *options, cwd=tmp_path), said)


def test_a_ladder_yaml_that_cannot_be_read(tmp_path: Path) -> None:
    words = ("ladder", "init", "club", "--sandbox", "process", "--trust-bots")
    assert run(*words, cwd=tmp_path).code == 0
    (tmp_path / "club/ladder.yaml").write_text("quotas: {uploads: many}\n")
    error_line(run("serve", "club", "--port", 0, cwd=tmp_path), "ladder.yaml")


def test_a_package_that_is_missing(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "arena.ladder.web.run":
            raise ModuleNotFoundError(name="starlette")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    ran = run("serve", door.folder.root, cwd=tmp_path)
    error_line(ran, "starlette is not installed", shipped.how_to_install("serve"))


@pytest.mark.parametrize("command", ["serve", "ladder invite"])
@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "ladder.example.org",
        "https://",
        "https://x/a//b",
        "https://x/..",
        "https://x/ü",
        "https://-x.ü",
        "https://a@x",
        "https://[x",
    ],
)
def test_an_address_that_is_none_of_a_door(
    door: Door, tmp_path: Path, command: str, url: str
) -> None:
    who = ("ann",) if command == "ladder invite" else ()
    ran = run(*command.split(), door.folder.root, *who, "--url", url, cwd=tmp_path)
    error_line(ran, "is no address of a door / --url / https://ladder.example.org")
