"""A new bot, made from the kit of a language: a folder with a bot that already plays."""

import json
import shutil
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.kit_files import kit_files
from arena.bots.manifest import MANIFEST, errors_name_source, load_bot
from arena.io.errors import ArenaError
from arena.io.files import part_of, reason

_PLACEHOLDER = "my-bot"
"""The name of the bot in a kit's files."""


def create(folder: Path, language: str) -> Bot:
    """Make a new folder with the kit of a language, for a bot named like the folder.

    The language is a key of `KITS`. Raises ArenaError if the folder exists or cannot be made, or if
    its name cannot be a bot's. Nothing is left behind then but folders above it.
    """
    folder = folder.absolute()
    if folder.exists() or folder.is_symlink():
        raise ArenaError("it exists already", str(folder), "choose a name that is not taken")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with part_of(folder) as made:
            for name, source in kit_files(language).items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, made / name)
            _name(made / MANIFEST, f"name: {_PLACEHOLDER}", f"name: {json.dumps(folder.name)}")
            _name(made / "README.md", f"# {_PLACEHOLDER}", f"# {folder.name}")
            with errors_name_source(made, folder):
                load_bot(made)
    except (OSError, UnicodeEncodeError) as error:
        raise ArenaError(f"it cannot be made: {reason(error)}", str(folder)) from None
    return load_bot(folder)


def _name(file: Path, placeholder: str, line: str) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(placeholder, line, 1), encoding="utf-8")
