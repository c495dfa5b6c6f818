"""Grading a course: the reference measured, the games played, the marks written."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arena.bots.bot import StagedBot
from arena.course.baselines import (
    PER_BLOCK,
    BaselineGames,
    BaselineRecord,
    Blocks,
    Decide,
    blocks_of,
    conditions,
    name_of,
)
from arena.course.changes import (
    GradingOutcome,
    Moved,
    changed_terms,
    moved,
    read_outcome,
    write_outcome,
)
from arena.course.check import refuse_problems, survey
from arena.course.config import Course, Options, terms_of, with_precision
from arena.course.estimate import GamesLeft
from arena.course.field import hand_in_info, play_field, player_info, renamed, start_of, store_of
from arena.course.finals import FINAL, final_csv, finals
from arena.course.intake.entries import Entries, entries
from arena.course.intake.hand_ins import hand_ins_of
from arena.course.lock import Lock, LockedHandIn, bots_of, read_lock, write_lock
from arena.course.marks import (
    MARKS,
    STORE,
    Result,
    baseline_parts,
    decider,
    first_look_of,
    grading,
    marks_csv,
    measure,
    results_of,
    with_best,
)
from arena.course.output.pages import Notices, write_pages
from arena.course.output.private import close_to_others
from arena.course.output.similarity import Similarity, compare_hand_ins
from arena.course.points import FAIR, Share, share_of, total_of
from arena.io.errors import ArenaError
from arena.io.files import write_file
from arena.ladder.folder import existing
from arena.league.play.dispatcher import OnResult, RunListener, play_due
from arena.league.play.process_pool import ProcessEngine
from arena.league.store.store import Store


class GradingListener(RunListener):
    """Gets the events of a grading; override the methods of interest."""

    def grading(self, left: GamesLeft) -> AbstractContextManager[OnResult]:
        """Show the progress of all games; `left` counts those to come."""
        del left
        return nullcontext(lambda _: None)


class Graded(Struct, frozen=True):
    """The results of a grading, and where they were written."""

    results: list[Result]
    moved: list[Moved]
    """Marks that changed since the last grading."""
    marks: Path
    page: Path
    """The page of the class, for the teacher."""
    first_look: str
    """As `first_look_of` says it."""
    final: Path | None
    """The file with the final marks of all weeks; None in a course of one exercise."""


def grade(course: Course, options: Options, listener: GradingListener) -> Graded | None:
    """Grade what was handed in, and write course.lock, marks.csv and the pages.

    Games that are stored are not played again. Returns None if it was stopped. Raises ArenaError if
    what decides games changed since the last grading and that is not accepted, if a problem with
    the hand-ins would cost marks, and if the reference is no better than a baseline.
    """
    if course.door:
        existing(course.door)
    course = with_precision(course, options.precision)
    old = read_lock(course.folder)
    terms = terms_of(course, old, options)
    if old and (what := changed_terms(old.terms, terms)) and not options.accept_changes:
        hint = "undo it, or grade anew with --accept-changes"
        raise ArenaError(f"changed since the last grading: {what}", str(course.path), hint)
    if readable := close_to_others(course):
        listener.note(readable)
    with hand_ins_of(course) as intake:
        seen = survey(course, intake)
        for line in (*seen.lines(), *(problem.what for problem in seen.problems)):
            listener.note(line)
        if not options.ignore_unknown:
            refuse_problems(course, seen.problems)
        with entries(course, intake, terms.sandbox, options, listener.note) as entered:
            lock = Lock(
                terms=terms,
                hand_ins=entered.hand_ins,
                notes={id_: note for id_, note in entered.notes.items() if note},
                struck=sorted(course.struck),
                candidates=entered.candidates,
                by_hand=dict(course.by_hand),
                grades=course.file.grades,
                week=course.week.name if course.week else "",
            )
            if old is None:
                write_lock(course.folder, lock)  # the seed is drawn once
            games = _Games(course, lock, entered, options, listener)
            if not games.play():
                return None
            not_found = [f"{line}: no such hand-in" for line in intake.unknown_lines]
            notices = Notices(
                strangers=tuple(stranger.name for stranger in intake.strangers),
                not_done=(*not_found, *games.not_done),
                similarity=games.compare(),
            )
            games.lock = with_copies(games.lock, notices.similarity.decides_as)
            write_lock(course.folder, games.lock)
    return write_results(course, games.lock, notices)


def with_copies(lock: Lock, decides_as: Mapping[str, str]) -> Lock:
    """Return a lock that says which hand-ins decide as a bot does that everybody has.

    `decides_as` is by the id of one student for each program.
    """
    same = {lock.hand_ins[id_].program: name for id_, name in decides_as.items()}

    def named(one: LockedHandIn) -> LockedHandIn:
        return replace(one, decides_as=same.get(one.program, "") if one.program else "")

    return replace(
        lock,
        hand_ins={id_: named(one) for id_, one in lock.hand_ins.items()},
        candidates={id_: [*map(named, more)] for id_, more in lock.candidates.items()},
    )


def write_results(course: Course, lock: Lock, notices: Notices) -> Graded:
    """Write marks.csv and the pages, and compare the marks with those of the last grading."""
    results = results_of(course, lock)
    before = read_outcome(course)
    page = write_pages(course, lock, results, notices)
    # Last, so that the pages are those of course.lock wherever marks.csv is.
    write_file(course.folder / MARKS, marks_csv(course, lock, results).encode())
    now = GradingOutcome(lock, results)
    write_outcome(course, now)
    final = _write_finals(course) if course.weeks else None
    changed = [*moved(before, now)] if before else []
    first_look = first_look_of(course, lock)
    return Graded(results, changed, course.folder / MARKS, page, first_look, final)


def _write_finals(course: Course) -> Path:
    """Write final.csv, by the last grading of each week; returns its path."""
    known = {week: read_outcome(replace(course, week=week)) for week in course.weeks}
    graded = {week: outcome.results for week, outcome in known.items() if outcome}
    quick = [week.name for week, one in known.items() if one and one.lock.terms.quick]
    missing = [week.name for week, outcome in known.items() if outcome is None]
    note = f"not graded yet: {', '.join(missing)}" if missing else ""
    note = "; ".join(filter(None, [note, f"a first look: {', '.join(quick)}" if quick else ""]))
    rows = finals(course.students, graded, course.file.grades)
    path = course.base / FINAL
    write_file(path, final_csv(course, [*graded], rows, note).encode())
    return path


class _Games:
    """The games of a grading."""

    def __init__(
        self,
        course: Course,
        lock: Lock,
        entered: Entries,
        options: Options,
        listener: GradingListener,
    ) -> None:
        """Take the bots that play, and the lock with what is known before the games."""
        self.lock = lock
        self.not_done: list[str] = []
        """Games that could not be played, and why."""
        self._course = course
        self._entries = entered
        self._options = options
        self._listener = listener
        self._engine = ProcessEngine(entered.sandbox, options.workers)
        terms, bots = lock.terms, entered.bots
        self._infos = [hand_in_info(digest, bot.info) for digest, bot in bots.items()]
        self._own = [renamed(bots[key].info, name) for name, key in terms.baselines.items()]
        self._left = GamesLeft(course.file, len(bots_of(lock)))

    def play(self) -> bool:
        """Play all games and write the lock; returns False if it was stopped."""
        with self._listener.grading(self._left) as on_result:
            if not (self._measure(on_result) and self._baselines(on_result)):
                return False
            lock = with_best(self._course, self.lock)
            players = {
                hand_in.program
                for id_, hand_in in lock.hand_ins.items()
                if hand_in.bot and id_ not in lock.struck
            }
            has_field = self._course.file.marks.field and len(players) + len(self._own) > 1
            self.lock = replace(lock, field=sorted(players) if has_field else [])
            write_lock(self._course.folder, self.lock)
            return self._field(on_result)

    def _measure(self, on_result: OnResult) -> bool:
        """Let the reference play each baseline, and lock its shares; returns False if stopped.

        Raises ArenaError if it does not clearly beat one of them.
        """
        terms, decide = self.lock.terms, measure(self._course.file)
        if not terms.baselines:
            return True
        self._listener.note("measuring the reference against each baseline")
        if not self._against_baselines([terms.reference], decide, on_result):
            return False
        with Store(grading(self._course) / STORE) as store:
            blocks = blocks_of(BaselineRecord(store), terms, terms.reference, decide({}))
        shares = {name: share_of(won, PER_BLOCK) for name, won in blocks.items()}
        for name, share in shares.items():
            self._listener.note(f"reference against {name}: {_words(share)}")
            least = self._course.file.marks.baselines[name].none
            if not share.beats(least):
                more = "" if least == FAIR else f" in more than {100 * least:g} %"
                beats = f"clearly beat the baseline '{name}'{more}"
                what = f"the reference does not {beats}: {_words(share)}"
                hint = "choose a weaker baseline, or a stronger reference"
                raise ArenaError(what, str(self._course.path), hint)
        self.lock = replace(self.lock, shares=shares)
        return True

    def _baselines(self, on_result: OnResult) -> bool:
        """Let all hand-ins play the baselines; returns False if it was stopped."""
        file = self._course.file
        players = bots_of(self.lock)
        if not (players and file.marks.baselines):
            return True
        self._listener.note(f"playing {len(players)} hand-ins against each baseline")
        left = dict.fromkeys(players)
        self._left.shares = self.lock.shares

        def finished(bot: str, blocks: Blocks) -> None:
            left.pop(bot, None)
            total = total_of(baseline_parts(file, self.lock.shares, blocks))
            games = PER_BLOCK * sum(map(len, blocks.values()))
            self._listener.note(
                f"{self._whose(bot)}: {total.points:.1f} ± {total.half_width:.1f} points against"
                f" baselines after {games:,} games; {len(left)} left"
            )

        decide = decider(file, self.lock.shares)
        return self._against_baselines(players, decide, on_result, finished)

    def _against_baselines(
        self,
        players: list[str],
        decide: Decide,
        on_result: OnResult,
        finished: Callable[[str, Blocks], None] = lambda _bot, _blocks: None,
    ) -> bool:
        terms, listener = self.lock.terms, self._listener
        info = conditions(terms, [*self._infos, *self._own], self._course.title)
        with Store(grading(self._course) / STORE, create=True) as store:
            if store.league != info:
                store.begin(info)
            games = BaselineGames(store, BaselineRecord(store), terms, players, decide, finished)
            self._left.against = games
            done = play_due(info, self._at_table(), self._engine, games, listener, on_result)
            for bot in games.given_up:
                what = f"{self._whose(bot)}: a table killed its workers; its games end there"
                self.not_done.append(what)
                listener.note(what)
            return done

    def _field(self, on_result: OnResult) -> bool:
        """Let the hand-ins that count play each other; returns False if it was stopped."""
        lock = self.lock
        points = self._course.file.marks.field
        if not lock.field:
            return True
        self._listener.note(f"playing the field of {len(lock.field)} programs and the baselines")
        digests = {one.program: one.bot for one in lock.hand_ins.values() if one.program}
        bots = {program: self._entries.bots[digests[program]] for program in lock.field}
        infos = [player_info(program, bot.info) for program, bot in bots.items()] + self._own
        start = start_of(lock.terms, infos, points, self._course.title)
        path = store_of(grading(self._course), lock, points)
        seated = {name_of(program): bot for program, bot in bots.items()}
        at_table = {**self._at_table(), **seated}
        self._left.field_begins(len(infos))
        return play_field(path, start, at_table, self._engine, self._listener, on_result)

    def compare(self) -> Similarity:
        """Compare the hand-ins that count with each other; the same one of a team counts once."""
        units = {student.id: student.unit for student in self._course.students}
        different: dict[tuple[str, str], str] = {}
        for id_, hand_in in self.lock.hand_ins.items():
            different.setdefault((units[id_], hand_in.content), id_)
        names = {id_: self.lock.hand_ins[id_].file for id_ in different.values()}
        sources = self._entries.sources
        return compare_hand_ins(
            self._course,
            self.lock,
            {id_: sources[name] for id_, name in names.items() if name in sources},
            self._options.workers,
            self._listener.note,
            trusted=self._options.trusted,
        )

    def _whose(self, bot: str) -> str:
        """Return the ids of all students who handed a bot in, or that it is the reference."""
        locked = {id_: [one] for id_, one in self.lock.hand_ins.items()} | self.lock.candidates
        ids = [id_ for id_, more in locked.items() if any(one.bot == bot for one in more)]
        return ", ".join(sorted(ids)) or "the reference"

    def _at_table(self) -> Mapping[str, StagedBot]:
        bots = self._entries.bots
        named = {name_of(digest): bot for digest, bot in bots.items()}
        return named | {name: bots[key] for name, key in self.lock.terms.baselines.items()}


def _words(share: Share) -> str:
    return (
        f"{100 * share.share:.1f} % of {share.games:,} games"
        f" ({100 * share.low:.1f} to {100 * share.high:.1f} %)"
    )
