"""The doctor tells the sandboxes apart by what happens in them."""

import pytest
from msgspec.structs import replace

from arena.sandboxes.base import Quota, Unavailable
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.cgroups.groups import cgroups
from arena.sandboxes.doctor import ESSENTIAL, GUARANTEES, Finding, SandboxReport, examine
from arena.sandboxes.process import ProcessSandbox

found = cgroups()
CAPPED = bool(found and found.caps_memory)


def kept(examined: SandboxReport) -> dict[str, bool | None]:
    assert examined.unavailable_reason == ""
    assert [one.promise for one in examined.findings] == list(GUARANTEES)
    assert all(bool(one.hint) != bool(one.kept) for one in examined.findings)
    return {one.promise: one.kept for one in examined.findings if one.promise != "cores"}


def test_bubblewrap_is_fit_for_strangers() -> None:
    examined = examine("bubblewrap", BubblewrapSandbox)
    more = {"tree": CAPPED, "clock": True, "freezing": bool(found and found.freezes)}
    assert kept(examined) == dict.fromkeys(ESSENTIAL, True) | more
    assert examined.fit_for_strangers


def test_process_is_not() -> None:
    examined = examine("process", ProcessSandbox)
    seen = kept(examined)
    # Not the orphans: another arena that starts meanwhile may clear them away.
    for open_ in ("network", "files", "rivals", "processes"):
        assert seen[open_] is False
    assert seen["environment"]
    assert seen["clock"]
    assert seen["tree"] == seen["memory"] == seen["count"] == seen["end"] == CAPPED
    assert not examined.fit_for_strangers


class Broken(ProcessSandbox):
    def unavailable_reason(self) -> Unavailable | None:
        return Unavailable("it is broken", "mend it")


class Useless(ProcessSandbox):
    def __init__(self, quota: Quota | None = None) -> None:
        super().__init__(replace(quota or Quota(), memory=2**20))


def test_one_that_does_not_work() -> None:
    assert examine("broken", Broken) == SandboxReport("broken", False, "it is broken (mend it)", ())


def test_one_in_which_no_probe_runs() -> None:
    examined = examine("useless", Useless)
    assert examined.unavailable_reason.startswith("the probe failed: ")
    assert examined.findings == ()


@pytest.mark.parametrize("missing", ESSENTIAL)
def test_one_missing_promise_is_enough(missing: str) -> None:
    findings = tuple(Finding(key, key != missing, "") for key in GUARANTEES)
    assert not SandboxReport("x", True, "", findings).fit_for_strangers
