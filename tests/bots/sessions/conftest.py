"""The sandboxes and a run folder."""

from tests.support.live import bubblewrap, one_core, runs, sandbox

__all__ = ["bubblewrap", "one_core", "runs", "sandbox"]
