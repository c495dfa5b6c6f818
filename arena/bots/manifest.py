"""Finding and reading bots: their folders, or archives of them, and the bot.yaml in there."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.archives.unpack import ENDINGS, UnpackedArchive, folder_name, is_archive, unpack
from arena.bots.bot import Bot
from arena.bots.command import words
from arena.bots.elsewhere import address_hint, file_hint, folder_hint
from arena.bots.folder import BOT_LIMITS, BotLimits, digest, is_ignored
from arena.bots.models.config import check_names
from arena.bots.names import acceptable, flaw, skeleton
from arena.bots.runtimes import RUNTIMES, runtime_meant
from arena.game.records import BotInfo
from arena.io import shipped
from arena.io.errors import ArenaError, check_known, did_you_mean, first_of
from arena.io.files import reason
from arena.io.yaml_file import Positions, convert, locate, parse_yaml

MANIFEST = "bot.yaml"
SAMPLE = "sample:"
"""The prefix of bots that came with the arena: `sample:odds`, `sample:*`."""
MAX_BYTES = 64 * 1024
"""Bytes of a bot.yaml."""
MAX_NAME = 40
"""Characters of a bot's name."""
_MAX_TEXT = {"author": 80, "version": 40}
"""Characters of other texts, by key."""
MAX_TAGS = 8
_MAX_REFUSALS = 10
"""Bots that one error names."""
_MEANT = {
    **dict.fromkeys(("language", "lang"), "runtime"),
    **dict.fromkeys(("main", "entry", "entrypoint", "cmd", "run", "start"), "command"),
    "compile": "build",
}
"""Keys of other tools, and the keys of bot.yaml with the same meaning."""
_EXAMPLES = {"name": "my-bot", "command": "python3 bot.py"}
"""Examples of the required keys."""
_SHOWN = 60
"""Characters of a text that an error shows."""
_ROOM = 36
"""Characters of a name that is suggested, without its number."""
_TAG = re.compile(r"\w[\w .+#-]{0,31}")
_TAG_HINT = "a tag has 1 to 32 letters, digits, spaces and . + # - _, as in [python, baseline]"


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of bot.yaml (`protocol/README.md`)."""

    name: str
    command: str | list[str]
    runtime: str = "any"
    """A key of `RUNTIMES`."""
    author: str = ""
    version: str = ""
    tags: list[str] = []
    build: str | list[str] | None = None
    humans: bool | None = None
    """Whether it plays against visitors of a ladder; None leaves that to the operator."""
    models: list[str] = []
    """The language models that it asks, by the league's names."""


def find_bots(patterns: Iterable[tuple[str, str]], base: Path) -> tuple[Bot, ...]:
    """Return the bots of all patterns, each once, by name.

    Each pattern comes with its place in a file or on the command line, for errors. Relative
    patterns start at the folder `base`. Bots with the same name are called by their authors or
    folders, too. Raises ArenaError if a pattern matches no bot, if bots cannot be read (one error
    names them all), or if two names are still equal or look alike.
    """
    places: dict[str, str] = {}
    for pattern, where in patterns:
        places.setdefault(pattern, where)
    sources: dict[Path, Path] = {}
    for pattern, where in places.items():
        for source in bot_sources(pattern, base, where):
            sources.setdefault(source.resolve(), source)
    bots = sorted(_told_apart(_load_all(sources.values())), key=lambda bot: bot.name)
    for first, second in pairwise(bots):
        if first.name == second.name:
            what = f"two bots are called '{first.name}'"
            hint = "change `name` in the bot.yaml of one of them"
            raise ArenaError(what, f"{first.source}, {second.source}", hint)
    check_distinct(bots)
    return tuple(bots)


def _told_apart(bots: Sequence[Bot]) -> Iterator[Bot]:
    """Yield bots; those that share a name get others, if one way to name them tells all apart.

    In a class many are called `my-bot`: they become `ann/my-bot`, by their authors or folders.
    """
    groups: dict[str, list[Bot]] = {}
    for bot in bots:
        groups.setdefault(bot.name, []).append(bot)
    for namesakes in groups.values():
        ways = (_by_author, _by_folder, _by_parent) if len(namesakes) > 1 else ()
        named = ([way(bot) for bot in namesakes] for way in ways)
        names = next((names for names in named if _tell_apart(names)), [])
        yield from map(_called, namesakes, names) if names else namesakes


def _tell_apart(names: Sequence[str]) -> bool:
    usable = all(name and len(name) <= MAX_NAME and not flaw(name) for name in names)
    return usable and len(set(names)) == len(names)


def _by_author(bot: Bot) -> str:
    return f"{bot.info.author}/{bot.name}" if bot.info.author else ""


def _by_folder(bot: Bot) -> str:
    """Return a bot's name with its folder before it; a copy, `my-bot-2`, has that name alone."""
    folder = folder_name(bot.source)
    return folder if folder.startswith(bot.name) else f"{folder}/{bot.name}"


def _by_parent(bot: Bot) -> str:
    return f"{bot.source.parent.name}/{bot.name}"


def _called(bot: Bot, name: str) -> Bot:
    return replace(bot, info=replace(bot.info, name=name))


def shown_name(bot: Bot) -> str:
    """Return what a bot is called where no other plays: by its folder if that may be a copy.

    Its name is then that of a folder beside it, such as `my-bot` beside `my-bot-2`.
    """
    folder = bot.source
    with suppress(ArenaError, OSError):
        for path in folder.parent.glob(f"*/{MANIFEST}") if folder.is_dir() else ():
            other = path.parent.name
            alike = other.startswith(folder.name) or folder.name.startswith(other)
            if alike and other != folder.name and _manifest(path).name == bot.name:
                return name if _tell_apart([name := _by_folder(bot)]) else bot.name
    return bot.name


def find_bot(pattern: str, base: Path, where: str, hint: str = "name one of them") -> Bot:
    """Return the one bot that a pattern names; raises ArenaError as `find_bots` does."""
    sources = bot_sources(pattern, base, where)
    if len(sources) > 1:
        raise ArenaError(f"'{pattern}' names {len(sources)} bots", where, hint)
    return load_bot(sources[0])


def _load_all(sources: Iterable[Path]) -> list[Bot]:
    """Read bots; raises one ArenaError for all that cannot be read, which names the first ones."""
    bots: list[Bot] = []
    refusals: list[ArenaError] = []
    for source in sources:
        try:
            bots.append(load_bot(source))
        except ArenaError as error:
            refusals.append(error)
    if len(refusals) == 1:
        raise refusals[0]
    if refusals:
        shown = first_of([f"{error.where}: {error.what}" for error in refusals], _MAX_REFUSALS)
        what = f"{len(refusals)} bots cannot be read"
        raise ArenaError(what, "; ".join(shown), "correct them, or leave them out")
    return bots


def bot_sources(pattern: str, base: Path, where: str) -> list[Path]:
    """Return the folders and archives that a pattern matches; raises ArenaError if none do."""
    try:
        return _matches(pattern, base, where)
    except (OSError, ValueError, RuntimeError, re.error) as error:
        # A name that is too long, `**` inside a word, the home of an unknown user, `[b-a]`.
        raise ArenaError(f"'{pattern}' names no folder: {reason(error)}", where) from None


def _matches(pattern: str, base: Path, where: str) -> list[Path]:
    sample = pattern.startswith(SAMPLE)
    base = shipped.folder("sample_bots") if sample else base
    path = Path(pattern.removeprefix(SAMPLE)).expanduser()
    if not any(sign in pattern for sign in "*?["):
        source = base / path
        with suppress(FileNotFoundError, NotADirectoryError, ValueError):
            source.stat()  # from Python 3.14 on `is_dir` hides what is wrong with a path
        if not source.is_dir() and not is_archive(source):
            if sample:
                hint = did_you_mean(path.name, _names_in(base))
                raise ArenaError(f"there is no sample bot '{path}'", where, hint)
            refusal = _not_a_bot(pattern, source)
            raise ArenaError(f"{refusal.what}: {source}", where, refusal.hint)
        return [source]
    if any("**" in part and part != "**" for part in path.parts):  # Python 3.13 takes it for `*`
        raise ValueError("'**' can only be an entire path component")
    if path.is_absolute():
        base, path = Path(path.anchor), path.relative_to(path.anchor)
    folders = [manifest.parent for manifest in base.glob(f"{path}/{MANIFEST}")]
    archives = [file for file in base.glob(str(path)) if is_archive(file)]
    if not folders and not archives:
        raise ArenaError(f"no bot folder matches '{pattern}'", where)
    return sorted([*folders, *archives])


def load_bot(source: Path, limits: BotLimits = BOT_LIMITS) -> Bot:
    """Read a bot's folder or archive; raises ArenaError if it or its bot.yaml is wrong."""
    if source.is_dir():
        return _load(source, source, limits)
    if not is_archive(source):
        raise _not_a_bot(str(source), source)
    archive = UnpackedArchive()
    try:
        unpack(source, archive.path, limits.entries, limits.size)
        entries = [path for path in archive.path.iterdir() if not is_ignored(path.name)]
        # The archive may hold the bot's folder, or only what is in it.
        in_folder = len(entries) == 1 and (entries[0] / MANIFEST).is_file()
        return _load(entries[0] if in_folder else archive.path, source, limits, archive)
    except BaseException:
        archive.remove()
        raise


def _not_a_bot(pattern: str, source: Path) -> ArenaError:
    """Return the error for what is neither a folder nor an archive, with what may be meant."""
    if hint := address_hint(pattern):
        return ArenaError("no such bot folder", str(source), hint)
    if source.exists():
        what = "neither a bot's folder nor an archive of one"
        archives = f"give a folder, or an archive named {', '.join(ENDINGS)}"
        hint = file_hint(Path(pattern)) or archives
        if (source.parent / MANIFEST).exists():
            hint = f"give its folder: {source.parent}"
        return ArenaError(what, str(source), hint)
    samples = {name: f"{SAMPLE}{name}" for name in _names_in(shipped.folder("sample_bots"))}
    beside = {name: str(Path(pattern).parent / name) for name in _names_in(source.parent)}
    known = samples | beside
    near = get_close_matches(source.name, known, n=1)
    hint = f"give a folder with a {MANIFEST} in it, or an archive of one"
    if near:
        hint = f"did you mean '{known[near[0]]}'?"
    return ArenaError("no such bot folder", str(source), hint)


def _names_in(folder: Path) -> list[str]:
    """Return the names of the bots' folders in a folder."""
    return sorted(manifest.parent.name for manifest in folder.glob(f"*/{MANIFEST}"))


def _load(
    folder: Path, source: Path, limits: BotLimits, archive: UnpackedArchive | None = None
) -> Bot:
    with errors_name_source(folder, source):
        path = folder / MANIFEST
        if not path.is_file():
            what = f"no {MANIFEST} in the bot's {'archive' if archive else 'folder'}"
            hint = "arena help protocol" if archive else _nearest_manifest(folder)
            raise ArenaError(what, str(folder), hint)
        # Before bot.yaml is opened: it may be a link, and errors show what is in it.
        sha256 = digest(folder, limits)
        manifest = _manifest(path)
        command = words(manifest.command, path, "command")
        build = None if manifest.build is None else words(manifest.build, path, "build")
        info = BotInfo(
            name=manifest.name,
            author=manifest.author,
            version=manifest.version,
            runtime=manifest.runtime,
            digest=sha256,
            tags=tuple(manifest.tags),
            models=tuple(manifest.models),
        )
        check_info(info, path)
        return Bot(
            info, source.resolve(), folder.resolve(), command, build, archive, manifest.humans
        )


def _nearest_manifest(folder: Path) -> str:
    """Return how to get a bot.yaml: rename the file that is meant, write one, or read the docs."""
    by_lower = {path.name.lower(): path.name for path in folder.iterdir() if path.is_file()}
    near = get_close_matches(MANIFEST, by_lower, n=1, cutoff=0.75)
    if near:
        return f"rename {by_lower[near[0]]} to {MANIFEST}"
    inner = [path.parent for path in folder.glob(f"*/{MANIFEST}")]
    if len(inner) == 1:
        return f"give the folder in it: {inner[0]}"
    return folder_hint(folder) or "arena help protocol"


@contextmanager
def errors_name_source(folder: Path, source: Path, prefix: str = "") -> Iterator[None]:
    """Make errors name the folder or archive that a person gave, not a copy of it."""
    try:
        yield
    except ArenaError as error:
        what, where = (text.replace(str(folder), str(source)) for text in (error.what, error.where))
        raise ArenaError(f"{prefix}{what}", where, error.hint) from None


def _manifest(path: Path) -> Manifest:
    """Read bot.yaml and check its texts, which are published."""
    data, marks = parse_yaml(path, MAX_BYTES)
    manifest = _converted(data, marks, path)
    if not 1 <= len(manifest.name) <= MAX_NAME:
        what = f"a bot's name has 1 to {MAX_NAME} characters"
        raise ArenaError(what, locate(path, marks, "$.name"))
    for key, most in _MAX_TEXT.items():
        text = getattr(manifest, key)
        if len(text) > most or not text.isprintable():
            what = f"{key} has at most {most} characters, all of them visible"
            raise ArenaError(what, locate(path, marks, f"$.{key}"))
    if manifest.runtime not in RUNTIMES:
        what, where = f"unknown runtime '{manifest.runtime}'", locate(path, marks, "$.runtime")
        if meant := runtime_meant(manifest.runtime):
            raise ArenaError(what, where, f"did you mean '{meant}'?")
        check_known(manifest.runtime, RUNTIMES, what, where)
    _check_tags(manifest.tags, locate(path, marks, "$.tags"))
    check_names(manifest.models, locate(path, marks, "$.models"))
    return manifest


def _converted(data: Any, marks: Positions, path: Path) -> Manifest:
    keys = list(data) if isinstance(data, dict) else []
    for key in filter(_MEANT.get, keys):
        hint = f"did you mean '{_MEANT[key]}'?"
        raise ArenaError(f"unknown key '{key}'", locate(path, marks, f"$.{key}"), hint)
    try:
        return convert(data, marks, path, Manifest)
    except ArenaError as error:
        lacks = [key for key in _EXAMPLES if error.what == f"missing key '{key}'"]
        hint = "".join(f"for example `{key}: {_EXAMPLES[key]}`" for key in lacks)
        raise ArenaError(error.what, error.where, error.hint or hint) from None


def _check_tags(tags: list[str], where: str) -> None:
    if len(tags) > MAX_TAGS:
        raise ArenaError(f"a bot has {MAX_TAGS} tags at most, not {len(tags)}", where)
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise ArenaError(f"{tag[:40]!a} is not a tag", where, _TAG_HINT)
        if tags.count(tag) > 1:
            raise ArenaError(f"duplicate tag '{tag}'", where)


def check_info(info: BotInfo, path: Path) -> None:
    """Refuse a bot.yaml whose name, author, version or a tag could be taken for another text."""
    texts = [("name", info.name), ("author", info.author), ("version", info.version)]
    for key, text in [*texts, *(("tag", tag) for tag in info.tags)]:
        if text and (what := flaw(text)):
            hint = f"for example {acceptable(text[:_SHOWN])!r}"
            raise ArenaError(f"the {key} {text[:_SHOWN]!a} {what}", str(path), hint)


def check_distinct(bots: Sequence[Bot]) -> None:
    """Refuse bots of a league with different names, authors or tags that look alike."""
    _check_distinct("bots", bots, lambda info: [info.name])
    _check_distinct("authors", bots, lambda info: [info.author])
    _check_distinct("tags", bots, lambda info: info.tags)


def _check_distinct(
    kind: str, bots: Sequence[Bot], texts_of: Callable[[BotInfo], Iterable[str]]
) -> None:
    seen: dict[str, tuple[str, Bot]] = {}
    for bot in bots:
        for text in texts_of(bot.info):
            other, owner = seen.setdefault(skeleton(text), (text, bot))
            if other != text:
                taken = {skeleton(text) for bot in bots for text in texts_of(bot.info)}
                numbered = (f"{text[:_ROOM]}-{number}" for number in count(2))
                free = next(name for name in numbered if skeleton(name) not in taken)
                what = f"the {kind} {other!a} and {text!a} look alike"
                where = f"{owner.source}, {bot.source}"
                raise ArenaError(
                    what, where, f"change one in its bot.yaml, for example to {free!r}"
                )
