"""What holds for all tests."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings

# Workers must choose the same samples as the process that starts them.
os.environ.setdefault("ARENA_TEST_SEED", str(SystemRandom().randrange(1_000_000)))
# As the command does, before numpy is imported: more threads add in another order.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A script's background jobs ignore Ctrl-C, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with the end of a terminal. A handler is not inherited, and the tests go on.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# A failed assertion in a module that tests share shows its values, too.
_PACKAGES = {f"{__package__}.{path.name}" for path in Path(__file__).parent.iterdir()}
pytest.register_assert_rewrite(*_PACKAGES - sys.modules.keys())

from tests.support import copied_workers, no_processes  # noqa: E402 (imported with its assertions rewritten)
from tests.support.depth import FULL, depth  # noqa: E402
from tests.support.sampling import SEED, random  # noqa: E402

# On a busy machine examples take long to be drawn, too.
_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("quick", _any_pace, max_examples=25)
settings.register_profile("full", _any_pace, max_examples=100)
settings.load_profile(depth("quick", "full"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make check` and `make test` ask for."""
    about = "skip each test at the first process, container or browser that it asks for"
    parser.addoption("--no-processes", action="store_true", help=about)
    about = "which of the tests that are marked as slow to run: all, a sample of a fifth, or none"
    parser.addoption("--slow", choices=("all", "some", "none"), default="all", help=about)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give the session a temporary folder, and `make check` leave to skip tests in the middle.

    The folder that sessions share by default is closed to other users whenever one of them begins,
    and thus to the bots of all the others.
    """
    if not config.option.basetemp:
        config.option.basetemp = mkdtemp(prefix="arena-tests-")
        config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))
    config.addinivalue_line("filterwarnings", copied_workers.IGNORED)
    # What only the end of a test that is skipped would have tidied up.
    if config.getoption("no_processes"):
        for warning in no_processes.WARNINGS:
            config.addinivalue_line("filterwarnings", f"ignore::{warning}")


def pytest_report_header() -> str:
    """Say how to draw the same samples and random inputs again."""
    return f"{'nothing ' if FULL else ''}sampled with ARENA_TEST_SEED={SEED}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run one test more than there are cores at a time: many wait for most of their time."""
    return len(os.sched_getaffinity(0)) + (not config.getoption("no_processes"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders in which every test starts a process."""
    if not config.getoption("no_processes"):
        return None
    return collection_path.name in no_processes.FOLDERS or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose among slow tests; try a tenth of the examples of each property in `make check`."""
    _choose(config, items)
    if not config.getoption("no_processes"):
        return
    for test in {getattr(item, "obj", None) for item in items}:
        # What @settings leaves on a test; there is no public way to scale it.
        if asked := getattr(test, "_hypothesis_internal_use_settings", None):
            fewer = settings(asked, max_examples=max(1, asked.max_examples // 10))
            test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def _choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests as `--slow` says; every worker draws the same ones."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    runs = {"all": len(slow), "some": len(slow) // 5, "none": 0}[config.getoption("slow")]
    left_out = set(random("slow tests").sample(slow, len(slow) - runs))
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True, scope="session")
def _no_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.config.getoption("no_processes"):
        yield
        return
    with no_processes.guard():
        yield


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in CI in which a test was skipped: there, everything can run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
