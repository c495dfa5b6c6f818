"""The README as the package index shows it: its links and pictures have whole addresses.

A metadata hook of hatchling. They lead to the tag of the version below the address `Source` of
pyproject.toml, where the repository is.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"(!\[[^\]]*\]\()(?!https?:|#)")
LINK = re.compile(r"((?<!!)\[(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*\]\()(?!https?:|#)")


class Readme(MetadataHookInterface):
    """Sets the long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README with whole addresses."""
        root = Path(self.root)
        text = (root / "README.md").read_text(encoding="utf-8")
        source = metadata["urls"]["Source"]
        whole = with_addresses(text, source, f"v{version_of(root)}")
        metadata["readme"] = {"content-type": "text/markdown", "text": whole}


def version_of(root: Path) -> str:
    """Return the version of a checkout."""
    [version] = re.findall(
        r'^__version__ = "(.+)"$', (root / "arena/__init__.py").read_text(), re.MULTILINE
    )
    return str(version)


def with_addresses(text: str, source: str, tag: str) -> str:
    """Return a page with the addresses of what it links to in a repository on GitHub."""
    raw = source.replace("github.com", "raw.githubusercontent.com")
    text = PICTURE.sub(rf"\g<1>{raw}/{tag}/", text)
    return LINK.sub(rf"\g<1>{source}/blob/{tag}/", text)
