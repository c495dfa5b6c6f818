"""Commands on bots in archives and bots that are built."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import FIELD, LOWEST, TRUSTED, bot, error_line, league, records, run

MANIFEST = "name: new\ncommand: python3 bot.py\n"
ONE_GAME = ("--transcript", "bga")
ONE_STEP = ("--step", "5")
"""Both have `arena check` play less."""


def zipped(folder: Path, archive: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.iterdir()):
            file.write(path, prefix + path.name)
    return archive


def tarred(archive: Path, *entries: tarfile.TarInfo) -> Path:
    with tarfile.open(archive, "w:gz") as file:
        for entry in entries:
            file.addfile(entry, io.BytesIO(bytes(entry.size)))
    return archive


def link(name: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return entry


def built(tmp_path: Path, build: str) -> Path:
    return bot(tmp_path / "new", LOWEST, build=["sh", "-c", build])


# ---------------------------------------------------------------- archives


def test_check_accepts_an_archive(tmp_path: Path) -> None:
    zipped(bot(tmp_path / "new"), tmp_path / "my-bot.zip", "my-bot/")
    ran = run("check", "my-bot.zip", *TRUSTED, *ONE_GAME, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(">>0 ")


def test_archive_needs_isolation_or_trust(tmp_path: Path) -> None:
    zipped(bot(tmp_path / "new"), tmp_path / "my-bot.zip")
    ran = run("check", "my-bot.zip", "--sandbox", "process", cwd=tmp_path)
    error_line(ran, "'process' does not isolate bots", "my-bot.zip / ", "--trust-bots")


def test_archive_resumes_the_league_of_its_folder(tmp_path: Path) -> None:
    """Both are the same version of the bot: no fixture is played again."""
    folder = bot(tmp_path / "new")
    league(tmp_path, bots=[FIELD[0], "new"])
    assert run("run", "league.yaml", *TRUSTED, cwd=tmp_path).code == 0
    before = records(tmp_path / "league.sqlite")
    (tmp_path / "entries").mkdir()
    zipped(folder, tmp_path / "entries" / "new.zip", "new/")
    (tmp_path / "entries" / "readme.txt").write_text("no bot")
    for path in folder.iterdir():
        path.unlink()
    league(tmp_path, bots=[FIELD[0], "entries/*"])
    ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert f"stored already: {len(before)} of {len(before)} fixtures" in ran.err
    assert records(tmp_path / "league.sqlite") == before


def test_folder_and_its_archive_have_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "entries").mkdir()
    zipped(bot(tmp_path / "entries" / "new"), tmp_path / "entries" / "new.zip")
    league(tmp_path, bots=["entries/*"])
    ran = run("run", "league.yaml", cwd=tmp_path)
    error_line(
        ran, "two bots are called 'new' / ", "entries/new, ", "entries/new.zip / change `name`"
    )


def test_archived_bot_that_does_not_start_is_named(tmp_path: Path) -> None:
    zipped(bot(tmp_path / "new", "raise SystemExit(7)"), tmp_path / "new.zip")
    league(tmp_path, bots=[*FIELD, "new.zip"])
    ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    error_line(ran, "'new' does not start: ", "new.zip / see why: arena check ", "new.zip")


def test_refused_archives_leave_nothing_behind(tmp_path: Path) -> None:
    tarred(tmp_path / "link.tar.gz", link("bot.yaml"))
    tarred(tmp_path / "venv.tgz", link(".venv/bin/python"))
    tarred(tmp_path / "up.tgz", tarfile.TarInfo("../evil"))
    tarred(tmp_path / "case.tgz", tarfile.TarInfo("bot.py"), tarfile.TarInfo("Bot.py"))
    bomb = tarfile.TarInfo("bomb\x1b[2J")
    tarred(tmp_path / "esc.tgz", bomb)
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04hello")
    (tmp_path / "page.zip").write_text("<html>")
    (tmp_path / "bot.rar").write_text("hello")
    tables = {
        "link.tar.gz": [
            "the archive holds a symbolic link / link.tar.gz: bot.yaml / put a copy of the file"
        ],
        "venv.tgz": ["a symbolic link / venv.tgz: .venv/bin/python / remove it; how to bring"],
        "up.tgz": ["the archive holds a path that leads out of the archive / up.tgz: ../evil"],
        "case.tgz": [
            "the archive holds a name that differs only by case ",
            "from bot.py / case.tgz: Bot.py / rename one of them",
        ],
        "esc.tgz": ["a character that does not show / esc.tgz: bomb\\x1b[2J / rename the file"],
        "damaged.zip": ["the archive is damaged: ", " / damaged.zip"],
        "page.zip": ["it is neither a zip nor a tar archive / page.zip / send the bot's folder"],
        "bot.rar": ["neither a bot's folder nor an archive of one / bot.rar / ", ".zip, .tar"],
        "none.zip": ["no such bot folder / none.zip / give a folder with a bot.yaml in it, or an"],
    }
    for archive, parts in tables.items():
        ran = run("check", archive, cwd=tmp_path)
        assert ran.err.count("\n") == 1
        error_line(ran, *parts)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == set(tables) - {"none.zip"}


def test_bomb_leaves_nothing_behind(tmp_path: Path) -> None:
    """70 KB on disk, 70 MiB unpacked."""
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bot.yaml", MANIFEST)
        with file.open("big", "w") as big:
            for _ in range(70):
                big.write(bytes(2**20))
    ran = run("check", "bomb.zip", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    error_line(ran, "the archive holds more than 64 MiB / bomb.zip: big / leave out")
    assert [path.name for path in tmp_path.iterdir()] == ["bomb.zip"]


@pytest.mark.parametrize("name", ["new.zip", "new.rar", "none.zip"])
def test_league_error_names_the_line_of_a_bad_bot(tmp_path: Path, name: str) -> None:
    (tmp_path / "new.rar").write_text("hello")
    (tmp_path / "new.zip").mkdir()
    league(tmp_path, bots=[*FIELD, name])
    ran = run("run", "league.yaml", cwd=tmp_path)
    if name == "new.zip":
        error_line(ran, "no bot.yaml in the bot's folder / ", "new.zip")
    else:
        error_line(ran, f": {tmp_path / name} / league.yaml:6:")


# ---------------------------------------------------------------- builds


@pytest.mark.parametrize("box", ["process", "bubblewrap"])
def test_check_shows_the_output_of_a_build(tmp_path: Path, box: str) -> None:
    built(tmp_path, "echo 'bot.c:7: warning: unused \033[31mdie' >&2; echo done")
    words = ("--sandbox", box, "--trust-bots", *ONE_STEP)
    ran = run("check", "new", *words, "--stderr", cwd=tmp_path)
    assert ran.code == 0, ran
    shown = {line for line in ran.out.splitlines() if line.startswith("  build: ")}
    assert shown == {
        "  build: bot.c:7: warning: unused \\x1b[31mdie",
        "  build: done",
    }
    assert "  build: " not in run("check", "new", *words, cwd=tmp_path).out


def test_check_prints_the_output_of_a_build_as_json(tmp_path: Path) -> None:
    built(tmp_path, "echo 'bot.c:7: warning' >&2")
    ran = run("check", "new", *TRUSTED, *ONE_STEP, "--json", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "bot.c:7: warning" in json.loads(ran.out)[0]["build"]


def test_check_shows_the_first_error_of_a_failed_build(tmp_path: Path) -> None:
    built(tmp_path, "seq 100; echo 'bot.c:3: error: one' >&2; echo 'ld: error: two'; exit 3")
    ran = run("check", "new", *TRUSTED, cwd=tmp_path)
    line = error_line(
        ran, "the build of 'new' failed (exit code 3) / sh -c ", "bot.c:3: error: one"
    )
    assert "two" not in line.partition("/ bot.c:3")[2]
    output = Path(line.rpartition("all of its output: ")[2])
    assert output.read_text().startswith("1\n2\n3\n")
    assert "bot.c:3: error: one" in output.read_text()
    output.unlink()


def test_build_that_leaves_a_link_is_refused(tmp_path: Path) -> None:
    built(tmp_path, "ln -s /etc/passwd secrets")
    league(tmp_path, bots=[*FIELD, "new"])
    ran = run("run", "league.yaml", *TRUSTED, cwd=tmp_path)
    parts = ("after the build of 'new': ", "no link that leads out of it / ", "/new/secrets / make")
    error_line(ran, *parts)
    assert records(tmp_path / "league.sqlite") == []
