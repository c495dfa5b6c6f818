"""What only an author reads: how their versions were checked, and why they are what they are."""

from collections import defaultdict

from arena.ladder.book import Book
from arena.ladder.checking import CheckResult, decoded
from arena.ladder.folder import Folder, make_private, write_durably
from arena.ladder.tables import Version
from arena.ladder.times import stamp
from arena.publish.pages.templates import environment

PAGE = "index.html"


def write_private_pages(folder: Folder, book: Book) -> None:
    """Write `private/<author>/index.html` for each author with a version."""
    by_author = defaultdict[str, list[Version]](list)
    for version in book.versions():
        by_author[version.author].append(version)
    for author, versions in by_author.items():
        page = _page(author, versions[::-1], book).encode()
        path = folder.private / author / PAGE
        make_private(path.parent)
        if not path.exists() or path.read_bytes() != page:
            write_durably(path, page)


def _page(author: str, versions: list[Version], book: Book) -> str:
    shown = [(version, _results(version, book), book.events(version.name)) for version in versions]
    page = environment().overlay()
    page.filters = {**page.filters, "stamp": stamp}
    return page.get_template("ladder_author.html").render(author=author, versions=shown)


def _results(version: Version, book: Book) -> list[CheckResult]:
    return [decoded(check.result) for check in book.checks(version) if check.result]
