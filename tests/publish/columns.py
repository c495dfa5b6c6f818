"""The columns of the data files in `docs/site.md`: `make columns` writes them."""

from pathlib import Path

import arena.publish.site  # noqa: F401 -- it declares all tables
from arena.publish.data.schema import markdown

PAGE = Path(__file__).parents[2] / "docs" / "site.md"
BEGIN, END = "<!-- columns: written by `make columns` -->\n", "<!-- end of columns -->\n"


def section() -> str:
    """Return the section as the page has it."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write() -> None:
    """Put the section into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + markdown() + END + after, encoding="utf-8")


if __name__ == "__main__":
    write()
