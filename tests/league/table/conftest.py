"""The sandboxes and a run folder."""

from tests.support.live import bubblewrap, runs, sandbox

__all__ = ["bubblewrap", "runs", "sandbox"]
