"""Kits: for each language a folder with a bot that already plays, to begin one's own with."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.bots.bot import Bot
from arena.bots.manifest import MANIFEST, errors_name_source, load_bot
from arena.io import shipped
from arena.io.errors import ArenaError, did_you_mean
from arena.io.files import reason

_PLACEHOLDER = "my-bot"
"""The name of the bot in a kit's files."""
_POSITIONS = "positions.jsonl"


class Kit(Struct, frozen=True):
    """A language in which one can begin."""

    title: str
    edit: str
    """The file with the function to edit."""
    test: str
    """The command that runs the bot's own tests, in its folder."""
    module: str = ""
    """A module of the arena that the bot has a copy of."""


KITS = {
    "python": Kit("Python", "bot.py", "python3 test_bot.py"),
    "javascript": Kit("JavaScript (Node.js)", "bot.js", "node test.js"),
    "c": Kit("C", "bot.c", "cc -Werror=return-type -std=c11 -o test test.c perudo.c -lm && ./test"),
    "rust": Kit("Rust", "bot.rs", "rustc --test --edition 2021 -o test bot.rs && ./test"),
    "java": Kit("Java", "Bot.java", "javac -d classes *.java && java -cp classes BotTest"),
    "go": Kit("Go", "bot.go", "go test"),
    "policy": Kit(
        "Python with numpy (a trained policy)",
        "bot.py",
        "python3 test_bot.py",
        "lab/env/perudo_policy.py",
    ),
    "shell": Kit("POSIX shell", "bot.sh", "sh test.sh"),
}


def create(folder: Path, language: str) -> Bot:
    """Make a new folder with the kit of a language, for a bot named like the folder.

    Raises ArenaError if there is no such kit, if the folder exists or cannot be made, or if its
    name cannot be a bot's. Nothing is left behind then but folders above it.
    """
    if language not in KITS:
        raise ArenaError(f"there is no kit for '{language}'", hint=did_you_mean(language, KITS))
    kits = shipped.folder("protocol") / "kits"
    folder = folder.absolute()
    if folder.exists() or folder.is_symlink():
        raise ArenaError("it exists already", str(folder), "choose a name that is not taken")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=".arena-new-") as scratch:
            made = Path(scratch, folder.name)
            # An installation may have compiled the kit's Python files.
            shutil.copytree(kits / language, made, ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(kits / _POSITIONS, made)
            if module := KITS[language].module:
                shutil.copy(shipped.module(module), made)
            _name(made / MANIFEST, f"name: {_PLACEHOLDER}", f"name: {json.dumps(folder.name)}")
            _name(made / "README.md", f"# {_PLACEHOLDER}", f"# {folder.name}")
            with errors_name_source(made, folder):
                load_bot(made)
            made.rename(folder)
    except (OSError, UnicodeEncodeError) as error:
        raise ArenaError(f"it cannot be made: {reason(error)}", str(folder)) from None
    return load_bot(folder)


def _name(file: Path, placeholder: str, line: str) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(placeholder, line, 1), encoding="utf-8")
