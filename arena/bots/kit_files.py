"""The files of the kit of a language, as `arena new` copies them and as they are downloaded."""

from functools import cache
from io import BytesIO
from pathlib import Path
from stat import S_IMODE
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.bots.runtimes import KITS
from arena.io import shipped

_POSITIONS = "positions.jsonl"
_FOLDER = "my-bot"
_REGULAR = 0o100000


def kit_files(language: str) -> dict[str, Path]:
    """Return the files of a kit, by their paths in the folder of the bot."""
    kits = shipped.folder("protocol") / "kits"
    own = kits / language
    # An installation may have compiled the kit's Python files.
    paths = [path for path in sorted(own.rglob("*")) if path.is_file()]
    files = {
        path.relative_to(own).as_posix(): path for path in paths if "__pycache__" not in path.parts
    }
    files[_POSITIONS] = kits / _POSITIONS
    if helper := KITS[language].helper:
        files[Path(helper).name] = kits / helper
    if module := KITS[language].module:
        source = shipped.module(module)
        files[source.name] = source
    return files


@cache
def kit_archive(language: str) -> bytes:
    """Return a kit as a zip archive with a folder `my-bot`; the same kit gives the same bytes."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, path in kit_files(language).items():
            info = ZipInfo(f"{_FOLDER}/{name}")
            info.compress_type = ZIP_DEFLATED
            info.external_attr = (_REGULAR | S_IMODE(path.stat().st_mode)) << 16
            archive.writestr(info, path.read_bytes())
    return packed.getvalue()
