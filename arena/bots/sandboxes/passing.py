"""Sandboxes that pass their work on to another one."""

from arena.bots.sandboxes.base import Program, Running, Sandbox


class PassingSandbox:
    """Says of itself what the sandbox behind it says; subclasses start programs there."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.name = sandbox.name
        self.clock = sandbox.clock
        self.isolates = sandbox.isolates
        self.freezes = sandbox.freezes
        self.uses_host_programs = sandbox.uses_host_programs
        self.starts_slowly = sandbox.starts_slowly

    def unavailable_reason(self) -> None:
        """Return None: the sandbox behind it was tried before."""

    def image_id(self, runtime: str) -> str:
        """Return which image the programs of a runtime come from; "" if they are this machine's."""
        return self._sandbox.image_id(runtime)

    def missing_image(self, runtime: str) -> str:
        """Return the image that programs of a runtime need and that is not there; "" if none is."""
        return self._sandbox.missing_image(runtime)

    def warning(self) -> str:
        """Return what the operator of a league should know before it begins; "" if nothing."""
        return self._sandbox.warning()


class ObservedSandbox(PassingSandbox):
    """Passes everything to another sandbox, and remembers the program that it started last."""

    running: Running
    """The program that it started last."""

    def start(self, program: Program, *, space: int = 0) -> Running:
        """Start a program; raises OSError."""
        self.running = self._sandbox.start(program, space=space)
        return self.running
