"""What isolates bots where the arena runs, said in a line before they do."""

from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import AUTO, make_sandbox
from arena.cli.output import say
from arena.io.container import in_container

_IN_CONTAINER = {
    True: "container: bots run under {name}, isolated from each other and from your files; the"
    " container protects the rest of your machine",
    False: "container: bots run as plain processes; the container protects your machine from them,"
    " nothing protects the mounted folder, or one bot from another (arena help install)",
}
_ON_MACHINE = {True: "", False: "the bots run without isolation, as your own user"}


def isolation(sandbox: Sandbox) -> str:
    """Return what whoever runs bots should know of a sandbox; "" if that is nothing new."""
    lines = _IN_CONTAINER if in_container() else _ON_MACHINE
    return lines[sandbox.isolates].format(name=sandbox.name)


def say_isolation(name: str | None) -> bool:
    """Say what isolates bots in a sandbox, and return whether it does; raises ArenaError."""
    sandbox = make_sandbox(name or AUTO)
    if text := isolation(sandbox):
        say(text)
    return sandbox.isolates
