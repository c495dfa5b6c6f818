"""The sections of pages that a command writes."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class GeneratedSection:
    """The part of a page that `make COMMAND` writes, between two comments."""

    page: str
    name: str
    command: str

    def read(self) -> str:
        """Return the text that the page has now."""
        return self._parts()[1]

    def write(self, text: str) -> None:
        """Replace the text in the page."""
        before, _, after = self._parts()
        self._path.write_text(before + self._begin + text + self._end + after, encoding="utf-8")

    def _parts(self) -> tuple[str, str, str]:
        before, _, rest = self._path.read_text(encoding="utf-8").partition(self._begin)
        text, end, after = rest.partition(self._end)
        assert end, f"{self._path} has no section '{self.name}'"
        return before, text, after

    @property
    def _path(self) -> Path:
        return ROOT / self.page

    @property
    def _begin(self) -> str:
        return f"<!-- {self.name}: written by `make {self.command}` -->\n"

    @property
    def _end(self) -> str:
        return f"<!-- end of {self.name} -->\n"
