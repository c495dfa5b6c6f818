"""The runtimes and languages in `docs/guides/languages.md`: `make languages` writes them."""

from collections.abc import Iterator
from pathlib import Path

from arena.bots.runtimes import LANGUAGES, RUNTIMES, Runtime
from arena.io.yaml_file import parse_yaml
from tests.cli.command import ROOT
from tests.support.generated_section import GeneratedSection

SECTION = GeneratedSection("docs/guides/languages.md", "runtimes", "languages")
OF_DEBIAN = GeneratedSection("docs/guides/languages.md", "of Debian", "languages")
_INSTALL = "on Debian and Ubuntu, for `bubblewrap` and `process`"
BOTS = ROOT / "tests/bots/languages"
HEAD = (
    f"| runtime | programs | {_INSTALL} | `build` and `command`, as in the kit |",
    "|---|---|---|---|",
)


def markdown() -> str:
    """Return a row for each runtime."""
    rows = (
        f"| `{name}` | {runtime.about} | {installed(runtime)} | {', '.join(lines(runtime))} |"
        for name, runtime in RUNTIMES.items()
    )
    return "".join(f"{line}\n" for line in (*HEAD, *rows))


def of_debian() -> str:
    """Return a row for each language that has no runtime of its own."""
    head = ("| language | name | on Debian and Ubuntu | `build` and `command` | shown to bots |",)
    rows = (
        f"| {row.title} | `{name}` | `sudo apt-get install {' '.join(row.packages)}` | "
        f"{', '.join(_commands(BOTS / name))} | {', '.join(f'`{path}`' for path in row.config)} |"
        for name, row in LANGUAGES.items()
    )
    return "".join(f"{line}\n" for line in (*head, "|---|---|---|---|---|", *rows))


def installed(runtime: Runtime) -> str:
    """Return the command that installs a runtime on this machine."""
    if not runtime.toolchain:
        return "nothing"
    where = "" if runtime.in_debian else "on Ubuntu "
    return f"{where}`sudo apt-get install {' '.join(runtime.toolchain)}`"


def lines(runtime: Runtime) -> Iterator[str]:
    """Yield the commands in the bot.yaml of a runtime's first kit."""
    if not runtime.kits:
        yield runtime.example
        return
    yield from _commands(ROOT / "protocol/kits" / next(iter(runtime.kits)))


def _commands(bot: Path) -> Iterator[str]:
    """Yield the commands in a bot.yaml."""
    manifest, _ = parse_yaml(bot / "bot.yaml")
    yield from (f"`{key}: {manifest[key]}`" for key in ("build", "command") if key in manifest)


if __name__ == "__main__":
    SECTION.write(markdown())
    OF_DEBIAN.write(of_debian())
