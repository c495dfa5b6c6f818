"""The sandboxes by name, which one is used, and the paths of the machine that they may show."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.base import Sandbox, Unavailable
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.docker.sandbox import DockerSandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import LimitsInfo
from arena.io.errors import ArenaError, did_you_mean


class SandboxClass(Protocol):
    """Makes sandboxes of a kind."""

    isolates: bool
    uses_host_programs: bool

    def __call__(self, *args: Any, **options: Any) -> Sandbox:
        """Make one, with a `Quota` or nothing, or the `images` of `runtimes` if it uses any.

        `paths` is given only if there are some to show.
        """


SANDBOXES: dict[str, SandboxClass] = {
    "docker": DockerSandbox,
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}
"""Sandbox classes by name, the strongest first; "auto" takes the first one that works.

To add a sandbox, write a class that satisfies `base.Sandbox` and list it here. `process.py` is the
shortest example. `HostSandbox` and `ChildProcess` do most for programs that are child processes of
the arena; `docker/` is the example of programs that come from images. Nothing outside this folder
chooses a sandbox by its name; `cli/images.py` makes Docker's images. Where it keeps data goes into
`_SECRET` below. What it does not prevent goes into `tests/hostile/misbehaviours.py`, its
description into PROMISES (`publish/pages/conditions.py`) and docs/guides/sandboxes.md, its name
into the help of --sandbox (`cli/options.py`).
"""
AUTO = "auto"


def make_sandbox(
    name: str,
    runtimes: Collection[str] = (),
    images: Mapping[str, str] = IMAGES,
    paths: Sequence[str] = (),
) -> Sandbox:
    """Return a sandbox by name or, for "auto", the strongest that works here for these runtimes.

    Bots also see `paths` of this machine (`check_shown`). Raises ArenaError if the name is unknown
    or the sandbox does not work here.
    """
    if name == AUTO:
        why = Unavailable("there is none")
        for each in SANDBOXES:
            sandbox = _make(each, runtimes, images, paths)
            found = sandbox.unavailable_reason()
            if found is None:
                return sandbox
            why = found
        raise ArenaError(f"no sandbox works here: {why.what}", hint=why.hint)
    sandbox = _make(name, runtimes, images, paths)
    if reason := sandbox.unavailable_reason():
        hint = f"{reason.hint}, or --sandbox auto" if reason.hint else "--sandbox auto"
        raise ArenaError(f"the sandbox '{name}' does not work here: {reason.what}", hint=hint)
    return sandbox


def unavailable(
    name: str, runtimes: Collection[str], images: Mapping[str, str]
) -> Unavailable | None:
    """Return why a sandbox does not work here for these runtimes; None if it does.

    Raises ArenaError if the name is unknown.
    """
    return _make(name, runtimes, images).unavailable_reason()


class Isolation(NamedTuple):
    """The sandbox that isolates bots on this machine, or why none does."""

    sandbox: str
    """The strongest that works, "" if none does."""
    why: str
    """Why the one that asks the least of a machine does not work, and how to get it."""

    @property
    def hint(self) -> str:
        """How to have bots isolated."""
        return f"--sandbox {self.sandbox} does" if self.sandbox else self.why


def isolation_here(runtimes: Collection[str] = ()) -> Isolation:
    """Try which sandbox isolates bots of these runtimes on this machine."""
    why = ""
    for name, make in SANDBOXES.items():
        if make.isolates:
            reason = unavailable(name, runtimes, IMAGES)
            if reason is None:
                return Isolation(name, "")
            why = f"{name} does not work here: {reason.in_words()}"
    return Isolation("", why)


def open_sandbox() -> Sandbox | None:
    """Return a sandbox that hides no files of this machine, if one works here."""
    for make in reversed(SANDBOXES.values()):
        sandbox = make()
        if not sandbox.isolates and sandbox.unavailable_reason() is None:
            return sandbox
    return None


def _make(
    name: str, runtimes: Collection[str], images: Mapping[str, str], paths: Sequence[str] = ()
) -> Sandbox:
    if name not in SANDBOXES:
        raise ArenaError(f"unknown sandbox '{name}'", hint=did_you_mean(name, [AUTO, *SANDBOXES]))
    make = SANDBOXES[name]
    options: dict[str, Any] = {"paths": paths} if paths else {}
    if not make.uses_host_programs and runtimes:
        options |= {"images": images, "runtimes": frozenset(runtimes)}
    return make(**options)


def image_sandboxes() -> list[str]:
    """Return the names of the sandboxes whose programs come from images, the strongest first."""
    return [name for name, make in SANDBOXES.items() if not make.uses_host_programs]


def missing_image(name: str, runtime: str, images: Mapping[str, str]) -> str:
    """Return the image that bots of a runtime need in a sandbox if it is missing, else "".

    "auto" takes only a sandbox that has its images. Raises ArenaError if the engine that has the
    images does not answer.
    """
    return "" if name == AUTO else _make(name, [runtime], images).missing_image(runtime)


def check_freezing(sandbox: Sandbox, limits: LimitsInfo) -> None:
    """Raise ArenaError if the limits ask for freezing and the sandbox cannot freeze bots."""
    if limits.freeze and not sandbox.freezes:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' cannot freeze bots here (limits.freeze)",
            hint="arena doctor shows which sandboxes can, or remove limits.freeze",
        )


MAX_PATHS = 20
_SECRET = (
    *("/boot", "/dev", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/bot"),
    *("/etc/group", "/etc/gshadow", "/etc/hostname", "/etc/hosts", "/etc/machine-id"),
    *("/etc/passwd", "/etc/resolv.conf", "/etc/shadow", "/etc/ssh", "/etc/ssl/private"),
    *("/etc/sudoers", "/etc/sudoers.d", "/etc/fstab", "/etc/cron.d", "/etc/NetworkManager"),
    *("/var/backups", "/var/cache", "/var/log", "/var/mail", "/var/run", "/var/spool", "/var/tmp"),
    *("/var/lib/docker", "/var/lib/containerd", "/var/lib/systemd", "/var/lib/private"),
    *("/var/lib/mysql", "/var/lib/postgresql", "/var/lib/redis", "/var/lib/mongodb"),
)
"""Paths with accounts, names of hosts, keys or data of services, and those of sandboxes."""
_SHOWN = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_READABLE = 0o004
_HINT = "name the folder of a language or a library that all bots may read, as /opt/julia"


def check_shown(path: str, where: str, league: Path | None = None) -> None:
    """Raise ArenaError if bots may not be shown a path, or if it is in the folder `league`."""
    if reason := _malformed(path) or _hidden(path, league):
        raise ArenaError(f"sandbox_paths: '{path}' {reason}", where, _HINT)


def _malformed(path: str) -> str:
    """Return what is wrong with the text of a path; "" if nothing."""
    if not path.startswith("/") or os.path.normpath(path) != path:
        return "is not an absolute path, or has '..', '//' or a '/' at its end"
    if path in _SHOWN:
        return "is there in every sandbox"
    return "" if path.isprintable() and ":" not in path else "has a ':' or an invisible character"


def _hidden(path: str, league: Path | None) -> str:
    """Return why bots may not see what lies at a path; "" if they may."""
    try:
        real = Path(path).resolve(strict=True)
        readable = real.stat().st_mode & _READABLE
    except OSError as error:
        return f"cannot be shown: {error.strerror}"
    own = [league.resolve()] if league else []
    secrets = sorted({*map(Path, _SECRET), Path.home(), *own})
    for secret in secrets:
        if any(
            secret.is_relative_to(name) or name.is_relative_to(secret)
            for name in (Path(path), real)
        ):
            return f"cannot be shown: no bot may see {secret}"
    return "" if readable else "cannot be shown: other users of this machine may not read it"
