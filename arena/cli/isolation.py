"""What isolates bots where the arena runs, said in a line before they do."""

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


def say_isolation(name: str | None) -> bool:
    """Say what isolates bots in a sandbox if that is not what everybody expects.

    Returns whether it does; raises ArenaError if the sandbox does not work here.
    """
    sandbox = make_sandbox(name or AUTO)
    lines = _IN_CONTAINER if in_container() else _ON_MACHINE
    if line := lines[sandbox.isolates]:
        say(line.format(name=sandbox.name))
    return sandbox.isolates
