"""The sandboxes and a run folder."""

from tests.support.live import bubblewrap, isolating, runs, sandbox

__all__ = ["bubblewrap", "isolating", "runs", "sandbox"]
