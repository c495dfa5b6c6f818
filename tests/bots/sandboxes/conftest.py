"""The sandboxes, a place for bots, and a machine without Docker."""

from tests.support.live import bubblewrap, isolating, no_docker, one_core, runs, sandbox

__all__ = ["bubblewrap", "isolating", "no_docker", "one_core", "runs", "sandbox"]
