"""Play real games between bot processes and scripted seats, by the arena's own engine and wire.

A table has a player for every seat: a `BotProcess` runs a bot's folder, a `Scripted` seat plays
random legal actions to lead the others into every corner of the rules.
"""

import os
import random
import selectors
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import yaml

from arena.perudo import dice
from arena.perudo.dice import Hand
from arena.perudo.round import (
    Bid,
    Outcome,
    Raises,
    Round,
    Standing,
    calza,
    calza_seats,
    dudo,
    first_standing,
    is_legal,
    leave,
    open_round,
    place,
    raises,
)
from arena.perudo.rules import Rules
from arena.perudo.view import SeatBid, seen_by
from arena.wire.codec import decode_answer, decode_ready, encode
from arena.wire.messages import (
    PROTOCOL,
    Answer,
    Bye,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    Limits,
    Ready,
    RoundEnd,
    ToBot,
    Turn,
)

HANG = 30.0
"""Seconds after which a silent bot is taken to hang: far above what any answer takes."""
BOTS = Path(__file__).parents[2] / "sample_bots"
LIMITS = Limits(10.0, 2.0, 60.0)

Request = Turn | CalzaOffer
Move = tuple[int, str, int, int]
"""Seat, action, quantity, face: what a seat did, for comparing games."""


class Player(Protocol):
    """A seat: it is told what happened and asked what it does."""

    def begin(self, hello: Hello) -> Ready: ...
    def tell(self, message: ToBot) -> None: ...
    def ask(self, request: Request) -> Answer: ...


def bot_folders() -> list[Path]:
    """Return the folders of all sample bots, in alphabetical order."""
    return sorted(path.parent for path in BOTS.glob("*/bot.yaml"))


def prepare(folder: Path, into: Path) -> Path:
    """Return a folder the bot can be run in: its own, or a copy that its `build` was run in."""
    build = yaml.safe_load((folder / "bot.yaml").read_text()).get("build")
    if not build:
        return folder
    copy = into / folder.name
    shutil.copytree(folder, copy)
    compiler = shlex.split(build)[0]
    assert shutil.which(compiler), f"{folder.name} needs {compiler} to be built: install it"
    subprocess.run(shlex.split(build), cwd=copy, check=True)
    return copy


class BotProcess:
    """A running bot; what it is told is written together with the next request."""

    def __init__(self, folder: Path, stderr: Path) -> None:
        command = shlex.split(yaml.safe_load((folder / "bot.yaml").read_text())["command"])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        program = command[0]
        found = shutil.which(program, path=path) or (folder / program).is_file()
        assert found, f"{folder.name} needs {program} to run: install it"
        self.stderr = stderr
        self._pending: list[bytes] = []
        self._buffer = b""
        with stderr.open("wb") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env={"PATH": path, "LANG": "C.UTF-8"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)

    def begin(self, hello: Hello) -> Ready:
        self.tell(hello)
        return decode_ready(self.exchange())

    def tell(self, message: ToBot) -> None:
        self._pending.append(encode(message))

    def tell_line(self, line: bytes) -> None:
        """Queue a raw line, its newline included."""
        self._pending.append(line)

    def ask(self, request: Request) -> Answer:
        self.tell(request)
        return decode_answer(self.exchange())

    def exchange(self) -> bytes:
        """Write what is queued and return the one line that the bot answers."""
        self._flush()
        while b"\n" not in self._buffer:
            assert self._selector.select(HANG), "the bot does not answer: does it flush?"
            chunk = os.read(self._output.fileno(), 65_536)
            assert chunk, f"the bot ended: {self.stderr.read_text()}"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        assert not self._buffer, f"output that nobody asked for: {self._buffer!r}"
        return line

    def end(self, *, bye: bool = True) -> int:
        """Say bye, or only close the input; return the exit code once the bot has ended."""
        if bye:
            self.tell(Bye())
        self._flush()
        self._input.close()
        try:
            code = self._process.wait(HANG)
            rest = self._buffer + self._output.read()
        finally:
            self.kill()
        assert not rest, f"output that nobody asked for: {rest!r}"
        return code

    def kill(self) -> None:
        """End the process whatever it does, and free its pipes."""
        self._process.kill()
        self._process.wait()
        self._selector.close()
        self._input.close()
        self._output.close()

    def _flush(self) -> None:
        self._input.write(b"".join(self._pending))
        self._input.flush()
        self._pending.clear()


@contextmanager
def running(folder: Path, tmp: Path) -> Iterator[BotProcess]:
    """Run a bot; at the end say bye, and see that it ends well and has not complained."""
    bot = BotProcess(folder, tmp / f"{folder.name}.stderr")
    try:
        yield bot
        assert bot.end() == 0
        assert bot.stderr.read_text() == ""
    finally:
        bot.kill()


class Scripted:
    """A seat without a process: random legal bids, mostly small, few calls, so rounds run long.

    From round `quits_in` of every game on it answers nonsense, which makes it fault.
    """

    def __init__(self, seed: int, *, doubts: float = 0.1, quits_in: int | None = None) -> None:
        self._rng = random.Random(seed)
        self._doubts = doubts
        self._quits_in = quits_in

    def begin(self, hello: Hello) -> Ready:
        return Ready(calza=True)

    def tell(self, message: ToBot) -> None:
        """Forget it: a scripted seat plays without memory."""

    def ask(self, request: Request) -> Answer:
        if isinstance(request, CalzaOffer):
            calls = self._rng.random() < self._doubts / 2
            return Answer(id=request.id, action="calza" if calls else "pass")
        if self._quits_in is not None and request.round >= self._quits_in:
            return Answer(id=request.id, action="bid")
        if not request.raises or (request.dudo and self._rng.random() < self._doubts):
            return Answer(id=request.id, action="dudo")
        quantity, face = self._bid(request.raises)
        return Answer(id=request.id, action="bid", quantity=quantity, face=face)

    def _bid(self, legal: Sequence[Raises]) -> tuple[int, int]:
        chosen = self._rng.choice(legal)
        high = chosen.max if self._rng.random() < self._doubts / 2 else chosen.min
        return self._rng.randint(chosen.min, high), chosen.face


@dataclass
class Table:
    """Players around one table, through all games of a fixture."""

    rules: Rules
    seed: str
    players: Sequence[Player]
    wants_calza: set[int] = field(default_factory=set)
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Seat and what it did wrong, for every fault so far."""
    moves: list[Move] = field(default_factory=list)
    """Everything that any seat did so far."""
    _id: int = 0

    def begin(self, games: int) -> None:
        """Say hello to every seat."""
        for seat, player in enumerate(self.players):
            hello = Hello(
                protocol=PROTOCOL,
                seat=seat,
                seats=len(self.players),
                games=games,
                seed=1000 + seat,
                rules=self.rules,
                limits=LIMITS,
            )
            if player.begin(hello).calza:
                self.wants_calza.add(seat)

    def play(self, game: int) -> int:
        """Play one game to its end; return the seat that won."""
        highest = self.rules.first_opener == "highest_roll"
        seats = len(self.players)
        opener = dice.first_opener(self.seed, game, seats, highest_roll=highest)
        standing = first_standing(self.rules, seats, opener)
        places = [0] * seats
        number = 0
        while standing.winner is None:
            after = _RoundInPlay(self, game, number, standing).play()
            for seat in range(seats):
                if standing.dice[seat] and not after.dice[seat]:
                    places[seat] = standing.alive
            standing = after
            number += 1
        places[standing.winner] = 1
        self.tell(GameEnd(game=game, places=tuple(places)))
        return standing.winner

    def tell(self, message: ToBot) -> None:
        for player in self.players:
            player.tell(message)

    def next_id(self) -> int:
        self._id += 1
        return self._id


class _RoundInPlay:
    """One round: whom to ask what, until a call or a fault ends it."""

    def __init__(self, table: Table, game: int, number: int, standing: Standing) -> None:
        self.table, self.game, self.number = table, game, number
        self.now: Round = open_round(standing)
        self.bids: list[SeatBid] = []
        self.hands: tuple[Hand, ...] = tuple(
            dice.roll(table.seed, game, number, seat, left)
            for seat, left in enumerate(standing.dice)
        )

    def play(self) -> Standing:
        """Return how the table stands after the round."""
        while True:
            after = self._offer_calza() or self._turn()
            if after is not None:
                return after

    def _turn(self) -> Standing | None:
        seat, legal = self.now.to_act, raises(self.now)
        dudo_too = self.now.bid is not None
        answer = self._ask(Turn, seat, raises=legal, dudo=dudo_too)
        if answer.action == "dudo" and dudo_too:
            return self._settle(dudo(self.now, self.hands))
        bid = Bid(answer.quantity, answer.face)
        if answer.action != "bid" or not is_legal(self.now, bid):
            return self._fault(seat, f"{answer} where {legal} and dudo={dudo_too} are legal")
        self.bids.append(SeatBid(seat, bid.quantity, bid.face))
        self.now = place(self.now, bid)
        return None

    def _offer_calza(self) -> Standing | None:
        """Ask every seat that wants to call and may; the nearest after the bidder counts."""
        callers = []
        for seat in calza_seats(self.now):
            if seat in self.table.wants_calza:
                answer = self._ask(CalzaOffer, seat)
                if answer.action not in ("calza", "pass"):
                    return self._fault(seat, f"{answer} to a calza offer")
                callers += [seat] if answer.action == "calza" else []
        return self._settle(calza(self.now, self.hands, callers[0])) if callers else None

    def _ask(self, kind: type[Turn] | type[CalzaOffer], seat: int, **more: object) -> Answer:
        view = seen_by(seat, self.now, self.hands, self.bids)
        seen = {name: getattr(view, name) for name in view.__struct_fields__}
        number = self.table.next_id()
        request = kind(id=number, game=self.game, round=self.number, **seen, **more)  # type: ignore[arg-type]
        answer = self.table.players[seat].ask(request)
        assert answer.id == number
        self.table.moves.append((seat, answer.action, answer.quantity, answer.face))
        return answer

    def _settle(self, outcome: Outcome) -> Standing:
        message = RoundEnd(
            game=self.game,
            round=self.number,
            bids=self.bids,
            caller=outcome.caller,
            call=outcome.call,
            dice=self.hands,
            count=outcome.count,
            loser=outcome.loser,
            gainer=outcome.gainer,
        )
        self.table.tell(message)
        return outcome.after

    def _fault(self, seat: int, what: str) -> Standing:
        self.table.faults.append((seat, what))
        notice = FaultNotice(game=self.game, round=self.number, seat=seat, cause="illegal_action")
        self.table.tell(notice)
        return leave(self.now.standing, seat)
