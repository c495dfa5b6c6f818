"""The sandboxes and a place for bots."""

from tests.bots.live import bubblewrap, runs, sandbox

__all__ = ["bubblewrap", "runs", "sandbox"]
