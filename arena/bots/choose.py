"""Which sandbox is in force: the one asked for, else the strongest that works here."""

from collections.abc import Callable, Sequence

from arena.bots.bubblewrap import BubblewrapSandbox
from arena.bots.manifest import Bot
from arena.bots.process import ProcessSandbox
from arena.bots.sandbox import Sandbox
from arena.errors import ArenaError, did_you_mean
from arena.records import LimitsInfo

SANDBOXES: dict[str, Callable[..., Sandbox]] = {
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}
"""By name, the strongest first; each takes a Quota, or has its own."""
AUTO = "auto"
_GET_BUBBLEWRAP = "sudo apt-get install bubblewrap"


def make_sandbox(name: str) -> Sandbox:
    """Return a sandbox by name or, for "auto", the strongest that works on this machine.

    Raises ArenaError for an unknown name and for a sandbox that does not work here.
    """
    if name == AUTO:
        return next(box for make in SANDBOXES.values() if not (box := make()).why_not())
    if name not in SANDBOXES:
        raise ArenaError(f"unknown sandbox '{name}'", hint=did_you_mean(name, [AUTO, *SANDBOXES]))
    sandbox = SANDBOXES[name]()
    if reason := sandbox.why_not():
        hint = f"{_GET_BUBBLEWRAP}, or --sandbox auto" if name == "bubblewrap" else ""
        raise ArenaError(f"the sandbox '{name}' does not work here: {reason}", hint=hint)
    return sandbox


def check_freezing(sandbox: Sandbox, limits: LimitsInfo) -> None:
    """Refuse limits that a sandbox cannot keep."""
    if limits.freeze and not sandbox.freezes:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' cannot freeze bots here (limits.freeze)",
            hint="see what can: arena doctor, or leave limits.freeze out",
        )


def check_trust(sandbox: Sandbox, bots: Sequence[Bot], *, trusted: bool) -> None:
    """Refuse to run bots that nobody vouched for in a sandbox that does not isolate them."""
    strangers = [bot for bot in bots if not bot.shipped]
    if strangers and not sandbox.isolates and not trusted:
        raise ArenaError(
            f"the sandbox '{sandbox.name}' does not isolate bots that did not come with the arena",
            str(strangers[0].folder),
            f"{_GET_BUBBLEWRAP}, or --trust-bots if you trust them with your account",
        )
