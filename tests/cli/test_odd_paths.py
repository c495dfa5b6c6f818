"""Paths and streams that nobody expects: one line that names them, exit code 2."""

import os
from pathlib import Path

import click
import pytest

from arena.cli.options import PathType
from tests.cli.command import bot, error_line, league, run, run_process
from tests.cli.every_command import every_command

ODD = {
    "a long name": ("x" * 256, "cannot be used: File name too long"),
    "a long path": ("x/" * 2000, "a path of more than 3,000 bytes"),
    "a loop of links": ("loop", "cannot be used: Too many levels of symbolic links"),
    "a long name in no encoding": ("\udcff" * 256, "cannot be used: File name too long"),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_path_is_refused(tmp_path: Path, odd: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    path, reason = ODD[odd]
    error_line(run("run", path, cwd=tmp_path), reason)
    error_line(run("report", "a", "--store", path, cwd=tmp_path), reason)
    assert [left.name for left in tmp_path.iterdir()] == ["loop"]


def test_paths_of_every_command_are_of_the_type_that_refuses_odd_ones() -> None:
    others = [
        f"{name} {parameter.name}"
        for name, command in every_command().items()
        for parameter in command.params
        if isinstance(parameter.type, click.Path) and type(parameter.type) is not PathType
    ]
    assert others == []


def test_name_too_long_for_what_lies_beside_a_store(tmp_path: Path) -> None:
    (tmp_path / f"{'x' * 250}").write_text("bots: ['sample:*']\n")
    ran = run("run", "x" * 250, cwd=tmp_path)
    error_line(
        ran, "the name of a store has at most 200 bytes / xxx", "choose another with --store"
    )


@pytest.mark.parametrize("pattern", ["x" * 256, "x/" * 3000, f"{'x' * 256}/*", "[b-a]/**x"])
def test_odd_pattern_is_refused(tmp_path: Path, pattern: str) -> None:
    bot(tmp_path / "new")
    error_line(run("compare", "new", pattern, cwd=tmp_path), " / NEW")
    error_line(run("compare", "new", "new", "--against", pattern, cwd=tmp_path), " / --against")


def test_fifo_or_folder_in_place_of_a_manifest_is_refused(tmp_path: Path) -> None:
    for name, make in {"fifo": os.mkfifo, "folder": os.mkdir}.items():
        (bot(tmp_path / name) / "bot.yaml").unlink()
        make(tmp_path / name / "bot.yaml")
        error_line(run("check", name, cwd=tmp_path), f"no bot.yaml in the bot's folder / {name} /")


@pytest.mark.parametrize("store", ["fifo", "folder", "/dev/null", "/dev/zero"])
def test_odd_store_is_refused(tmp_path: Path, store: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    league(tmp_path, bots=["sample:odds", "sample:honest"], games=1, sandbox="process")
    for command in ("status", "export", "report", "verify", "run"):
        ran = run(command, "league.yaml", "--store", store, cwd=tmp_path)
        error_line(ran, f" / {store}")


def test_folder_that_was_deleted(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    under = _shell('cd gone && rmdir ../gone && "$@"')
    for words in (["run", "league.yaml"], ["compare", "a", "b"], ["check", "bot"]):
        ran = run_process(*words, cwd=tmp_path, under=under)
        error_line(ran, "the current folder was deleted")
        (tmp_path / "gone").mkdir()


def test_line_without_an_end_is_no_position(tmp_path: Path) -> None:
    ran = run("judge", "/dev/zero", cwd=tmp_path)
    error_line(ran, "a line of more than 64 KiB / /dev/zero:1 / one position per line")


@pytest.mark.parametrize(
    "words",
    [
        ["rerun", "league.yaml", "9" * 5000],
        ["report", "league.yaml", "--replays", "9" * 5000],
        ["run", "league.yaml", "--workers", "9" * 5000],
        ["run", "league.yaml", "--cluster", "tcp://\udcff"],
        ["run", "league.yaml", "--cluster", "local:" + "9" * 5000],
        ["compare", "a", "b", "--seed", "\udcff"],
        ["rules", "\udcff"],
        ["\udcff"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_odd_word_is_a_usage_error(tmp_path: Path, words: list[str]) -> None:
    error_line(run(*words, cwd=tmp_path))


def test_league_whose_name_is_in_no_encoding_is_played(tmp_path: Path) -> None:
    league(tmp_path, bots=["sample:odds", "sample:honest"], games=1)
    (tmp_path / "league.yaml").rename(tmp_path / "a\udcff.yaml")
    ran = run("run", "a\udcff.yaml", "--sandbox", "process", cwd=tmp_path)
    assert ran.code == 0, ran
    assert (tmp_path / "a\udcff.sqlite").is_file()


BESIDE = [
    "league.sqlite",
    "league.logs.sqlite",
    "league.sqlite-wal",
    "league.sqlite.summaries",
    "league.sqlite.pseudonyms",
    "site/index.html",
    "site/.perudo-arena-site.json",
]


@pytest.mark.slow
def test_folder_in_place_of_a_file_is_no_bug(tmp_path: Path) -> None:
    """Of the store or of the site, whatever is done with them."""
    league(tmp_path, bots=["sample:odds", "sample:honest"], games=1, sandbox="process")
    assert run("run", "league.yaml", cwd=tmp_path).code == 0
    commands = ["status", "report", "report --anonymous", "export", "rerun 0", "run"]
    for name in BESIDE:
        path = tmp_path / name
        kept = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        path.mkdir()
        for line in commands:
            command, *more = line.split()
            ran = run(command, "league.yaml", *more, cwd=tmp_path)
            assert ran.code in {0, 2}, (name, line, ran)
            assert "Traceback" not in ran.err
            if ran.code == 2:
                error_line(ran, name.split("/")[0].split(".")[0])
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        if kept is not None:
            path.write_bytes(kept)


def _shell(line: str) -> list[str]:
    """Return a command that runs another one as a line of the shell, there called "$@"."""
    return ["sh", "-c", line, "sh"]


def test_output_in_another_encoding_is_printed(tmp_path: Path) -> None:
    ran = run_process("rules", cwd=tmp_path, env={"PYTHONIOENCODING": "iso-8859-1"})
    assert (ran.code, ran.err) == (0, "")
    assert "\\u2192" in ran.out


CLOSED = [("judge", "<&-", 0), ("rules", ">&-", 0), ("export a", ">&- 2>&-", 2)]


@pytest.mark.parametrize(("line", "redirection", "code"), CLOSED)
def test_closed_streams_are_no_bug(tmp_path: Path, line: str, redirection: str, code: int) -> None:
    ran = run_process(*line.split(), cwd=tmp_path, under=_shell(f'"$@" {redirection}'))
    assert ran.code == code, ran


def test_full_disk_at_standard_output(tmp_path: Path) -> None:
    ran = run_process("rules", cwd=tmp_path, under=_shell('"$@" > /dev/full'))
    error_line(ran, "the output cannot be written: No space left on device / standard output")
