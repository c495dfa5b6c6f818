"""Which bots are compared: what lies in a folder of hand-ins, and nothing that a link leads to."""

import shutil
from pathlib import Path

from arena.author.alike.alike import find_hand_ins
from tests.cli.command import ROOT

SAMPLES = ROOT / "sample_bots"


def test_links_in_a_folder_of_hand_ins_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "hand-ins"
    for name in ("odds", "honest"):
        shutil.copytree(SAMPLES / name, folder / name)
    shutil.copytree(SAMPLES / "memory", tmp_path / "secret")
    (folder / "copy").symlink_to("odds")
    (folder / "outside").symlink_to("../secret")
    shutil.make_archive(str(tmp_path / "packed"), "zip", SAMPLES / "bluffer")
    (folder / "packed.zip").symlink_to("../packed.zip")
    (folder / "nowhere").symlink_to("absent")
    found, left_out = find_hand_ins([str(folder)], tmp_path)
    assert sorted(one.name for one in found) == ["honest", "odds"]
    assert [one.name for one in left_out] == ["copy", "nowhere", "outside", "packed.zip"]
    assert {one.why for one in left_out} == {"a hand-in may hold no links"}
