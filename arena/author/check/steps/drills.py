"""Steps that put recorded positions to the bot: of all kinds, and those that bots stumble over."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, zip_longest

from msgspec.structs import replace

from arena.author.check.context import Bench
from arena.author.check.findings import Finding, Findings
from arena.author.check.pace import STEP_SECONDS
from arena.author.check.probe import Probe
from arena.author.check.steps.positions import (
    CheckMoment,
    Player,
    moments,
    patient_player,
    random_player,
)
from arena.author.check.tables import BY_BOOK, BY_BOOK_WITH_CALZA, FOR_TWO, CheckTable, tables
from arena.game.rules.books import BGA
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.wire.messages import Answer, CalzaOffer, Turn

_FEW = 100
"""Positions of a kind that bots stumble over."""
_LONG = 15
"""Bids of a long round."""
_UNKNOWN_FIELDS = (
    "this step writes messages with other spacing, their fields in another order, and fields and"
    " types that are new: read each line with a JSON parser, and ignore what you do not know"
)
_AT_ONCE, _WRITES = 16, 6
"""Requests in one write, and how many writes."""

Wanted = Callable[[Turn | CalzaOffer], bool]


def positions(bench: Bench) -> Findings:
    """Put positions of all variants and table sizes to the bot."""
    yield from _drill(bench, tables(), bench.request.positions)


def palifico(bench: Bench) -> Findings:
    """Put positions of palifico rounds to the bot."""
    yield from _drill(bench, BY_BOOK, _FEW, lambda asked: asked.palifico_seat is not None)


def last_raise(bench: Bench) -> Findings:
    """Put positions to the bot in which it can only doubt, or has one face left to raise."""
    yield from _drill(bench, BY_BOOK, _FEW, _has_few_raises, patient_player)


def long_rounds(bench: Bench) -> Findings:
    """Put positions after many bids to the bot."""
    yield from _drill(bench, BY_BOOK, _FEW, lambda asked: len(asked.bids) >= _LONG, patient_player)


def calza(bench: Bench) -> Findings:
    """Offer calza to a bot that asked for it."""
    if not (bench.ready and bench.ready.calza):
        bench.notes.append("it does not ask for calza")
        return
    yield from _drill(bench, BY_BOOK_WITH_CALZA, _FEW, lambda asked: isinstance(asked, CalzaOffer))


def unknown_fields(bench: Bench) -> Findings:
    """Write every message in another way, with fields and messages that no bot knows."""

    def edit(line: bytes) -> bytes:
        message = dict(reversed(json.loads(line).items()))
        unknown = {"x_later": {"a": [1, None, "é"]}}
        return json.dumps({**unknown, **message}).encode() + b"\n"

    table = [CheckTable(BGA, 3, 1)]
    for finding in _drill(bench, table, _FEW, edit=edit, extra=b'{"type":"x_later"}\n'):
        yield replace(finding, hint=_UNKNOWN_FIELDS)


def news(bench: Bench) -> Findings:
    """Tell the bot of all that can happen: calza, rivals that fault, games that end."""
    yield from _drill(
        bench, BY_BOOK_WITH_CALZA, _FEW, lambda asked: isinstance(asked, Turn), forfeits=True
    )


def _has_few_raises(asked: Turn | CalzaOffer) -> bool:
    return isinstance(asked, Turn) and len(asked.raises) < 2


def _drill(
    bench: Bench,
    at: Sequence[CheckTable],
    most: int,
    wanted: Wanted = lambda _: True,
    play: Player = random_player,
    *,
    edit: Callable[[bytes], bytes] | None = None,
    extra: bytes = b"",
    forfeits: bool = False,
) -> Findings:
    """Put `most` positions to the bot, as many at each table; `extra` is sent before each."""
    each = -(-most // len(at))
    until = time.monotonic() + STEP_SECONDS
    asked = 0
    for table in at:
        recorded = moments(table, play, forfeits=forfeits)
        with Probe(bench, table, edit) as probe:
            for answered in islice(_at_table(probe, recorded, wanted, extra), each):
                if isinstance(answered, Finding):
                    yield answered
                asked += 1
                bench.tell(f"{asked:,} of {most:,} positions")
                if time.monotonic() > until:
                    bench.notes.append(f"{asked:,} of {most:,} positions: it takes long")
                    probe.tell_rest(recorded)
                    return
            probe.tell_rest(recorded)
    bench.notes.append(f"{asked:,} positions")


def _at_table(
    probe: Probe, recorded: Iterator[CheckMoment], wanted: Wanted, extra: bytes
) -> Iterator[Answer | Finding]:
    """Yield the answers to the wanted positions; ends when the bot had to be stopped."""
    ready = probe.start()
    if isinstance(ready, Finding):
        yield ready
        return
    for moment in recorded:
        for notice in moment.news:
            probe.tell(notice)
        if moment.request is None or not wanted(moment.request):
            continue
        if extra:
            probe.tell_line(extra)
        answer = probe.ask(moment.request)
        if isinstance(answer, Finding):
            yield answer
            return
        fault = moment.illegal(answer)
        yield probe.finding(fault) if fault else answer


# ---------------------------------------------------------------- concurrent games


def concurrent(bench: Bench) -> Findings:
    """Ask in many games at once; the answers must be those to the same requests one at a time.

    That is asked only of a bot whose answers are the same whenever it plays alone with one seed.
    """
    at_once = min(_AT_ONCE, bench.ready.concurrent_games if bench.ready else 1)
    if at_once == 1:
        bench.notes.append("it does not promise concurrent games")
        return
    table = CheckTable(BGA, 3, 1)
    requests = _requests(table, at_once)
    alone = [[request] for request in requests]
    runs = (_by_turn(requests), alone, alone)
    answers = []
    bench.processes.end_served()
    bench.start_ahead(len(runs))
    for writes in runs:
        told = _answers(bench, table, writes)
        if isinstance(told, Finding):
            yield told
            return
        answers.append(told)
    together, once, twice = answers
    if once != twice:
        bench.notes.append("not compared: its answers differ from run to run with one seed")
        return
    differing = [request for request in requests if together[request.id] != once[request.id]]
    if differing:
        yield _differs(table, differing[0], together, once, len(differing))


def _requests(table: CheckTable, games: int) -> list[Turn | CalzaOffer]:
    """Return the first requests of so many games, game by game."""
    chosen: list[list[Turn | CalzaOffer]] = [[] for _ in range(games)]
    for moment in moments(table, random_player):
        asked = moment.request
        if asked and asked.game == games:
            break
        if asked and len(chosen[asked.game]) < _WRITES:
            chosen[asked.game].append(asked)
    return [request for game in chosen for request in game]


def _by_turn(requests: Sequence[Turn | CalzaOffer]) -> list[list[Turn | CalzaOffer]]:
    """Return the first requests of all games, then the second ones, and so on."""
    by_game = [list(group) for _, group in groupby(requests, key=lambda request: request.game)]
    return [[request for request in row if request] for row in zip_longest(*by_game)]


def _answers(
    bench: Bench, table: CheckTable, writes: Sequence[Sequence[Turn | CalzaOffer]]
) -> dict[int, Answer] | Finding:
    answers: dict[int, Answer] = {}
    # A process that served before may draw other chances. No other step uses this table.
    bench.processes.end_served()
    with Probe(bench, table) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            return ready
        for requests in writes:
            replies = probe.ask_all(requests)
            if isinstance(replies, Finding):
                return replies
            answers |= replies
    return answers


def _differs(
    table: CheckTable,
    asked: Turn | CalzaOffer,
    together: dict[int, Answer],
    alone: dict[int, Answer],
    count: int,
) -> Finding:
    return Finding(
        what=f"with {_AT_ONCE} games at once, {count} answers differ from those one at a time",
        where=f"{table}, game {asked.game}",
        hint="keep memory per game, and derive chance from hello.seed, game, round and len(bids);"
        " or do not say concurrent_games",
        sent=(json.dumps({"id": asked.id, "game": asked.game, "round": asked.round}),),
        came=f"at once {_words(together[asked.id])}, alone {_words(alone[asked.id])}",
    )


def _words(answer: Answer) -> str:
    if answer.action == "bid":
        return name_bid(Bid(answer.quantity, answer.face))
    return answer.action


def first_turn(bench: Bench) -> Findings:
    """Ask for an opening bid and for an answer to one."""
    with Probe(bench, FOR_TWO) as probe:
        recorded = moments(FOR_TWO, patient_player)
        answers = _at_table(probe, recorded, lambda _: True, b"")
        yield from (answer for answer in islice(answers, 2) if isinstance(answer, Finding))
        probe.tell_rest(recorded)
