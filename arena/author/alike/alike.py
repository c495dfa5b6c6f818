"""Bots compared with each other, by text and by behaviour, to find those that are alike."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from operator import itemgetter
from pathlib import Path
from secrets import token_hex

from msgspec import Struct
from msgspec.structs import replace

from arena.author.alike.by_behaviour import BotAnswers, ask_all, compare_behaviour, record
from arena.author.alike.pairs import AnyTwo, Pair, compare_all, is_not_its_own, with_text
from arena.author.alike.sources import Source, arenas_kgrams, kgrams_of, name_unread, read_source
from arena.bots.archives.unpack import folder_name, is_archive
from arena.bots.bot import Bot
from arena.bots.builds.staging import user_builds
from arena.bots.folder import is_ignored, refuse_link
from arena.bots.manifest import MANIFEST, SAMPLE, bot_sources, find_bots, load_bot
from arena.bots.sandboxes.base import Program
from arena.bots.sandboxes.registry import AUTO
from arena.bots.workshop import Workshop, open_workshop, sandbox_for
from arena.game.rules.books import BGA, Rules
from arena.io import shipped
from arena.io.cores import core_count
from arena.io.errors import ArenaError
from arena.league.play.process_pool import ProcessEngine

POSITIONS = 2000
_MOST_SHOWN = 3
"""Kits and sample bots that are named beside a hand-in."""
Tell = Callable[[str], None]


class NamedBot(Struct, frozen=True):
    """A bot, by the name of its folder or archive: copies may have the same name in bot.yaml."""

    name: str
    bot: Bot


class LeftOut(Struct, frozen=True):
    """A file or folder among hand-ins that cannot be compared."""

    name: str
    why: str


def find_hand_ins(patterns: Sequence[str], base: Path) -> tuple[list[NamedBot], list[LeftOut]]:
    """Return the bots of all patterns, and what else lies in folders of hand-ins.

    A pattern is a bot's folder or archive, `sample:NAME`, or a folder with many of them. Raises
    ArenaError for a bot that is named and cannot be read, for a folder without bots, and for fewer
    than two bots.
    """
    sources: dict[Path, Path] = {}
    hand_ins: list[NamedBot] = []
    left_out: list[LeftOut] = []
    for pattern in patterns:
        for source in bot_sources(pattern, base, "BOT"):
            if source.resolve() in sources:
                continue
            if source.is_file() or (source / MANIFEST).is_file():
                sources[source.resolve()] = source
                hand_ins.append(_named(source))
            else:
                bots, others = _in_folder(source)
                hand_ins += bots
                left_out += others
    if len(hand_ins) < 2:
        raise ArenaError(
            "it takes two bots to be alike", "BOT", "name another, or a folder of them"
        )
    times = Counter(hand_in.name for hand_in in hand_ins)
    # Bots whose folders have the same name are called by their whole path.
    hand_ins = [
        replace(hand_in, name=str(hand_in.bot.source)) if times[hand_in.name] > 1 else hand_in
        for hand_in in hand_ins
    ]
    return hand_ins, left_out


def _named(source: Path) -> NamedBot:
    return NamedBot(folder_name(source), load_bot(source))


def _in_folder(folder: Path) -> tuple[list[NamedBot], list[LeftOut]]:
    hand_ins: list[NamedBot] = []
    left_out: list[LeftOut] = []
    for source in sorted(folder.iterdir()):
        may_be_bot = source.is_symlink() or source.is_dir() or is_archive(source)
        if is_ignored(source.name) or not may_be_bot:
            continue
        try:
            refuse_link(source)
            hand_ins.append(_named(source))
        except ArenaError as error:
            left_out.append(LeftOut(source.name, error.what))
    if not hand_ins:
        why = f": {left_out[0].name}: {left_out[0].why}" if left_out else ""
        hint = f"give a folder with a {MANIFEST} in it, or one with folders and archives of bots"
        raise ArenaError(f"no bots in this folder{why}", str(folder), hint)
    return hand_ins, left_out


class AlikeRequest(Struct, frozen=True):
    """The terms of a comparison of bots."""

    positions: int = POSITIONS
    """Positions that each bot is asked to decide; 0 compares by text alone."""
    seed: str | None = None
    """The seed of the positions, which are the same for the same seed; None draws a new one.

    Keep it secret: a bot could be prepared for known positions."""
    rules: Rules = BGA
    common: tuple[Path, ...] = ()
    """Folders of starter code, which is ignored as are the kits and the sample bots."""
    known: tuple[NamedBot, ...] = ()
    """Bots that hand-ins might decide as, besides the arena's own."""
    sandbox: str = AUTO
    packages: bool = False
    workers: int | None = None
    """None stands for one per core."""


class ComparedBot(Struct, frozen=True):
    """The findings about one bot."""

    name: str
    bot: str
    """The name in its bot.yaml."""
    folder: str
    files: int
    """The number of its files of source."""
    own: int
    """The number of fingerprints of its own source, without starter code."""
    shared_with: dict[str, float]
    """The share of its source that each kit and sample bot has, too; the largest first."""
    decides_as: list[str]
    """The bots of the arena, and those `known`, that it decides as but for a few positions."""
    decides_like: dict[str, float]
    """How alike its decisions are to those of each of these bots, the largest first."""
    not_its_own: bool
    """Whether nearly all of its source is starter code: the rest is too little to compare."""
    answered: int
    """The number of positions in which it decided something both times."""
    not_asked: str = ""
    """Why it was not asked for decisions; "" if it was."""
    not_read: list[str] = []
    """Files of source that are too large, beyond what is read of a bot, or binary."""

    @property
    def unread(self) -> str:
        """The files that were not read, in words; "" if all were."""
        return name_unread(self.not_read)


class Alike(Struct, frozen=True):
    """The result; `any_text` and `any_behaviour` say what is ordinary."""

    variant: str
    positions: int
    seed: str
    """The seed of the positions; "" if no bot was asked."""
    bots: list[ComparedBot]
    left_out: list[LeftOut]
    pairs: list[Pair]
    """The most unusual first; without bots that are nothing but a kit or a sample bot."""
    any_text: AnyTwo
    any_behaviour: AnyTwo


class _Behaviours(Struct, frozen=True):
    """The decisions of bots, by name."""

    positions: int
    seed: str
    hand_ins: dict[str, BotAnswers]
    arenas: dict[str, BotAnswers]
    known: dict[str, BotAnswers]
    refused: dict[str, str]


def alike(
    hand_ins: list[NamedBot],
    left_out: list[LeftOut],
    request: AlikeRequest,
    tell: Tell,
    *,
    trusted: bool,
) -> Alike:
    """Compare each two bots, and each with the arena's; `tell` hears how far it is.

    Raises ArenaError for bots that cannot be trusted, and if no two can be compared.
    """
    compared = {_arenas_name(hand_in.bot) for hand_in in hand_ins}
    starters = [theirs for name, theirs in arenas_kgrams().items() if name not in compared]
    common = frozenset[int]().union(*starters, *map(kgrams_of, request.common))
    sources = {hand_in.name: read_source(hand_in.bot.folder, common) for hand_in in hand_ins}
    if request.positions:
        behaviours = _ask(hand_ins, request, tell, trusted=trusted)
    else:
        behaviours = _Behaviours(0, "", {}, {}, {}, {})
        hand_ins, left_out = _with_source(hand_ins, left_out, sources)
        sources = {hand_in.name: sources[hand_in.name] for hand_in in hand_ins}
    pairs = compare_all(sources, behaviours.hand_ins, list(behaviours.arenas.values()))
    bots = [_looked(hand_in, sources[hand_in.name], behaviours) for hand_in in hand_ins]
    return Alike(
        variant=request.rules.name,
        positions=behaviours.positions,
        seed=behaviours.seed,
        bots=bots,
        left_out=left_out,
        pairs=with_text(pairs.pairs, sources),
        any_text=pairs.any_text,
        any_behaviour=pairs.any_behaviour,
    )


def _arenas_name(bot: Bot) -> str:
    return f"{SAMPLE}{bot.name}" if bot.shipped else ""


def _with_source(
    hand_ins: list[NamedBot], left_out: list[LeftOut], sources: Mapping[str, Source]
) -> tuple[list[NamedBot], list[LeftOut]]:
    """Leave out bots without source; raises ArenaError if fewer than two are left."""
    with_source = [hand_in for hand_in in hand_ins if sources[hand_in.name].kgrams]
    without = {hand_in.name: hand_in for hand_in in hand_ins if not sources[hand_in.name].kgrams}
    whys = []
    for name in without:
        why = "no source in a language that is known"
        if unread := sources[name].not_read:
            why = f"its source is not read: {name_unread(unread)}"
        whys.append(LeftOut(name, why))
    if len(with_source) < 2:
        hint = "leave out --positions 0 to compare what bots decide"
        raise ArenaError(whys[0].why, str(without[whys[0].name].bot.source), hint)
    return with_source, [*left_out, *whys]


def _ask(
    hand_ins: Sequence[NamedBot], request: AlikeRequest, tell: Tell, *, trusted: bool
) -> _Behaviours:
    """Ask all hand-ins, and the arena's own bots for comparison."""
    bots = {hand_in.name: hand_in.bot for hand_in in hand_ins}
    arenas = _arenas_bots(hand_ins)
    digests = {bot.info.digest for bot in arenas.values()}
    known = {one.name: one.bot for one in request.known if one.bot.info.digest not in digests}
    own = {**arenas, **known}
    sandbox = sandbox_for([*bots.values()], request.sandbox, trusted=trusted, own=own.values())
    tell(f"getting {len(bots)} bots ready, and {len(arenas)} of the arena's own")
    builds = user_builds()
    with open_workshop(sandbox, packages=request.packages, builds=builds) as workshop:
        programs, refused = _staged(bots, workshop)
        others, _ = _staged(own, workshop)
        tell(f"playing the games that {request.positions:,} positions are taken from")
        seed = request.seed or token_hex(16)
        names = [*programs, *others]
        each = _answers([*programs.values(), *others.values()], request, seed, workshop)
        answers: dict[str, BotAnswers] = {}
        for name, decided in zip(names, each, strict=True):
            answers[name] = decided
            tell(f"asked {name} ({len(answers)} of {len(names)})")
    return _Behaviours(
        positions=next(iter(answers.values())).first.size if answers else 0,
        seed=seed,
        hand_ins={name: answers[name] for name in programs},
        arenas={name: answers[name] for name in others if name in arenas},
        known={name: answers[name] for name in others if name in known},
        refused=refused,
    )


def _arenas_bots(hand_ins: Sequence[NamedBot]) -> dict[str, Bot]:
    """Return the sample bots that run here and the bot of a kit, but for those that are compared.

    The kits of all languages but shell decide alike.
    """
    compared = {_arenas_name(hand_in.bot) for hand_in in hand_ins}
    samples = {_arenas_name(bot): bot for bot in find_bots([(f"{SAMPLE}*", "")], Path.cwd())}
    runnable = {
        name: bot
        for name, bot in samples.items()
        if name not in compared and not bot.missing_program
    }
    return {**runnable, "kit python": load_bot(shipped.folder("protocol") / "kits" / "python")}


def _staged(
    bots: Mapping[str, Bot], workshop: Workshop
) -> tuple[dict[str, Program], dict[str, str]]:
    """Stage bots; returns their programs, and why the others cannot be started."""
    programs, refused = {}, {}
    for name, bot in bots.items():
        try:
            programs[name] = workshop.stage(bot).program
        except ArenaError as error:
            refused[name] = error.what
    return programs, refused


def _answers(
    programs: Sequence[Program], request: AlikeRequest, seed: str, workshop: Workshop
) -> Iterator[BotAnswers]:
    rules, workers = request.rules, request.workers or core_count()
    sandbox = workshop.sandbox
    try:
        with ProcessEngine(sandbox, workers).executor(workers) as executor:
            recorded = record(request.positions, seed, rules, workshop, executor, workers)
            yield from ask_all(programs, recorded, rules, sandbox, executor, workers)
    except BrokenExecutor:
        what = "a worker died while bots were asked"
        raise ArenaError(what, hint="free some memory and run again") from None


def _looked(hand_in: NamedBot, source: Source, behaviours: _Behaviours) -> ComparedBot:
    name, asked = hand_in.name, behaviours.hand_ins.get(hand_in.name)
    alike_to, same = {}, []
    if asked:
        known = {**behaviours.arenas, **behaviours.known}
        compared = {other: compare_behaviour(asked, theirs) for other, theirs in known.items()}
        alike_to = {other: share.most for other, share in compared.items() if share}
        same = [other for other, share in compared.items() if share and share.is_same]
    itself = _arenas_name(hand_in.bot)
    shared = {arenas: share for arenas, share in source.shared_with.items() if arenas != itself}
    return ComparedBot(
        name=name,
        bot=hand_in.bot.name,
        folder=str(hand_in.bot.source),
        files=len(source.files),
        own=len(source.chosen),
        shared_with=_largest(shared),
        decides_as=same,
        decides_like=_largest(alike_to),
        not_its_own=is_not_its_own(source),
        answered=int(asked.answered.sum()) if asked else 0,
        not_asked=behaviours.refused.get(name, ""),
        not_read=source.not_read,
    )


def _largest(shares: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(shares.items(), key=itemgetter(1), reverse=True)[:_MOST_SHOWN])
