"""Bots that fail because their sandbox hides a file, and bots that fail anyway."""

from pathlib import Path

import pytest

from arena.author.check.bench import CheckRequest
from arena.author.check.findings import Finding
from arena.author.check.hints.fault import Evidence, hint_for
from arena.author.check.hints.missing import refused
from arena.author.check.run import check
from arena.bots.bot import Bot
from arena.game.records import Cause
from tests.author.check.bots import PATIENT, Silent, write
from tests.cli.command import run

HIDDEN = "/etc/passwd"
"""A file that every machine has, and no sandbox."""
READS = f"it reads {HIDDEN}, which the sandbox does not show: `sandbox_paths` in league.yaml"
WORKS = "it works outside: "
OPENS = f"open('{HIDDEN}')\n"
WARNS = f"os.path.exists('{HIDDEN}') or print('cannot open {HIDDEN}', file=sys.stderr)\n"
START = 4


def found(folder: Path, *, trusted: bool = True, looks: bool = True) -> Finding:
    request = CheckRequest(
        *(folder, "bubblewrap"), trusted=trusted, looks_outside=looks, limits=PATIENT, last=START
    )
    *_, last = check(request, Silent()).steps
    (finding,) = last.findings
    return finding


STARTS = {
    "a file": (OPENS, WORKS + READS),
    "a file, and a fault of its own": (
        f"{OPENS}1 // 0\n",
        f"{READS} or ladder.yaml does, here --sandbox-path; it fails",
    ),
    "nothing that it names": (
        f"os.path.exists('{HIDDEN}') or sys.exit('what?')\n",
        f"{WORKS}the sandbox hides something that it needs",
    ),
}
OWN_FAULTS = {"alone": "1 // 0\n", "after a warning": f"{WARNS}1 // 0\n"}
BUILDS = {
    "a file": (f"cat {HIDDEN} >copy", f"No such file or directory; {WORKS}{READS}"),
    "a file that it names outside": (f"test -e {HIDDEN} && echo read {HIDDEN}", WORKS + READS),
    "nothing that it names": (f"test -e {HIDDEN}", f"{WORKS}the sandbox hides something"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "hint"), STARTS.values(), ids=STARTS)
def test_start_that_fails_in_the_sandbox_alone_names_what_it_lacks(
    tmp_path: Path, body: str, hint: str
) -> None:
    assert found(write(tmp_path / "new", body)).hint.startswith(hint)


@pytest.mark.slow
@pytest.mark.parametrize("body", OWN_FAULTS.values(), ids=OWN_FAULTS)
def test_no_file_is_named_for_a_fault_of_the_bot(tmp_path: Path, body: str) -> None:
    hint = found(write(tmp_path / "new", body)).hint
    assert hint.endswith(": its standard error says why")


@pytest.mark.slow
@pytest.mark.parametrize(("build", "hint"), BUILDS.values(), ids=BUILDS)
def test_build_that_fails_in_the_sandbox_alone_names_what_it_lacks(
    tmp_path: Path, build: str, hint: str
) -> None:
    more = f"build: [sh, -c, '{build}']\n"
    assert hint in found(write(tmp_path / "new", more=more)).hint


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", f"cat {HIDDEN} >copy; "])
def test_build_that_fails_outside_as_well_is_a_fault_of_the_bot(
    tmp_path: Path, before: str
) -> None:
    more = f"build: [sh, -c, '{before}echo an error; exit 3']\n"
    assert found(write(tmp_path / "new", more=more)).hint == "an error"


@pytest.mark.slow
@pytest.mark.parametrize("shipped", [False, True])
def test_only_bots_that_may_run_there_are_tried_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: bool
) -> None:
    monkeypatch.setattr(Bot, "shipped", shipped)
    mark = tmp_path / "mark"
    body = f"{OPENS}open('{mark}', 'w')\n"
    hint = found(write(tmp_path / "new", body), trusted=False).hint
    assert hint.startswith(WORKS + READS if shipped else READS)
    assert mark.exists() == shipped


@pytest.mark.slow
def test_authors_of_a_ladder_do_not_learn_which_files_its_machine_has(tmp_path: Path) -> None:
    told = found(write(tmp_path / "new", OPENS), looks=False).hint
    assert "put the file into the bot's folder" in told
    missing = "/etc/no-such-file"
    source = write(tmp_path / "new", OPENS.replace(HIDDEN, missing))
    assert found(source, looks=False).hint == told.replace(HIDDEN, missing)


@pytest.mark.parametrize("late", ["busy", "silent"])
def test_bot_that_was_refused_a_file_is_not_told_to_look_for_a_loop(late: str) -> None:
    detail, stderr = "not ready within 10 s", "cannot open file '/etc/R/ldpaths'\n"
    hint = hint_for(Evidence(Cause.TIMEOUT, detail, "", stderr, late=late))
    assert hint.startswith("it was refused /etc/R/ldpaths")
    hint = hint_for(Evidence(Cause.TIMEOUT, detail, "", "read /etc/R/ldpaths\n", late=late))
    assert "refused" not in hint


@pytest.mark.slow
def test_check_tries_outside_what_an_author_trusts(tmp_path: Path) -> None:
    source = write(tmp_path / "new", OPENS)
    ran = run("check", source, "--sandbox", "bubblewrap", "--trust-bots", cwd=tmp_path)
    assert ran.code == 1, ran
    assert f"mend: {WORKS}{READS}" in ran.out


@pytest.mark.slow
def test_check_shows_a_bot_the_paths_that_it_is_told(tmp_path: Path) -> None:
    source = write(tmp_path / "new", "open('/etc/profile')\n")
    words = ("check", source, "--sandbox", "bubblewrap", "--step", str(START))
    assert run(*words, cwd=tmp_path).code == 1
    ran = run(*words, "--sandbox-path", "/etc/profile", cwd=tmp_path)
    assert ran.code == 0, ran


def test_path_that_no_bot_may_see_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "new", "")
    ran = run("check", source, "--sandbox-path", HIDDEN, cwd=tmp_path)
    assert ran.code == 2
    assert f"sandbox_paths: '{HIDDEN}' cannot be shown: no bot may see {HIDDEN}" in ran.err
    assert "--sandbox-path" in ran.err


WORDS = {
    "the shell of R": (
        "/usr/lib/R/bin/R: line 248: /usr/lib/R/etc/ldpaths: No such file or directory",
        ["/usr/lib/R/bin/R", "/usr/lib/R/etc/ldpaths"],
    ),
    "R": ("cannot open file '/etc/R/Renviron': No such file", ["/etc/R/Renviron"]),
    "ghc": (
        "ghc: can't find a package database at /usr/lib/ghc/lib/package.conf.d",
        ["/usr/lib/ghc/lib/package.conf.d"],
    ),
    "a compiler": ("bot.c:1:10: fatal error: /opt/a/b.h: No such file", ["/opt/a/b.h"]),
    "Python": ("FileNotFoundError: [Errno 2] No such file: '/a/b.txt'", ["/a/b.txt"]),
    "a sentence": ("Could not find /var/lib/x/y.", ["/var/lib/x/y"]),
    "a frame": ('  File "/home/me/bot.py", line 1, in <module>', []),
    "a relative path": ("cannot open data/book.txt or ./a/b", []),
    "the kernel's files": ("cannot open /sys/fs/cgroup/memory.max", []),
    "an address": ("not found: https://example.org/a/b", []),
}


@pytest.mark.parametrize(("words", "paths"), WORDS.values(), ids=WORDS)
def test_refused_files_are_those_in_the_words_of_a_failure(words: str, paths: list[str]) -> None:
    assert refused(f"reading /etc/first/one\n{words}\n") == paths
