"""What holds for all tests."""

import os
import sys
from pathlib import Path

import pytest

# Where a module that tests share looks at something, it shows what it found, too.
_ROOMS = {f"{__package__}.{path.name}" for path in Path(__file__).parent.iterdir()}
pytest.register_assert_rewrite(*_ROOMS - sys.modules.keys())


def pytest_xdist_auto_num_workers() -> int:
    """Run one test more than there are cores at a time: many wait for most of their time."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in CI in which a test was skipped: there, everything can run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
