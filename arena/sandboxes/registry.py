"""Which sandbox is in force: the one asked for, else the strongest that works here."""

from collections.abc import Callable, Collection, Mapping

from arena.errors import ArenaError, did_you_mean
from arena.records import LimitsInfo
from arena.sandboxes.base import Sandbox, Unavailable
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.docker.images import IMAGES
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.process import ProcessSandbox

SANDBOXES: dict[str, Callable[..., Sandbox]] = {
    "docker": DockerSandbox,
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}
"""By name, the strongest first; each takes a Quota, or has its own."""
AUTO = "auto"


def make_sandbox(
    name: str, runtimes: Collection[str] = (), images: Mapping[str, str] = IMAGES
) -> Sandbox:
    """Return a sandbox by name or, for "auto", the strongest that works here for these runtimes.

    `images` are the containers' images by runtime. Raises ArenaError for an unknown name and for a
    sandbox that does not work here.
    """
    if name == AUTO:
        return next(
            box
            for one in SANDBOXES
            if not (box := _make(one, runtimes, images)).unavailable_reason()
        )
    if name not in SANDBOXES:
        raise ArenaError(f"unknown sandbox '{name}'", hint=did_you_mean(name, [AUTO, *SANDBOXES]))
    sandbox = _make(name, runtimes, images)
    if reason := sandbox.unavailable_reason():
        raise _does_not_work(name, reason)
    return sandbox


def _make(name: str, runtimes: Collection[str], images: Mapping[str, str]) -> Sandbox:
    if name == DockerSandbox.name and runtimes:
        return DockerSandbox(images=images, runtimes=frozenset(runtimes))
    return SANDBOXES[name]()


def _does_not_work(name: str, reason: Unavailable) -> ArenaError:
    others = "--sandbox auto"
    hint = f"{reason.hint}, or {others}" if reason.hint else others
    return ArenaError(f"the sandbox '{name}' does not work here: {reason.what}", hint=hint)


def check_freezing(sandbox: Sandbox, limits: LimitsInfo) -> None:
    """Refuse limits that a sandbox cannot keep."""
    if limits.freeze and not sandbox.freezes:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' cannot freeze bots here (limits.freeze)",
            hint="see what can: arena doctor, or leave limits.freeze out",
        )
