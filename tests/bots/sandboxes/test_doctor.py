"""The doctor judges sandboxes by what happens in them."""

import os
from importlib.metadata import version

import pytest
from msgspec.structs import replace

from arena.bots.sandboxes.base import Quota, Unavailable
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.doctor import (
    ESSENTIAL,
    GUARANTEES,
    GuaranteeResult,
    SandboxReport,
    examine,
)
from arena.bots.sandboxes.kernel.cgroups import cgroups
from arena.bots.sandboxes.process import ProcessSandbox

own = cgroups()
CAPS_MEMORY = bool(own and own.caps_memory)


def findings(report: SandboxReport) -> dict[str, bool | None]:
    """Return what holds but for the cores, which depend on what else is running."""
    assert report.unavailable_reason == ""
    assert [each.guarantee for each in report.findings] == list(GUARANTEES)
    assert all(bool(each.hint) != bool(each.holds) for each in report.findings)
    return {each.guarantee: each.holds for each in report.findings if each.guarantee != "cores"}


@pytest.mark.slow
def test_bubblewrap_is_safe_for_untrusted_bots() -> None:
    report = examine("bubblewrap", BubblewrapSandbox)
    freezes = bool(own and own.freezes)
    optional = {"total_memory": CAPS_MEMORY, "cpu_time": True, "freezing": freezes}
    optional |= {"users": os.geteuid() == 0, "build_space": True, "numpy": True}
    assert findings(report) == dict.fromkeys(ESSENTIAL, True) | optional
    assert report.safe_for_untrusted_bots
    [numpy] = [each.observed for each in report.findings if each.guarantee == "numpy"]
    assert numpy.startswith(f"numpy {version('numpy')} for Python 3.")


@pytest.mark.slow
def test_process_is_not_safe_for_untrusted_bots() -> None:
    report = examine("process", ProcessSandbox, death_seconds=1.0)
    holds = findings(report)
    # Not the orphans: another arena that starts meanwhile may remove them.
    for guarantee in ("network", "files", "other_bots", "processes", "signals", "build_space"):
        assert holds[guarantee] is False
    assert holds["environment"]
    assert holds["numpy"]
    assert holds["cpu_time"]
    for guarantee in ("total_memory", "memory", "process_count", "termination"):
        assert holds[guarantee] == CAPS_MEMORY
    assert not report.safe_for_untrusted_bots


class Broken(ProcessSandbox):
    def unavailable_reason(self) -> Unavailable | None:
        return Unavailable("it is broken", "fix it")


class TooSmall(ProcessSandbox):
    def __init__(self, quota: Quota | None = None) -> None:
        super().__init__(replace(quota or Quota(), memory=2**20))


def test_broken_sandbox_is_unavailable() -> None:
    assert examine("broken", Broken) == SandboxReport("broken", False, "it is broken (fix it)", ())


def test_sandbox_in_which_no_probe_runs_is_unavailable() -> None:
    report = examine("too small", TooSmall)
    assert report.unavailable_reason.startswith("the probe failed: ")
    assert report.findings == ()


@pytest.mark.parametrize("missing", ESSENTIAL)
def test_sandbox_without_an_essential_guarantee_is_not_safe(missing: str) -> None:
    each = tuple(GuaranteeResult(key, key != missing, "") for key in GUARANTEES)
    assert not SandboxReport("x", True, "", each).safe_for_untrusted_bots
