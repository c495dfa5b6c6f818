"""If the docker sandbox does not work, the error is one line, before the first game."""

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

from arena.bots.runtimes import IMAGES
from tests.cli.command import LOWEST, Ran, bot, error_line, league, records, run
from tests.support.depth import depth
from tests.support.sampling import sample

VERSION = {"ApiVersion": "1.45", "MinAPIVersion": "1.24", "Components": []}
FULL = "mkdir /var/lib/docker/overlay2/x: no space left on device"
ARGUMENTS = ("run", "league.yaml", "--sandbox", "docker")


@contextmanager
def daemon(folder: Path, answers: dict[str, tuple[int, object]]) -> Iterator[str]:
    """Answer as a Docker daemon would, by the end of the path; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?", maxsplit=1)[0]
            matching = [answer for end, answer in answers.items() if path.endswith(end)]
            code, content = matching[0] if matching else (200, {})
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
        try:
            yield f"unix://{address}"
        finally:
            server.shutdown()


def run_with(folder: Path, address: str, **settings: object) -> Ran:
    league(folder, bots=["sample:odds", "sample:honest"], **settings)
    return run(*ARGUMENTS, cwd=folder, env={"DOCKER_HOST": address})


def check_refused(ran: Ran, *parts: str) -> None:
    error_line(ran, " / ".join(parts))
    assert ran.out == ""


def test_missing_daemon_is_refused(tmp_path: Path) -> None:
    ran = run_with(tmp_path, "unix:///nowhere/docker.sock")
    what = "the sandbox 'docker' does not work here: no Docker daemon answers"
    check_refused(ran, what, "sudo apt-get install docker.io")


def test_daemon_that_went_away_is_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(tmp_path / "docker.sock"))
    ran = run_with(tmp_path, f"unix://{tmp_path}/docker.sock")
    check_refused(ran, "the sandbox 'docker' does not work here: no Docker daemon answers")


@pytest.mark.slow
def test_old_api_is_refused(tmp_path: Path) -> None:
    with daemon(tmp_path, {"/version": (200, VERSION | {"ApiVersion": "1.30"})}) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: Docker's API is 1.30, the arena needs 1.40"
    check_refused(ran, what)


@pytest.mark.slow
def test_missing_image_is_refused(tmp_path: Path) -> None:
    missing = (404, {"message": "No such image: perudo-arena/python"})
    answers = {"/version": (200, VERSION), "/json": missing}
    with daemon(tmp_path, answers) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: image 'perudo-arena/python' not found"
    check_refused(ran, what, "arena images build")


@pytest.mark.slow
def test_full_disk_is_refused(tmp_path: Path) -> None:
    full = (500, {"message": FULL})
    answers: dict[str, tuple[int, object]] = {
        "/version": (200, VERSION),
        "containers/json": (200, []),
        "/create": full,
    }
    with daemon(tmp_path, answers) as address:
        ran = run_with(tmp_path, address)
    what = "the sandbox 'docker' does not work here: no space left for Docker's containers"
    check_refused(ran, what)


def test_engine_without_processes_is_a_shortage(tmp_path: Path) -> None:
    lacks = "runc create failed: unable to start init: fork: Resource temporarily unavailable"
    answers: dict[str, tuple[int, object]] = {
        "/version": (200, VERSION),
        "/containers/json": (200, []),
        "/containers/create": (500, {"message": lacks}),
    }
    with daemon(tmp_path, answers) as address:
        ran = run_with(tmp_path, address)
    error_line(ran, "this machine is short of processes: ", lacks, "raise pids.max")
    assert "arena check" not in ran.err


@pytest.mark.slow
def test_few_open_files_are_a_shortage(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"])
    for most in sample((12, 20, 24), 1, "open files"):
        under = ("prlimit", f"--nofile={most}:{most}", "--")
        ran = run(*ARGUMENTS, cwd=tmp_path, under=under)
        if ran.code:
            error_line(ran, "short of open files", "ulimit -n")
            assert "docker.io" not in ran.err


@pytest.mark.slow
def test_files_that_the_engine_does_not_see_are_no_fault_of_a_bot(tmp_path: Path) -> None:
    """As where the arena is in a container that has the engine's socket."""
    mount = 'mount -t tmpfs none "$0" && TMPDIR="$0" exec "$@"'
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    league(tmp_path, bots=["sample:odds", "sample:honest"])
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-r", "--mount"]
    ran = run(*ARGUMENTS, cwd=tmp_path, under=[*namespace, "sh", "-c", mount, hidden])
    error_line(ran, "the engine does not see this machine's files: ", "set TMPDIR")
    assert "arena check" not in ran.err


def test_missing_permission_is_refused(tmp_path: Path) -> None:
    address = tmp_path / "docker.sock"
    unprivileged: list[object] = []
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(address))
        closed.listen()
        address.chmod(0o000)
        if os.geteuid() == 0:
            # Root without the capabilities to open everything, and a socket that is not its own.
            os.chown(address, 65_534, 65_534)
            unprivileged = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        ran = run(
            "images", cwd=tmp_path, env={"DOCKER_HOST": f"unix://{address}"}, under=unprivileged
        )
    check_refused(ran, "no permission on Docker's socket", "sudo usermod -aG docker $USER")


def test_missing_image_of_the_league_is_refused(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"], images={"python": "no-such-image:1"})
    ran = run(*ARGUMENTS, cwd=tmp_path)
    what = "the sandbox 'docker' does not work here: image 'no-such-image:1' not found"
    check_refused(ran, what)
    assert not (tmp_path / "league.sqlite").exists()


@pytest.mark.parametrize(
    ("images", "words"),
    [
        ({"pyton": "python:3.12"}, "unknown runtime 'pyton' / league.yaml:"),
        ({"python": "-rm"}, "'-rm' is not the name of an image / league.yaml:"),
    ],
)
def test_wrong_images_are_refused(tmp_path: Path, images: dict[str, str], words: str) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"], images=images)
    check_refused(run(*ARGUMENTS, cwd=tmp_path), words)


@pytest.mark.slow
def test_old_runc_is_a_warning(tmp_path: Path) -> None:
    """No error: distributions patch old releases without changing the number."""
    old = VERSION | {"Components": [{"Name": "runc", "Version": "1.2.7"}]}
    new = VERSION | {"Components": [{"Name": "runc", "Version": "1.3.4"}]}
    for version, warned in ((old, True), (new, False)):
        with daemon(tmp_path, {"/version": (200, version), "/json": (200, {})}) as address:
            ran = run("images", cwd=tmp_path, env={"DOCKER_HOST": address})
        (tmp_path / "docker.sock").unlink()
        assert ran.code == 0
        assert ("runc 1.2.7 is older" in ran.err) == warned


@pytest.mark.slow
def test_league_is_played_in_containers(tmp_path: Path) -> None:
    bots = depth(["sample:honest", "sample:c-*"], ["sample:*"])
    league(tmp_path, bots=bots, games=2, seed="docker")
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
    images = json.loads(listed.out)
    assert images["python"] == {"image": "perudo-arena/python", "available": True}
    assert images.keys() == IMAGES.keys()


def test_unknown_runtime_has_a_hint(tmp_path: Path) -> None:
    error_line(run("images", "build", "nod", cwd=tmp_path), "unknown runtime 'nod'", "'node'")


@pytest.mark.slow
def test_failed_build_reports_the_reason(tmp_path: Path) -> None:
    refused = (200, {"error": "pull access denied for python"})
    with daemon(tmp_path, {"/version": (200, VERSION), "/build": refused}) as address:
        ran = run("images", "build", "python", cwd=tmp_path, env={"DOCKER_HOST": address})
    what = "the build of perudo-arena/python failed"
    error_line(ran, what, "pull access denied for python", "arena images build --from-host")


@pytest.mark.slow
def test_bot_is_checked_in_an_image_that_is_named(tmp_path: Path) -> None:
    words = ("sample:honest", "--step", 5, "--image")
    ran = run("check", *words, "perudo-arena/python", cwd=tmp_path)
    assert ran.code == 0, ran.out + ran.err
    assert "docker" in ran.out
    what = "image 'perudo-arena/nothing' not found"
    ran = run("check", "sample:honest", "--image", "perudo-arena/nothing", cwd=tmp_path)
    error_line(ran, what, "arena images build nothing")
    ran = run("check", "sample:honest", "--image", "nothing:1", cwd=tmp_path)
    error_line(ran, "image 'nothing:1' not found", "docker pull nothing:1")


def test_images_are_of_the_docker_sandbox(tmp_path: Path) -> None:
    ran = run("check", "sample:honest", "--image", "x", "--sandbox", "process", cwd=tmp_path)
    error_line(ran, "the sandbox 'process' uses no images", "--image")


@pytest.mark.parametrize(
    ("key", "needed", "hint"),
    [("command", "cobol-run", "arena help languages"), ("build", "dotnet", "`runtime: dotnet`")],
)
def test_program_is_looked_for_in_the_image(
    tmp_path: Path, key: str, needed: str, hint: str
) -> None:
    bot(tmp_path / "bot", LOWEST, **{key: f"{needed} bot.py", "runtime": "any"})
    ran = run("check", "bot", "--sandbox", "docker", cwd=tmp_path)
    error_line(ran, f"'bot' needs '{needed}', which the image of 'any' does not have", hint)
