"""A ladder on a machine that systemd booted, from nothing to a restored backup; in `make long`.

`tests/test_deploy.py` shows the units and their installation without such a machine.
"""

import os

import pytest

from tests.e2e.machine import FOLDER, try_in
from tests.support.depth import only_in_long


@only_in_long
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may boot a machine")
def test_a_ladder_lives_through_what_happens_to_machines() -> None:
    lines = try_in(FOLDER)
    assert any("{'mybot@1': 'rated', 'honest@1': 'rated'}" in line for line in lines)
    assert lines[-1].endswith("$ systemctl --failed --no-legend --no-pager")  # it has none
