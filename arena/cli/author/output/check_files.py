"""What a check leaves in files: what a bot was sent before its fault, the output of a build.

Each check of a bot replaces those of the one before.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR
from tempfile import mkdtemp

from arena.author.check.findings import CheckReport
from arena.bots.manifest import load_bot
from arena.io.container import left_files
from arena.io.files import write_file


def repeated(report: CheckReport, source: Path) -> Iterator[str]:
    """Yield the lines that repeat the first fault, without the arena and in a debugger."""
    told = next((fault.told for step in report.steps for fault in step.findings if fault.told), ())
    if not told:
        return
    bot = load_bot(source)
    file = kept(f"{report.bot}.fault.jsonl", "\n".join(told))
    if source.is_dir():
        build = f"{shlex.join(bot.build)} && " if bot.build else ""
        command = f"{build}{shlex.join(bot.command)} < {shlex.quote(file)}"
        yield f"  without the arena: cd {shlex.quote(str(source))} && {command}"
    words = ["arena", "debug", file, "--as", str(source), "--sandbox", "process", "--trust-bots"]
    yield f"  in a debugger: {shlex.join(words)}"


def kept(name: str, text: str) -> str:
    """Write a text to a file that only this user can read; returns its path."""
    folder = left_files("check")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        folder = Path(mkdtemp(prefix="perudo-arena-check-"))  # somebody else has the name
    path = folder / name.replace("/", "_")
    write_file(path, (text + "\n").encode("utf-8", "backslashreplace"), 0o600)
    return str(path)
