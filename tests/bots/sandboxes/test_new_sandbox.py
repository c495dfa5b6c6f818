"""A sandbox that the arena has never heard of: its class and its row are all that it takes."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from arena.author.check.bench import CheckRequest
from arena.bots.runtimes import IMAGES
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import SANDBOXES, make_sandbox, missing_image
from arena.course.intake import checks
from arena.course.intake.checks import CheckedHandIn
from arena.course.intake.inside import Inside
from arena.publish.pages.conditions import PROMISES
from tests.cli.command import ROOT, bot, error_line, league, run
from tests.ladder import club as clubs

WARNING = "pods leak"


class PodSandbox(ProcessSandbox):
    """Has programs of images, of which that for Rust is missing."""

    name = "pod"
    uses_host_programs = False

    def __init__(self, images: Mapping[str, str] = IMAGES, runtimes: Collection[str] = ()) -> None:
        super().__init__()
        self.images, self.runtimes = images, runtimes

    def missing_image(self, runtime: str) -> str:
        return self.images[runtime] if runtime == "rust" else ""

    def warning(self) -> str:
        return WARNING


@pytest.fixture(autouse=True)
def pod(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SANDBOXES, "pod", PodSandbox)


def test_it_is_made_with_the_images_of_the_runtimes() -> None:
    sandbox = make_sandbox("pod", ["node"], {"node": "mine:1"})
    assert isinstance(sandbox, PodSandbox)
    assert (sandbox.images, {*sandbox.runtimes}) == ({"node": "mine:1"}, {"node"})


@pytest.mark.parametrize(
    ("sandbox", "runtime", "image"),
    [
        ("pod", "rust", IMAGES["rust"]),
        ("pod", "python", ""),
        ("process", "rust", ""),
        ("auto", "rust", ""),
    ],
)
def test_missing_image_is_that_of_the_sandbox(sandbox: str, runtime: str, image: str) -> None:
    assert missing_image(sandbox, runtime, IMAGES) == image


def test_league_tells_its_warning(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:honest", "sample:odds"], games=1)
    ran = run("run", "league.yaml", "--sandbox", "pod", "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert f"warning: {WARNING}" in ran.err


def test_ladder_refuses_a_bot_whose_image_is_missing(tmp_path: Path) -> None:
    club = clubs.make(tmp_path, sandbox="pod")
    source = bot(tmp_path / "mine", name="mine", runtime="rust")
    result = clubs.checked(clubs.check_order(club, source))
    assert result.reason.startswith("this ladder has no image for the runtime 'rust'")


def test_course_refuses_a_bot_whose_image_is_missing(tmp_path: Path) -> None:
    source = bot(tmp_path / "mine", name="mine", runtime="rust")
    # In this process: those of a pool do not know the made-up class.
    hand_in = CheckedHandIn("s1", "mine", CheckRequest(source, "pod"), Inside(source))
    [finding] = checks._check(hand_in).report.steps[0].findings
    assert finding.what == "there is no image for the runtime 'rust' here"


def test_check_takes_an_image_for_it(tmp_path: Path) -> None:
    mine = bot(tmp_path / "mine", name="mine")
    options = ("--image", "mine:1", "--trust-bots", "--step", "4")
    ran = run("check", mine, "--sandbox", "pod", *options, cwd=tmp_path)
    assert ran.code == 0, ran.err
    ran = run("check", mine, "--sandbox", "process", *options, cwd=tmp_path)
    error_line(ran, "the sandbox 'process' uses no images", "--image")


def test_sandboxes_are_described() -> None:
    shipped = [name for name in SANDBOXES if name != "pod"]
    assert list(PROMISES) == shipped
    page = (ROOT / "docs/guides/sandboxes.md").read_text()
    assert f"| | {' | '.join(f'`{name}`' for name in shipped)} |" in page
    assert (
        f"auto, {', '.join(shipped[:-1])} or {shipped[-1]} " in run("run", "--help", cwd=ROOT).out
    )
