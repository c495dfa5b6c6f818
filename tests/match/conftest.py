"""The sandboxes and a place for bots."""

from tests.support.live import bubblewrap, runs, sandbox

__all__ = ["bubblewrap", "runs", "sandbox"]
