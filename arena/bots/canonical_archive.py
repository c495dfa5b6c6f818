"""The canonical bytes of a bot: the same files give the same archive, whoever packed them."""

import io
import tarfile

from arena.bots.bot import Bot
from arena.bots.folder import files_of
from arena.io.files import os_errors


def canonical(bot: Bot) -> bytes:
    """Return the files of a bot as a tar archive without times and owners, sorted by name.

    Raises ArenaError if they cannot be read.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(bot.folder):
            with os_errors("cannot be read", path):
                content = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(bot.folder).as_posix())
            entry.size = len(content)
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
