"""The sandboxes by name, and which one is used: the one asked for, or the strongest available."""

from collections.abc import Collection, Mapping, Sequence
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
asks for a sandbox by its name. What it does not prevent goes into
`tests/hostile/misbehaviours.py`, its description into PROMISES (`publish/pages/conditions.py`) and
docs/guides/sandboxes.md, its name into the help of --sandbox (`cli/options.py`).
"""
AUTO = "auto"


def make_sandbox(
    name: str,
    runtimes: Collection[str] = (),
    images: Mapping[str, str] = IMAGES,
    paths: Sequence[str] = (),
) -> Sandbox:
    """Return a sandbox by name or, for "auto", the strongest that works here for these runtimes.

    Bots see `paths` of this machine besides (`shown_paths.check_paths`).
    Raises ArenaError if the name is unknown or the sandbox does not work here.
    """
    if name == AUTO:
        return _strongest([_make(each, runtimes, images, paths) for each in SANDBOXES])
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


def _strongest(sandboxes: Sequence[Sandbox]) -> Sandbox:
    """Return the first sandbox that works; raises ArenaError if none does."""
    reason = Unavailable("there is none")
    for sandbox in sandboxes:
        found = sandbox.unavailable_reason()
        if found is None:
            return sandbox
        reason = found
    raise ArenaError(f"no sandbox works here: {reason.what}", hint=reason.hint)


class Isolation(NamedTuple):
    """What isolates bots on this machine, or why nothing does."""

    sandbox: str
    """The strongest that works, "" if none does."""
    why: str
    """Why the last one does not, which asks the least of a machine, and how to get it."""

    @property
    def hint(self) -> str:
        """How to have bots isolated."""
        return f"--sandbox {self.sandbox} does" if self.sandbox else self.why


def isolation_here(runtimes: Collection[str] = ()) -> Isolation:
    """Try what isolates bots of these runtimes on this machine."""
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
    """Return the image that bots of a runtime need in a sandbox and that is not there; "" if none.

    "auto" takes only a sandbox whose images are there. Raises ArenaError if the engine that has
    them does not answer.
    """
    return "" if name == AUTO else _make(name, [runtime], images).missing_image(runtime)


def check_freezing(sandbox: Sandbox, limits: LimitsInfo) -> None:
    """Raise ArenaError if the limits ask for freezing and the sandbox cannot freeze bots."""
    if limits.freeze and not sandbox.freezes:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' cannot freeze bots here (limits.freeze)",
            hint="arena doctor shows which sandboxes can, or remove limits.freeze",
        )
