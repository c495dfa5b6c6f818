"""The sandboxes, a run folder and an index of packages."""

import pytest

from arena.bots.builds import build
from tests.bots.wheels import index
from tests.support.live import bubblewrap, isolating, runs, sandbox

__all__ = ["bubblewrap", "index", "isolating", "runs", "sandbox"]


@pytest.fixture
def quiet_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests write while a bot is built does not count, however small its limits are."""
    monkeypatch.setattr(build, "_free", lambda _: 0)
