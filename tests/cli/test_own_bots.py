"""One's own bots on a machine where nothing isolates them: a person is asked once."""

import json
import shutil
from pathlib import Path

import pytest

from arena.cli import isolation
from tests.cli.asked import FIXTURE
from tests.cli.command import bare_machine, bot, error_line, league, run, run_process
from tests.cli.live_terminal import at_terminal
from tests.course.school import course_yaml, roster
from tests.support.live import no_docker
from tests.support.sampling import sample

__all__ = ["no_docker"]

QUESTION = "is this your own bot, to be run as "
NOT_INSTALLED = "bubblewrap does not work here: bwrap not found (sudo apt-get install bubblewrap)"
QUICK = ("--step", 5)


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "machine").mkdir()
    return bare_machine(tmp_path / "machine")


@pytest.fixture
def bare_here(bare: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is on such a machine."""
    for name, value in bare.items():
        monkeypatch.setenv(name, value)


@pytest.mark.slow
def test_a_person_is_asked_once_for_each_folder(tmp_path: Path, bare: dict[str, str]) -> None:
    folder = bot(tmp_path / "mine")
    with at_terminal(tmp_path, tmp_path, "check", "mine", *QUICK, env=bare) as terminal:
        assert NOT_INSTALLED in terminal.read_until(QUESTION)
        terminal.read_until("[y/N] ")
        terminal.type("y\n")
        assert terminal.end() == 0
        assert f"own-bots.json: {folder}\n" in terminal.text
        assert "mine: ok (process)" in terminal.text
    ran = run_process("check", "mine", *QUICK, cwd=tmp_path, env=bare)
    assert ran.code == 0, ran
    assert ": mine (remembered in " in ran.err
    bot(tmp_path / "other")
    ran = run_process("compare", "mine", "other", cwd=tmp_path, env=bare)
    error_line(ran, "'process' does not isolate", f"{NOT_INSTALLED}, or --trust-bots")


@pytest.mark.slow
@pytest.mark.parametrize("answer", sample(["\n", "\4"], 1, "answers"))
def test_answer_other_than_yes_refuses(tmp_path: Path, bare: dict[str, str], answer: str) -> None:
    bot(tmp_path / "mine")
    with at_terminal(tmp_path, tmp_path, "check", "mine", env=bare) as terminal:
        terminal.read_until("[y/N] ")
        terminal.type(answer)
        assert terminal.end() == 2
        assert "error: the sandbox 'process' does not isolate" in terminal.text
    assert not Path(bare["XDG_STATE_HOME"]).exists()


@pytest.mark.slow
def test_data_are_not_mixed_with_the_question(tmp_path: Path, bare: dict[str, str]) -> None:
    bot(tmp_path / "mine")
    words = ("check", "mine", *QUICK, "--json")
    with at_terminal(tmp_path, tmp_path, *words, env=bare, out=tmp_path / "out") as terminal:
        terminal.read_until("[y/N] ")
        terminal.type("yes\n")
        assert terminal.end() == 0
    assert json.loads((tmp_path / "out").read_text())[0]["ok"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("check", "mine", "--sandbox", "process"), ("run", "league.yaml")],
    ids=lambda words: words[0],
)
def test_other_refusals_do_not_ask(
    tmp_path: Path, bare: dict[str, str], words: tuple[str, ...]
) -> None:
    """Where a sandbox isolates, or where bots are those of others."""
    bot(tmp_path / "mine")
    league(tmp_path, bots=["mine", "sample:odds"])
    env = bare if words[0] == "run" else {}
    with at_terminal(tmp_path, tmp_path, *words, env=env) as terminal:
        assert terminal.end() == 2
        assert QUESTION not in terminal.text
        assert "or --trust-bots if you trust them" in terminal.text


@pytest.fixture(scope="module")
def played(played_by_mine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a stored league, a bot, and the lines that it was sent."""
    folder = tmp_path_factory.mktemp("own") / "league"
    shutil.copytree(played_by_mine, folder)
    shutil.copytree(folder / "mine", folder / "mine-2")
    words = ("rerun", "league.yaml", FIXTURE, 0, "--as", "mine", "--record", "lines.jsonl")
    assert run(*words, "--sandbox", "process", "--trust-bots", cwd=folder).code == 0
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("check", "mine"),
        ("check", "mine", "--transcript", "bga"),
        ("watch", "mine"),
        ("play", "mine", "sample:odds"),
        ("play", "mine", "--me"),
        ("coach", "mine"),
        ("puzzle", "mine"),
        ("compare", "sample:odds", "mine"),
        ("alike", "mine", "mine-2"),
        ("exploit", "mine"),
        ("rerun", "league.yaml", FIXTURE),
        ("rerun", "league.yaml", FIXTURE, "--as", "mine"),
        ("debug", "league.yaml", FIXTURE, 0, "--as", "mine"),
        ("debug", "lines.jsonl", "--as", "mine"),
        ("course", "try", "mine"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
@pytest.mark.usefixtures("no_docker", "bare_here")
def test_every_command_of_authors_asks(
    played: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...]
) -> None:
    asked: list[Path] = []

    def no(_why: str, sources: list[Path]) -> bool:
        asked.extend(sources)
        return False

    monkeypatch.setattr(isolation, "_says_yes", no)
    before = sorted(played.rglob("*"))
    error_line(run(*words, cwd=played), "'process' does not isolate", NOT_INSTALLED)
    assert asked[0] == played / "mine"
    assert sorted(played.rglob("*")) == before


@pytest.mark.usefixtures("no_docker", "bare_here")
def test_many_bots_are_not_taken_for_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "_says_yes", lambda *_: True)
    for number in range(7):
        bot(tmp_path / f"hand-ins/student{number}")
    error_line(run("alike", "hand-ins", cwd=tmp_path), "'process' does not isolate", NOT_INSTALLED)


@pytest.mark.parametrize(
    "words",
    [("run", "league.yaml"), ("ladder", "init", "club"), ("course", "grade", ".")],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("no_docker", "bare_here")
def test_commands_for_bots_of_others_do_not_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def never(*_: object) -> bool:
        raise AssertionError

    monkeypatch.setattr(isolation, "_says_yes", never)
    bot(tmp_path / "hand-ins/anna")
    roster(tmp_path, "anna,Anna,,")
    course_yaml(tmp_path, sandbox="auto")
    league(tmp_path, bots=["hand-ins/anna", "sample:odds"])
    error_line(run(*words, cwd=tmp_path), "'process' does not isolate", NOT_INSTALLED)
