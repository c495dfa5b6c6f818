"""The sandboxes, a run folder and an index of packages."""

from tests.submissions.wheels import index
from tests.support.live import bubblewrap, isolating, runs, sandbox

__all__ = ["bubblewrap", "index", "isolating", "runs", "sandbox"]
