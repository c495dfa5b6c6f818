"""What a bot sees and may do in each sandbox, tried from the inside."""

import json
import os
import socket
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.runtimes import LANGUAGES, RUNTIMES, config_paths
from arena.bots.sandboxes.base import ENVIRONMENT, MIB, Program, Quota, Sandbox
from arena.bots.sandboxes.bubblewrap import CONFIG, BubblewrapSandbox
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import run_once
from tests.support.live import BOMB, HANG, run_inside, write_bot
from tests.support.sampling import paired

PROBE = Path(__file__).with_name("probe.py")
SECRETS = [
    *("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/ssh"),
    *("/etc/machine-id", "/etc/resolv.conf", "/etc/R/Renviron.site", "/etc/php/8.2/fpm"),
    *("/home", "/root", "/run", "/sys", "/var/cache", "/var/log", "/var/mail", "/var/spool"),
    *("/var/lib/apt", "/var/lib/dpkg", "/var/lib/mysql", "/var/lib/postgresql", "/var/lib/systemd"),
    *("/var/lib/docker", "/var/lib/php/sessions", "/var/tmp"),
]
NOT_PERMITTED = "Operation not permitted"
READ_ONLY = "Read-only file system"


def stage_probe(runs: Path, sandbox: Sandbox) -> StagedBot:
    return stage(write_bot(runs / "probe", PROBE.read_text(encoding="utf-8")), runs, sandbox)


def look_around(sandbox: Sandbox) -> dict[str, Any]:
    """Return what the probe found, and where this test's secret and the bot's folder are."""
    with run_folder() as runs, socket.create_server(("127.0.0.1", 0)) as server:
        secret = runs / "secret"
        secret.write_text("in the folder that holds the bots of this run")
        secret.chmod(0o644)
        asked = {
            "port": server.getsockname()[1],
            "pid": os.getpid(),
            "paths": [*SECRETS, str(secret), str(Path(__file__).resolve())],
        }
        bot = stage_probe(runs, sandbox)
        found = run_inside(sandbox, bot, json.dumps(asked).encode() + b"\n").told
        return {**found, "bot_folder": str(bot.folder), "secret": str(secret)}


@pytest.fixture(scope="session")
def facts(sandbox: Sandbox) -> dict[str, Any]:
    return look_around(sandbox)


@pytest.fixture(scope="session")
def trusted() -> dict[str, Any]:
    return look_around(ProcessSandbox())


@pytest.fixture(scope="session", params=["bubblewrap", "docker"])
def inside(request: pytest.FixtureRequest) -> dict[str, Any]:
    return look_around(make_sandbox(request.param)) | {"sandbox": request.param}


# ---------------------------------------------------------------- every sandbox


def test_environment_is_clean(facts: dict[str, Any]) -> None:
    environment = facts["environment"]
    environment.pop("PWD", None)
    environment.pop("PYTHONPATH", None)
    assert environment == ENVIRONMENT


def test_only_the_three_pipes_are_open(facts: dict[str, Any]) -> None:
    """The fourth is the listing of the folder itself."""
    assert facts["fds"] == ["0", "1", "2", "3"]


def test_limits_are_in_force(facts: dict[str, Any], sandbox: Sandbox) -> None:
    quota = Quota() if sandbox.isolates else Quota(processes=65_536)
    limits = dict(facts["limits"])
    if sandbox.name == "docker":
        # The kernel counts it by user; in a container the cgroup counts.
        del limits["NPROC"]
    else:
        assert limits.pop("NPROC") == [quota.processes] * 2
    assert limits == {
        "NOFILE": [quota.files] * 2,
        "FSIZE": [quota.file_size] * 2,
        "CORE": [0, 0],
        "DATA": [quota.memory] * 2,
    }
    assert facts["opened"] == quota.files - 3
    assert not facts["hogged"]


def test_bot_has_a_session_of_its_own(facts: dict[str, Any]) -> None:
    assert os.getsid(0) not in facts["session"]
    assert 0 not in facts["session"], "0 is a session outside the namespace"


def test_bot_runs_in_its_folder(facts: dict[str, Any], sandbox: Sandbox) -> None:
    assert facts["folder"] == ("/bot" if sandbox.isolates else facts["bot_folder"])


def test_process_sandbox_does_not_isolate(trusted: dict[str, Any]) -> None:
    """The probe does find these things if nothing hides them."""
    assert trusted["connect"] == ""
    assert trusted["signal"] == ""
    assert {trusted["secret"], "/etc/passwd", "/home"} <= set(trusted["visible"])
    assert os.getpid() in trusted["processes"]
    assert trusted["calls"]["ptrace"] == ""


# ---------------------------------------------------------------- those that isolate


@pytest.mark.slow
def test_network_is_unreachable(inside: dict[str, Any]) -> None:
    assert inside["connect"] == "Connection refused"
    assert inside["interfaces"] == ["lo"]


def test_files_of_the_host_are_hidden(inside: dict[str, Any]) -> None:
    if inside["sandbox"] == "docker":
        # An image has files of its own in these places.
        assert not {inside["secret"], str(Path(__file__).resolve())} & set(inside["visible"])
        return
    assert inside["visible"] == []
    known = {"bin", "bot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin"}
    assert set(inside["root"]) <= known | {"tmp", "usr", "var"}


def test_only_what_languages_need_is_shown_of_etc_and_var(runs: Path) -> None:
    """Every file there is below a path that the table of languages names."""
    find = ["find", "/etc", "/var", "-not", "-type", "d"]
    files = run_once(make_sandbox("bubblewrap"), Program(runs, find), HANG).stdout.decode().split()
    shown = [*CONFIG, *config_paths()]
    others = [name for name in files if not any(map(Path(name).is_relative_to, shown))]
    assert "/etc/ld.so.cache" in files
    assert others == []


def test_no_language_has_more_than_it_needs_shown() -> None:
    """A row of the table cannot open what no bot may see, whatever is installed here."""
    patterns = [pattern for row in RUNTIMES.values() for pattern in row.config]
    patterns += [pattern for row in LANGUAGES.values() for pattern in row.config]
    folders = {*map(str, Path("/").iterdir()), "/var/lib"}
    opened = [
        (pattern, secret)
        for pattern in patterns
        for secret in (*SECRETS, *folders)
        if fnmatch(secret, pattern) or Path(secret).is_relative_to(pattern)
    ]
    assert patterns
    assert opened == []


def test_processes_of_the_host_are_hidden(inside: dict[str, Any]) -> None:
    # A container also has its init, its supervisor and one that waits for the bot.
    assert len(inside["processes"]) <= 4
    assert os.getpid() not in inside["processes"]
    assert inside["signal"] == "No such process"


def test_only_tmp_is_writable(inside: dict[str, Any]) -> None:
    write = inside["write"]
    assert write.pop("/tmp/x") == ""
    assert set(write.values()) <= {READ_ONLY, "Permission denied"}


def test_bot_has_no_privileges(inside: dict[str, Any]) -> None:
    assert inside["uid"] != 0
    assert inside["capabilities"] == 0
    assert inside["no_new_privileges"] == "1"
    assert 0 not in inside["groups"]


def test_unneeded_system_calls_are_denied(inside: dict[str, Any]) -> None:
    assert inside["calls"] == dict.fromkeys(inside["calls"], NOT_PERMITTED)
    missing = inside["unknown_calls"]
    assert missing == dict.fromkeys(missing, "Function not implemented")


def test_sockets_lead_nowhere(inside: dict[str, Any], trusted: dict[str, Any]) -> None:
    refused = "Address family not supported by protocol"
    usual = dict.fromkeys(("unix", "inet", "inet6"), "")
    rare = dict.fromkeys(("netlink", "packet", "alg", "vsock"), refused)
    assert inside["sockets"] == usual | rare
    assert trusted["sockets"]["netlink"] == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "name"),
    paired(["/tmp", "/dev/shm"], ["bubblewrap", "docker"], "temporary folders"),
)
def test_size_of_temporary_folders_is_limited(folder: str, name: str, runs: Path) -> None:
    sandbox = make_sandbox(name)
    asked = json.dumps({"fill": folder}).encode() + b"\n"
    filled = run_inside(sandbox, stage_probe(runs, sandbox), asked).told["filled"]
    assert 1 <= filled <= Quota().file_size // MIB


# ---------------------------------------------------------------- limits

ISOLATING = (BubblewrapSandbox, DockerSandbox)
ALL = (*ISOLATING, ProcessSandbox)
Make = Callable[[Quota], Sandbox]


@pytest.mark.parametrize("make", ISOLATING)
def test_fork_bomb_ends_in_an_error(make: Make, runs: Path) -> None:
    sandbox = make(Quota(processes=20))
    bot = stage(write_bot(runs / "bomb", BOMB), runs, sandbox)
    children, error = run_inside(sandbox, bot).told
    assert 1 <= children < 20
    assert error == "Resource temporarily unavailable"


@pytest.mark.parametrize("make", ALL)
def test_memory_of_a_process_is_limited(make: Make, runs: Path) -> None:
    sandbox = make(Quota(memory=64 * MIB, processes=65_536))
    hog = "memory = []\nwhile True: memory.append(bytearray(2**20))"
    ran = run_inside(sandbox, stage(write_bot(runs / "hog", hog), runs, sandbox))
    assert ran.code == 1
    assert b"MemoryError" in ran.err


@pytest.mark.parametrize("make", ALL)
def test_size_of_a_file_is_limited(make: Make, runs: Path) -> None:
    sandbox = make(Quota(file_size=2 * MIB, processes=65_536))
    program = """
import tempfile
with tempfile.TemporaryFile(buffering=0) as file:
    for _ in range(3): assert file.write(bytes(2**20)) == 2**20
"""
    ran = run_inside(sandbox, stage(write_bot(runs / "big", program), runs, sandbox))
    assert ran.code == 1
    assert b"File too large" in ran.err or b"No space left" in ran.err
