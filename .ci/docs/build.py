"""Makes a site of the manual: python .ci/docs/build.py FOLDER (`make docs`).

The pages are those of the repository, at the same places, so their links hold as they are. The
navigation is that of docs/index.md. Nothing is loaded from elsewhere; the search works from file://.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = (
    "*.md",
    "benchmarks/**/*.md",
    "docs/**/*.md",
    "protocol/*.md",
    "sample_bots/*.md",
    "reports/fonts/*.md",
)
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s]+)\)")
TARGET = re.compile(r"\]\(([^)\s#]+)")
PART = re.compile(r"^## (\w+)")
PAGE = re.compile(r"^- \[\w+\]\((.+?)\): ")
SHIM = "https://unpkg.com/iframe-worker/shim"
"""What Zensical would load from another host, to search in pages that are opened as files."""


def main(site: Path) -> int:
    """Write the site; return the exit code of the generator."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page in pages():
            copy(page, folder / "source")
        write_config(folder / "mkdocs.yml")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        built = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        if built.returncode:
            sys.stderr.write(built.stdout + built.stderr)
            return built.returncode
        use_own_shim(folder / "site")
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(folder / "site", site)
    sys.stdout.write(f"open {site / 'index.html'}\n")
    return 0


def write_config(file: Path) -> None:
    """Write the settings with the navigation of docs/index.md. JSON is YAML."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8").splitlines()
    more = [
        {"Sample bots": "sample_bots/README.md"},
        {"Benchmarks": "benchmarks/README.md"},
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    nav = [{"Home": "README.md"}, {"Manual": "docs/index.md"}, *parts(index), {"More": more}]
    settings = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    file.write_text(f"{settings}nav: {json.dumps(nav)}\n", encoding="utf-8")


def parts(index: list[str]) -> Iterator[dict[str, list[str]]]:
    """Yield the four parts of the manual, each with its pages."""
    titles = [(at, part[1]) for at, line in enumerate(index) if (part := PART.match(line))]
    ends = [*(at for at, _ in titles[1:]), len(index)]
    for (start, title), end in zip(titles, ends, strict=True):
        listed = [page[1] for line in index[start:end] if (page := PAGE.match(line))]
        yield {title: [os.path.normpath(f"docs/{page}") for page in listed]}


def use_own_shim(site: Path) -> None:
    """Have every page load the script that searches in files from beside it."""
    shutil.copyfile(HERE / "iframe-worker.js", site / "assets/javascripts/iframe-worker.js")
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = page.read_text(encoding="utf-8")
        page.write_text(
            text.replace(SHIM, f"{up}assets/javascripts/iframe-worker.js"), encoding="utf-8"
        )


def pages() -> list[Path]:
    """Return the pages of the manual, relative to the repository."""
    return [path.relative_to(ROOT) for pattern in PAGES for path in sorted(ROOT.glob(pattern))]


def copy(page: Path, source: Path) -> None:
    """Copy a page and the files that it links to; a link to a folder becomes text."""

    def without_folder(link: re.Match[str]) -> str:
        return link[1] if (ROOT / page.parent / link[2]).is_dir() else link[0]

    text = (ROOT / page).read_text(encoding="utf-8")
    for target in TARGET.findall(text):
        file = (ROOT / page.parent / target).resolve()
        if "://" not in target and file.is_file() and file.suffix != ".md":
            write(source / file.relative_to(ROOT), file.read_bytes())
    write(source / page, LINK.sub(without_folder, text).encode())


def write(file: Path, content: bytes) -> None:
    """Write a file, in folders that may not be there yet."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
