"""Images of containers in a ladder; mostly with an engine that has some of them and starts none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.run_folder import run_folder
from arena.bots.sandboxes.run_once import run_once
from arena.ladder.config import load_config, sandbox_of
from tests.cli.command import bot, error_line, run
from tests.cli.test_docker import VERSION, daemon
from tests.ladder import club as clubs
from tests.support.live import HANG

MISSING = 404, {"message": "no such image"}


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A ladder in containers whose engine has all images but those for Rust and for `mine:1`."""
    answers = {"/version": (200, VERSION), "rust/json": MISSING, "mine:1/json": MISSING}
    club = clubs.make(tmp_path, sandbox="docker", trust_bots=False)
    with daemon(tmp_path, answers) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        yield club


@pytest.mark.slow
def test_an_image_of_ladder_yaml_that_is_not_there(club: Path) -> None:
    clubs.change(club, images={"python": "mine:1"})
    ran = run("ladder", "run", club, cwd=club.parent)
    error_line(ran, "the sandbox 'docker' does not work here: image 'mine:1' not found / ")
    assert clubs.log(club) == ""


@pytest.mark.slow
def test_a_bot_whose_runtime_has_no_image_is_refused(club: Path) -> None:
    source = bot(club.parent / "mine", name="mine", runtime="rust")
    found = clubs.checked(clubs.check_order(club, source))
    assert not found.ok
    assert found.digest
    assert found.reason == (
        "this ladder has no image for the runtime 'rust' / bot.yaml / "
        "use another runtime, or ask the operator for 'perudo-arena/rust'"
    )


@pytest.mark.slow
def test_a_check_uses_the_images_of_ladder_yaml(club: Path) -> None:
    source = bot(club.parent / "mine", name="mine", runtime="python")
    order = clubs.check_order(club, source)
    found = clubs.checked(replace(order, images={**order.images, "python": "mine:1"}))
    assert found.reason.endswith("ask the operator for 'mine:1'")


def test_a_season_is_played_in_the_images_of_ladder_yaml(tmp_path: Path) -> None:
    images = {"python": IMAGES["node"]}
    club = clubs.make(tmp_path, sandbox="docker", trust_bots=False, images=images)
    sandbox = sandbox_of(load_config(club / "ladder.yaml"))
    with run_folder() as folder:
        ran = run_once(sandbox, Program(folder, ["node", "--version"], "python"), HANG)
    assert ran.code == 0, ran.output.decode()
