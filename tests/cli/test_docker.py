"""What a person reads where the docker sandbox cannot be had: one line, before the first game."""

import json
import os
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.cli.command import Ran, error_line, league, records, run

VERSION = {"ApiVersion": "1.45", "MinAPIVersion": "1.24", "Components": []}
FULL = "mkdir /var/lib/docker/overlay2/x: no space left on device"
ARGUMENTS = ("run", "league.yaml", "--sandbox", "docker")


@contextmanager
def daemon(folder: Path, answers: dict[str, tuple[int, object]]) -> Iterator[str]:
    """Answer as a Docker daemon would, by the end of the path; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?", maxsplit=1)[0]
            found = [answer for end, answer in answers.items() if path.endswith(end)]
            code, content = found[0] if found else (200, {})
            body = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the name is the library's

        def address_string(self) -> str:
            return "here"

        def log_message(self, *_: object) -> None:
            pass

    address = folder / "docker.sock"
    with socketserver.ThreadingUnixStreamServer(str(address), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"unix://{address}"
        server.shutdown()


def run_with(folder: Path, address: str, **settings: object) -> Ran:
    league(folder, bots=["sample:odds", "sample:honest"], **settings)
    return run(*ARGUMENTS, cwd=folder, env={"DOCKER_HOST": address})


def check_refused(ran: Ran, *parts: str) -> None:
    error_line(ran, " / ".join(parts))
    assert ran.out == ""


def test_no_daemon(tmp_path: Path) -> None:
    ran = run_with(tmp_path, "unix:///nowhere/docker.sock")
    what = "the sandbox 'docker' does not work here: no Docker daemon answers"
    check_refused(ran, what, "sudo apt-get install docker.io")


def test_a_daemon_that_went_away(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(tmp_path / "docker.sock"))
    ran = run_with(tmp_path, f"unix://{tmp_path}/docker.sock")
    check_refused(ran, "the sandbox 'docker' does not work here: no Docker daemon answers")


def test_an_api_too_old(tmp_path: Path) -> None:
    with daemon(tmp_path, {"/version": (200, VERSION | {"ApiVersion": "1.30"})}) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: Docker's API is 1.30, the arena needs 1.40"
    check_refused(ran, what)


def test_an_image_that_is_missing(tmp_path: Path) -> None:
    missing = (404, {"message": "No such image: perudo-arena/python"})
    answers = {"/version": (200, VERSION), "/json": missing}
    with daemon(tmp_path, answers) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: the image 'perudo-arena/python' is not here"
    check_refused(ran, what, "arena images build")


def test_no_space_left(tmp_path: Path) -> None:
    full = (500, {"message": FULL})
    answers: dict[str, tuple[int, object]] = {
        "/version": (200, VERSION),
        "containers/json": (200, []),
        "/create": full,
    }
    with daemon(tmp_path, answers) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: no space is left for Docker's containers"
    check_refused(ran, what)


def test_no_permission(tmp_path: Path) -> None:
    address = tmp_path / "docker.sock"
    mortal: list[object] = []
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(address))
        closed.listen()
        address.chmod(0o000)
        if os.geteuid() == 0:
            # Root without what lets it open everything, and a socket that is not its own.
            os.chown(address, 65_534, 65_534)
            mortal = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        ran = run("images", cwd=tmp_path, env={"DOCKER_HOST": f"unix://{address}"}, under=mortal)
    check_refused(ran, "no permission on Docker's socket", "sudo usermod -aG docker $USER")


def test_an_image_of_the_league_that_is_missing(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"], images={"python": "no-such-image:1"})
    ran = run(*ARGUMENTS, cwd=tmp_path)
    what = "the sandbox 'docker' does not work here: the image 'no-such-image:1' is not here"
    check_refused(ran, what)
    assert not (tmp_path / "league.sqlite").exists()


@pytest.mark.parametrize(
    ("images", "words"),
    [
        ({"pyton": "python:3.12"}, "unknown runtime 'pyton' / league.yaml:"),
        ({"python": "-rm"}, "'-rm' is not the name of an image / league.yaml:"),
    ],
)
def test_wrong_images(tmp_path: Path, images: dict[str, str], words: str) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"], images=images)
    check_refused(run(*ARGUMENTS, cwd=tmp_path), words)


def test_an_old_runc_is_named(tmp_path: Path) -> None:
    """It is a warning: distributions mend old releases, and do not say so in the number."""
    old = VERSION | {"Components": [{"Name": "runc", "Version": "1.2.7"}]}
    new = VERSION | {"Components": [{"Name": "runc", "Version": "1.3.4"}]}
    for version, named in ((old, True), (new, False)):
        with daemon(tmp_path, {"/version": (200, version), "/json": (200, {})}) as address:
            ran = run("images", cwd=tmp_path, env={"DOCKER_HOST": address})
        (tmp_path / "docker.sock").unlink()
        assert ran.code == 0
        assert ("runc 1.2.7 is older" in ran.err) == named


def test_a_league_in_containers(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:*"], games=2, seed="docker")
    ran = run(*ARGUMENTS, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "sandbox: docker" in ran.err
    verified = run("verify", "league.yaml", cwd=tmp_path)
    assert verified.code == 0, verified.err
    other = ("--sandbox", "bubblewrap", "--store", "other.sqlite", "--site", "other")
    assert run("run", "league.yaml", *other, cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == records(tmp_path / "other.sqlite")


def test_images_are_listed(tmp_path: Path) -> None:
    listed = run("images", "--json", cwd=tmp_path)
    assert listed.code == 0, listed.err
    found = json.loads(listed.out)
    assert found["python"] == {"image": "perudo-arena/python", "here": True}
    assert set(found) == {"python", "node", "c", "any"}


def test_an_image_of_an_unknown_runtime(tmp_path: Path) -> None:
    error_line(run("images", "build", "nod", cwd=tmp_path), "unknown runtime 'nod'", "'node'")


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    refused = (200, {"error": "pull access denied for python"})
    with daemon(tmp_path, {"/version": (200, VERSION), "/build": refused}) as address:
        ran = run("images", "build", "python", cwd=tmp_path, env={"DOCKER_HOST": address})
    what = "the build of perudo-arena/python failed"
    error_line(ran, what, "pull access denied for python", "arena images build --from-host")
