"""Every line of README and of the pages to start with is run in a new environment, as written.

What takes long gets options that make it shorter; what cannot be tried here says why.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import HANG, ROOT
from tests.cli.test_readme import BLOCK

PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/start/*.md"))]
CELL = re.compile(r"^\| [^|]+ \| `([^`|]+)`", re.MULTILINE)
YAML = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"\s+#\s.*$")

OWN = "--sandbox process --trust-bots"
PIP = "--dry-run --quiet --no-index --no-deps --no-build-isolation"
SHORTER = {
    r"arena check ": OWN,
    r"arena play (?!--me)": f"{OWN} --games 1",
    r"arena coach ": f"{OWN} --games 1",
    r"arena compare ": f"{OWN} --games 1 --blocks 2 --against sample:odds",
    r"arena run ": OWN,
    r"arena exploit ": f"{OWN} --dice 2",
}
"""Options that a line gets besides, by what it begins with."""
NOT_RUN = {
    r"make ": "sets itself up from the package index: `make roots` tries it on new machines",
    r"pipx install perudo-arena": "asks the package index: CONTRIBUTING.md, Releasing",
    r"sudo ": "installs programs for the whole machine",
    r"arena (watch|demo|ladder run|puzzle)|arena play --me": "wants a person, or never ends",
    r"arena course (grade|verify|feedback)|arena course init demo && ": "takes minutes",
    r"arena course init perudo": "wants a roster of one's own",
    r"arena course (handouts|check) perudo": "is of that course",
    r"python examples/train_": "trains for minutes",
    r"arena play build/two/bot": "is what was trained",
    r"arena doctor": "tests every sandbox for half a minute: tests/cli/test_doctor.py",
    r"arena ladder init club && ": "never ends",
    r"arena report league.yaml --open": "opens a browser",
    r".*--format parquet": "needs pyarrow",
    r"perudo/pack": "is a folder to read",
}
"""What is not run, and why."""


def lines_of(page: str) -> list[str]:
    """Return the commands of a page, each once: those of its blocks and those of its tables."""
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = [
        line
        for block in BLOCK.finditer(text)
        if block[0].lstrip().startswith("```sh")
        for line in block[1].replace("\\\n", " ").splitlines()
    ]
    shown += CELL.findall(text)
    return [*dict.fromkeys(COMMENT.sub("", line.strip()) for line in shown if line.strip())]


def reason(line: str) -> str:
    """Return why a line is not run; "" if it is."""
    return next((why for start, why in NOT_RUN.items() if re.match(start, line)), "")


def offline(line: str, programs: Path) -> str:
    """Return a line as it is run here: shorter, and with what pip would fetch left out."""
    more = next((more for start, more in SHORTER.items() if re.match(start, line)), "")
    if re.search(r"\bpip install\b", line):
        python = shlex.quote(str(programs / "python"))
        line = re.sub(r"\S*\bpip install", f"{python} -m pip install", line)
        more = PIP
    return f"{line} {more}"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder like that of a checkout; what the lines write stays in it."""
    for path in ROOT.iterdir():
        if path.name[0] != "." and path.name not in {"build", "site", "dist"}:
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / ".ci").symlink_to(ROOT / ".ci")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_a_page_works_in_a_new_environment(
    page: str, checkout: Path, installed: Path
) -> None:
    for name, text in YAML.findall((ROOT / page).read_text(encoding="utf-8")):
        shorter = re.sub(r"^(games|players|variants): .*$", "", text, flags=re.MULTILINE)
        bots = shorter.replace('entries/*, "sample:*"', "sample:odds, sample:honest")
        (checkout / name).write_text(
            bots.replace('"sample:*"', "sample:odds") + "games: 1\n", encoding="utf-8"
        )
    (checkout / "roster.csv").write_text("id\nada\n")
    path = f"{installed}:{os.environ['PATH']}"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    lines = lines_of(page)
    begun = any(line.startswith("arena new my-bot") for line in lines)
    for line in [*([] if begun else ["arena new my-bot"]), *lines]:
        if reason(line):
            continue
        done = subprocess.run(
            ["sh", "-ec", offline(line, installed)],
            cwd=checkout,
            env={**env, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
        assert done.returncode == 0, (line, done.stdout[-2000:], done.stderr[-2000:])


def test_lines_are_found_in_blocks_and_tables() -> None:
    found = lines_of("docs/start/authors.md")
    assert {"arena new my-bot --lang python", "arena check my-bot"} <= {*found}
    assert "pip install -e '.[train]'" in lines_of("README.md")


@pytest.mark.parametrize("table", [SHORTER, NOT_RUN], ids=["shorter", "not run"])
def test_every_exception_is_of_a_line(table: dict[str, str]) -> None:
    lines = [line for page in PAGES for line in lines_of(page)]
    unused = [start for start in table if not any(re.match(start, line) for line in lines)]
    assert unused == []
