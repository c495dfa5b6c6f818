"""The door in its image, run as compose runs it."""

import json
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.ladder.folder import Folder
from tests.cli.command import ROOT
from tests.e2e.live import let_others_in, wait_until
from tests.image.containers import USER, docker, logs
from tests.ladder import club as clubs

pytestmark = pytest.mark.slow

ASK = """
import http.client as web
door = web.HTTPConnection("127.0.0.1", 8500)
door.request("GET", "/healthz")
print(door.getresponse().read().decode())
"""
MAY_WRITE = (
    "for f in /ladder /ladder/door /ladder/inbox /etc /; do test -w $f && echo $f; done; id -u"
)
SERVICES = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
COMPOSE: dict[str, Any] = SERVICES["door"]

VOLUMES = (("", ":ro"), ("/door", ""), ("/inbox", ""))
RUNS: list[str] = COMPOSE["command"]
HEALTH: list[str] = COMPOSE["healthcheck"]["test"]


@contextmanager
def door_in_container(image: str, folder: Folder) -> Iterator[str]:
    """Run the door as compose does, without a network; yields the container."""
    options = [
        *(f"--volume={folder.root}{name}:/ladder{name}{mode}" for name, mode in VOLUMES),
        *(f"--cap-drop={name}" for name in COMPOSE["cap_drop"]),
        *(f"--security-opt={name}" for name in COMPOSE["security_opt"]),
        f"--read-only={str(COMPOSE['read_only']).lower()}",
        f"--pids-limit={COMPOSE['pids_limit']}",
        f"--user={USER}:{USER}",
        "--network=none",
        f"--health-cmd={shlex.join(HEALTH[1:])}",
        "--health-interval=1s",
    ]
    command = [word.replace("${DOOR_NAME:?the name of the door}", "x.test") for word in RUNS]
    container = docker("run", "--detach", *options, image, *command)
    try:
        yield container
    finally:
        docker("rm", "--force", container)


def health(container: str) -> str:
    return docker("inspect", "--format", "{{.State.Health.Status}}", container)


def test_door_of_the_image_is_well_and_may_write_what_is_its_own(lean: str, tmp_path: Path) -> None:
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path))
    subprocess.run(["chown", "-R", f"{USER}:{USER}", folder.root], check=True)
    assert [volume.rpartition("}")[2] for volume in COMPOSE["volumes"]] == [
        f"{name}:/ladder{name}{mode}" for name, mode in VOLUMES
    ]
    with door_in_container(lean, folder) as container:
        wait_until(lambda: health(container) == "healthy")
        told: dict[str, Any] = json.loads(docker("exec", container, "python3", "-c", ASK))
        assert (told["door"], told["ladder"]) == ("up", "down")
        found = docker("exec", container, "sh", "-c", MAY_WRITE).split()
        assert found == ["/ladder/door", "/ladder/inbox", str(USER)]
        docker("stop", container)
        assert docker("inspect", "--format", "{{.State.ExitCode}}", container) == "0"


def test_key_of_a_certificate_is_given_as_a_file(lean: str, tmp_path: Path) -> None:
    """Where the door speaks HTTPS itself: as a secret of compose, in `/run/secrets`."""
    let_others_in(tmp_path)
    folder = Folder(clubs.make(tmp_path))
    for name in ("key", "certificate"):
        assert f"--{name}" in (ROOT / "deploy/compose.yaml").read_text()
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-subj", "/CN=x.test", "-keyout", "key", "-out", "certificate"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    (tmp_path / "key").chmod(0o400)
    for path in (folder.root, tmp_path / "key"):
        subprocess.run(["chown", "-R", f"{USER}:{USER}", path], check=True)
    secrets = [
        f"--volume={tmp_path / name}:/run/secrets/{name}:ro" for name in ("key", "certificate")
    ]
    options = [
        "--network=none",
        f"--user={USER}:{USER}",
        f"--volume={folder.root}:/ladder",
        *secrets,
    ]
    words = RUNS[: RUNS.index("--behind-proxy")]
    words += ["--certificate", "/run/secrets/certificate", "--key", "/run/secrets/key"]
    container = docker("run", "--detach", *options, lean, *words)
    try:
        wait_until(lambda: "the door is open: https://" in logs(container))
    finally:
        docker("rm", "--force", container)
