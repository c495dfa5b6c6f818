"""`arena new`: kits of every language, built, tested and played as an author would."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from arena.author.check.steps import STEPS
from arena.bots.manifest import load_bot
from arena.bots.runtimes import KITS
from arena.bots.sandboxes.base import PATH
from tests.cli.command import HANG, ROOT, environment, error_line, run
from tests.protocol.golden import POSITIONS, positions
from tests.support.depth import depth
from tests.support.sampling import sample

PROGRAMS_OF_AUTHORS = f"{Path(sys.executable).parent}:{PATH}"
"""The arena's environment, whose Python has numpy, and the programs that a sandbox has."""
EXACT = sorted(KITS.keys() - {"shell"})
"""The kits that reckon with fractions, and so decide alike."""
ILLEGAL = {
    "python": ("bid(best.min, best.face)", "bid(99, best.face)"),
    "javascript": ("bid(best.min, best.face)", "bid(99, best.face)"),
    "c": ("bid(best->min, best->face)", "bid(99, best->face)"),
    "rust": ("bid(raise.min, raise.face)", "bid(99, raise.face)"),
    "java": ("bid(best.min(), best.face())", "bid(99, best.face())"),
    "go": ("Bid(best.Min, best.Face)", "Bid(99, best.Face)"),
    "policy": ("return table.bid(*best)", "return 9999"),
    "model": ("else bid(best.min, best.face)", "else bid(99, best.face)"),
    "shell": ("bid $best", "bid 99 6"),
}
"""By language, a part of `choose`, and a part that makes an illegal move in its place."""
PROGRAMS = {language: kit.edit for language, kit in KITS.items()} | {"model": "bot.py"}
"""By language, the file with `choose`."""

TESTED = ["every move is legal", "a bid of more dice than there are is doubted"]
FORGOTTEN = {
    "python": ("return bid(best.min", "bid(best.min", "bot.py, line 6: choose() returned None; "),
    "javascript": ("return bid(best.min", "bid(best.min", "bot.js: choose() returned undefined; "),
    "java": ("return Perudo.bid(best.min(), best.face())", "return null", "returned null; it must"),
    "shell": ("bid $best", ":", "bot.sh: choose called neither bid nor dudo; it must"),
    "c": ("return bid(best", "bid(best", ": error: control reaches end of"),
}
"""By language, a part of `choose`, the same without a move, and what is said of it."""
PRINTING = {
    "python": '    print("here")\n',
    "policy": '    print("here")\n',
    "javascript": '  console.log("here");\n',
}
"""By language, a first line of `choose` that prints where answers go."""


def new(folder: Path, language: str, name: str = "my-bot") -> Path:
    made = run("new", name, "--lang", language, cwd=folder)
    assert made.code == 0, made.err
    return folder / name


def test_positions_of_kits_are_those_of_live_games() -> None:
    assert POSITIONS.read_text(encoding="utf-8") == positions()


def run_own_tests(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a bot's own tests as its author does."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(PATH=PROGRAMS_OF_AUTHORS),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", sample(KITS, 3, "own tests of kits"))
def test_kit_passes_its_own_tests_until_a_position_is_damaged(
    tmp_path: Path, language: str
) -> None:
    folder = new(tmp_path, language)
    command = KITS[language].test
    ran = run_own_tests(folder, command)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert all(f"passed: {what}\n" in ran.stdout for what in TESTED)
    assert command in (folder / "README.md").read_text(encoding="utf-8")
    recorded = folder / "positions.jsonl"
    lines = recorded.read_text(encoding="utf-8").splitlines(keepends=True)
    recorded.write_text("".join([*lines[:39], lines[39][:50] + "\n", *lines[40:]]))
    *_, without_build = command.split(" && ")
    ran = run_own_tests(folder, without_build)
    assert ran.returncode not in {0, 127}
    assert "positions.jsonl, line 40 is damaged" in ran.stdout + ran.stderr


def test_an_illegal_move_is_known_for_every_kit() -> None:
    assert ILLEGAL.keys() == KITS.keys()


@pytest.mark.parametrize("language", depth(("python",), tuple(ILLEGAL)))
def test_tests_of_a_kit_find_an_illegal_move(tmp_path: Path, language: str) -> None:
    folder = new(tmp_path, language)
    edited = folder / PROGRAMS[language]
    legal, illegal = ILLEGAL[language]
    text = edited.read_text(encoding="utf-8")
    assert text.count(legal) == 1
    edited.write_text(text.replace(legal, illegal), encoding="utf-8")
    ran = run_own_tests(folder, KITS[language].test)
    assert ran.returncode not in {0, 127}
    assert [what for what in TESTED if f"passed: {what}\n" in ran.stdout] == TESTED[1:]


@pytest.mark.parametrize("language", depth(("python",), tuple(PRINTING)))
def test_tests_of_a_kit_find_what_is_printed_besides_answers(tmp_path: Path, language: str) -> None:
    folder = new(tmp_path, language)
    edited = folder / KITS[language].edit
    text = edited.read_text(encoding="utf-8")
    before, choose, after = text.partition("(view" if language == "javascript" else "def choose(")
    signature, body, after = after.partition("\n")
    printing = before + choose + signature + body + PRINTING[language] + after
    edited.write_text(printing, encoding="utf-8")
    ran = run_own_tests(folder, KITS[language].test)
    assert ran.returncode not in {0, 127}
    assert [what for what in TESTED if f"passed: {what}\n" in ran.stdout] == TESTED
    assert "passed: nothing is printed" not in ran.stdout


@pytest.mark.parametrize("language", depth(("python", "c"), tuple(FORGOTTEN)))
def test_forgotten_move_is_named_with_its_place(tmp_path: Path, language: str) -> None:
    folder = new(tmp_path, language)
    edited = folder / KITS[language].edit
    right, wrong, said = FORGOTTEN[language]
    text = edited.read_text(encoding="utf-8")
    assert text.count(right) == 1
    edited.write_text(text.replace(right, wrong), encoding="utf-8")
    ran = run("check", "my-bot", "--stderr", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == (2 if language == "c" else 1), ran
    assert said in ran.out + ran.err
    assert run_own_tests(folder, KITS[language].test).returncode not in {0, 127}


GAMES = [step.name for step in STEPS].index("tables") + 1
"""The step of a check that plays games at tables of all sizes."""
PLACES = [(language, sandbox) for language in KITS for sandbox in ("docker", "bubblewrap")]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "sandbox"), sample(PLACES, 2, "kits"))
def test_kit_is_built_and_plays_without_a_fault_in_the_sandbox(
    tmp_path: Path, language: str, sandbox: str
) -> None:
    new(tmp_path, language)
    checked = run("check", "my-bot", "--sandbox", sandbox, "--step", GAMES, cwd=tmp_path)
    assert checked.code == 0, checked.out + checked.err


@pytest.mark.slow
@pytest.mark.parametrize("language", depth(("python",), ("python", "shell")))
def test_kit_beats_the_honest_bot(tmp_path: Path, language: str) -> None:
    """All but that of the shell decide as that of Python does."""
    new(tmp_path, language)
    table = ("my-bot", "sample:honest", "--games", "40", "--seed", "kits")
    ran = run("play", *table, "--sandbox", "process", "--trust-bots", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    wins = {one["name"]: one["wins"] for one in json.loads(ran.out)["results"]}
    assert wins["my-bot"] > wins["honest"], wins


@pytest.mark.slow
def test_kits_decide_alike(tmp_path: Path) -> None:
    lines = POSITIONS.read_text(encoding="utf-8").splitlines(keepends=True)
    talk = "".join(line for line in lines if '"bye"' not in line)
    languages = depth(("c", "javascript", "python"), tuple(EXACT))
    decisions = {}
    for language in languages:
        bot = load_bot(new(tmp_path, language, language))
        done = partial(
            subprocess.run, cwd=bot.folder, env=environment(PATH=PROGRAMS_OF_AUTHORS), check=True
        )
        if bot.build:
            done(bot.build, timeout=HANG)
        said = done(bot.command, input=talk, capture_output=True, text=True, timeout=HANG).stdout
        decisions[language] = [json.loads(line) for line in said.splitlines()]
    first = decisions.pop(languages[0])
    assert len(first) == len([line for line in lines if '"turn"' in line or '"hello"' in line])
    for language, others in decisions.items():
        assert others == first, language


def test_new_bot_is_named_like_its_folder(tmp_path: Path) -> None:
    for name in ("ada", "12", "null", "Ада", 'a "b" c'):
        assert load_bot(new(tmp_path, "python", name)).name == name


def test_languages_are_listed(tmp_path: Path) -> None:
    listed = run("new", "--list", cwd=tmp_path)
    assert [line.split()[0] for line in listed.out.splitlines()] == list(KITS)
    assert json.loads(run("new", "--list", "--json", cwd=tmp_path).out).keys() == KITS.keys()


@pytest.mark.parametrize(
    ("name", "kit"),
    [("js", "javascript"), ("PY", "python"), ("golang", "go"), ("node", "javascript")],
)
def test_other_names_of_languages(tmp_path: Path, name: str, kit: str) -> None:
    made = json.loads(run("new", "my-bot", "--lang", name, "--json", cwd=tmp_path).out)
    assert made["language"] == kit


def test_kit_is_another_word_for_language(tmp_path: Path) -> None:
    assert run("new", "my-bot", "--kit", "policy", cwd=tmp_path).code == 0
    helper = (tmp_path / "my-bot" / "perudo_policy.py").read_bytes()
    assert helper == (ROOT / "arena" / "lab" / "env" / "perudo_policy.py").read_bytes()


def test_package_that_a_kit_needs_is_named(tmp_path: Path) -> None:
    ran = run("new", "my-bot", "--lang", "policy", cwd=tmp_path)
    assert "  needs  numpy for its own tests: " in ran.out.splitlines()[1]


def test_data_of_a_new_bot(tmp_path: Path) -> None:
    made = json.loads(run("new", "my-bot", "--lang", "shell", "--json", cwd=tmp_path).out)
    assert made["folder"] == str(tmp_path / "my-bot")
    assert (made["name"], made["language"]) == ("my-bot", "shell")


REFUSED = {
    "a folder that exists": (("taken",), "it exists already", "/taken"),
    "a file that exists": (("file",), "it exists already", "/file"),
    "below a file": (("file/bot",), "it cannot be made", "/file/bot"),
    "an unknown language": (("new", "--lang", "rst"), "no kit for 'rst'", "'rust'"),
    "a language without a kit": (("new", "--lang", "Lua"), "no kit for 'Lua'", "help languages"),
    "a language near a kit": (("new", "--lang", "c++"), "no kit for 'c++'", "--lang c)"),
    "no folder": ((), "no folder to make", "for example"),
    "a long name": (("x" * 41,), "1 to 40 characters", f"/{'x' * 41}/bot.yaml"),
    "a misleading name": (("ab\u200bc",), "the name 'ab\\u200bc'", "/bot.yaml"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_folder_that_cannot_be_made_is_refused(tmp_path: Path, case: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").touch()
    arguments, *parts = REFUSED[case]
    error_line(run("new", *arguments, cwd=tmp_path), *parts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


def test_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.command.command_exists", lambda command, folder: False)
    made = run("new", "my-bot", "--lang", "rust", cwd=tmp_path)
    assert "install rustc: sudo apt-get install rustc" in made.out
