"""A person at a terminal: what happens at a table in words, and what is typed as an answer."""

import re
import signal
from collections.abc import Sequence
from contextlib import AbstractContextManager

import click
import msgspec

from arena.cli.exit_codes import stop_if_lost
from arena.cli.output import harmless
from arena.game.rules.books import BGA, PACO, Rules
from arena.game.rules.clauses import in_words
from arena.game.rules.dice import Hand
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.game.rules.view import SeatBid
from arena.game.wire.messages import (
    Answer,
    CalzaOffer,
    FaultNotice,
    GameEnd,
    Hello,
    RoundEnd,
    ToBot,
    Turn,
)
from arena.io.signals import handled
from arena.league.table.person import DiceLeft, LeftError

_decode = msgspec.json.Decoder(Hello | Turn | CalzaOffer).decode
_FACES = {
    name: face
    for face, names in enumerate(
        (
            "paco pacos ace aces one ones",
            "two twos",
            "three threes",
            "four fours",
            "five fives",
            "six sixes",
        ),
        1,
    )
    for name in names.split()
}
_BID = re.compile(r"(?:bid )?(\d{1,3}) *[x* ] *(\w+)")
_HELP = """\
  5 4, or 5 fours    bid that many
  d, or dudo         doubt the last bid
  odds               how likely bids are to hold, by your own dice
  legal              every legal bid
  rules              the rules of this table
  q, or quit         leave"""
_CALZA_HELP = """\
  c, or calza        say that the bid is exact
  Enter, or pass     say nothing
  odds, rules, quit  as at your turn"""


def hanging_up_interrupts() -> AbstractContextManager[None]:
    """Have a terminal that is closed end a command as Ctrl-C does."""
    return handled(signal.default_int_handler, signal.SIGHUP)


def digest(line: str) -> str:
    """Return a line that asks a bot something, in words; "" for any other line."""
    try:
        request = _decode(line)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return ""
    if isinstance(request, Hello):
        games = f"{request.games:,} games of {request.rules.name}"
        return f"hello: seat {request.seat} of {request.seats}, {games}"
    kind = "turn" if isinstance(request, Turn) else "calza"
    parts = [f"{kind} {request.id}: seat {request.seat} has {' '.join(map(str, request.dice))}"]
    if request.dice_counts:
        parts.append(f"dice by seat {' '.join(map(str, request.dice_counts))}")
    if request.palifico_seat is not None:
        parts.append(f"palifico of seat {request.palifico_seat}")
    if request.bids:
        last = request.bids[-1]
        parts.append(f"last bid {name_bid(Bid(last.quantity, last.face))} by seat {last.seat}")
    if isinstance(request, Turn):
        parts.append(f"legal: {legal(request)}")
    return "; ".join(parts)


def legal(request: Turn) -> str:
    """Return what may be done at a turn, in words."""
    bids = [
        f"{raises.min} to {name_bid(Bid(raises.max, raises.face))}"
        if raises.min < raises.max
        else name_bid(Bid(raises.min, raises.face))
        for raises in request.raises
    ]
    return ", ".join(bids + ["dudo"] * request.dudo)


class EndOfInputError(KeyboardInterrupt):
    """Nobody types any more."""


class TerminalPerson:
    """Tells a person what happens, and asks again until an answer is legal."""

    def __init__(self) -> None:
        self._names: Sequence[str] = ()
        self._rules: Rules = BGA
        self._dice = DiceLeft()
        self._told = 0
        """Bids of this round that were told already."""

    def join(self, names: Sequence[str], rules: Rules, dice: Sequence[int]) -> None:
        """Sit down between two rounds of a game, with so many dice at each seat."""
        self._names = names
        self._rules = self._dice.rules = rules
        self._told = 0
        self._dice.counts = [*dice]

    def meet(self, names: Sequence[str]) -> None:
        """Take the names at the table, by seat."""
        self._names = names

    def hear(self, message: ToBot) -> None:
        """Tell what happened."""
        self._dice.hear(message)
        match message:
            case Hello():
                self._rules = message.rules
                others = [name for seat, name in enumerate(self._names) if seat != message.seat]
                tell(f"{message.rules.name}: you against {_listed(others)}. Type ? for help.")
            case RoundEnd():
                self._end_round(message)
            case FaultNotice():
                self._told = 0
                name = self._names[message.seat]
                tell(f"{name} faulted ({message.cause}) and is out; the round is played again.")
            case GameEnd():
                self._told = 0
                by_place = sorted(zip(message.places, self._names, strict=True))
                tell("\n" + ", ".join(f"{place}. {name}" for place, name in by_place))
            case _:
                pass

    def decide(self, request: Turn | CalzaOffer) -> Answer:
        """Show what the person may see, and read an answer.

        Raises LeftError if the person leaves, EndOfInputError at the end of input.
        """
        if not self._told:
            self._show_round(request)
        self._tell_bids(request.bids)
        if isinstance(request, CalzaOffer):
            return self._read_calza(request)
        tell(f"  you have {_dice(request.dice)}")
        while True:
            typed = ask("your move: ")
            if not self._helped(typed, request, _HELP):
                answer = read_answer(typed, request)
                if isinstance(answer, Answer):
                    self._told += answer.action == "bid"
                    return answer
                tell(f"  {answer}")

    def _read_calza(self, request: CalzaOffer) -> Answer:
        tell(f"  you have {_dice(request.dice)}")
        while True:
            typed = ask("calza? ")
            if typed in {"c", "calza", "y", "yes"}:
                return Answer(id=request.id, action="calza")
            if typed in {"", "p", "pass", "n", "no"}:
                return Answer(id=request.id, action="pass")
            if not self._helped(typed, request, _CALZA_HELP):
                tell("  type calza, or press Enter to pass")

    def _helped(self, typed: str, request: Turn | CalzaOffer, text: str) -> bool:
        """Answer a request for help; returns whether it was one."""
        if typed in {"quit", "exit", "q"}:
            raise LeftError
        if typed in {"?", "h", "help"}:
            click.echo(text)
        elif typed == "odds":
            self._show_odds(request)
        elif typed == "legal" and isinstance(request, Turn):
            tell(f"  {legal(request)}")
        elif typed == "rules":
            for title, words in in_words(self._rules):
                tell(f"  {title}: {words}")
            tell("  (after →: what the arena plays where the rule book leaves it open)")
        else:
            return False
        return True

    def _show_round(self, request: Turn | CalzaOffer) -> None:
        left = self._dice.counts
        counts = [f"{name} {n}" for name, n in zip(self._names, left, strict=True) if n]
        palifico = ""
        if request.palifico_seat is not None:
            palifico = f"; palifico of {self._names[request.palifico_seat]}: pacos are not wild"
        tell(f"\nround {request.round + 1}: {sum(left)} dice ({', '.join(counts)}){palifico}")

    def _tell_bids(self, bids: Sequence[SeatBid]) -> None:
        for bid in bids[self._told :]:
            tell(f"  {self._names[bid.seat]}: {name_bid(Bid(bid.quantity, bid.face))}")
        self._told = len(bids)

    def _show_odds(self, request: Turn | CalzaOffer) -> None:
        if request.bids:
            bid = Bid(request.bids[-1].quantity, request.bids[-1].face)
            odds = self._dice.odds(bid, request)
            tell(f"  {name_bid(bid)}: holds {odds.holds:.0%}, exact {odds.exact:.0%}")
        for bids in request.raises if isinstance(request, Turn) else ():
            bid = Bid(bids.min, bids.face)
            tell(f"  {name_bid(bid)}: holds {self._dice.odds(bid, request).holds:.0%}")

    def _end_round(self, end: RoundEnd) -> None:
        self._tell_bids(end.bids)
        last, caller = end.bids[-1], self._names[end.caller]
        bid = name_bid(Bid(last.quantity, last.face))
        tell(f"  {caller}: {end.call}, on {bid} by {self._names[last.seat]}")
        hands = zip(self._names, end.dice, strict=True)
        tell(f"  dice: {', '.join(f'{name} {_dice(dice)}' for name, dice in hands if dice)}")
        count = name_bid(Bid(end.count, last.face))
        exactly = "exactly " if end.count == last.quantity else ""
        wild = last.face != PACO and self._dice.wild(end.palifico_seat)
        pacos = ", with the pacos" if wild and any(PACO in dice for dice in end.dice) else ""
        changes = [
            f"{self._names[seat]} {word}, {self._dice.counts[seat]} left"
            for seat, word in ((end.loser, "lost a die"), (end.gainer, "regained a die"))
            if seat is not None
        ]
        tell(f"  {exactly}{count}{pacos}; {'; '.join(changes) or 'nobody lost a die'}")
        self._told = 0


def read_answer(typed: str, request: Turn) -> Answer | str:
    """Return the answer that was typed at a turn, or what is wrong with it."""
    if typed in {"d", "dudo"}:
        if request.dudo:
            return Answer(id=request.id, action="dudo")
        return "there is no bid to doubt: you open the round"
    parts = _BID.fullmatch(typed)
    if not parts:
        return "type a bid, such as '3 fives', or 'dudo'; ? for help"
    quantity, word = int(parts[1]), parts[2]
    face = int(word) if word in {*"123456"} else _FACES.get(word)
    if not face:
        return f"no face is called '{word}'; type 1 to 6, or pacos, twos, ..., sixes"
    allowed = next((bids for bids in request.raises if bids.face == face), None)
    if allowed and allowed.min <= quantity <= allowed.max:
        return Answer(id=request.id, action="bid", quantity=quantity, face=face)
    return f"{name_bid(Bid(quantity, face))} is not legal: {legal(request)}"


def ask(prompt: str) -> str:
    """Return a line that was typed, in lower case.

    Raises EndOfInputError at the end of input, and as `stop_if_lost` if nobody sees the question.
    """
    stop_if_lost()
    try:
        typed = input(prompt)
    except EOFError:
        raise EndOfInputError from None
    return " ".join(typed.lower().split())


def tell(text: str) -> None:
    """Print what happened."""
    head = "\n" if text.startswith("\n") else ""
    click.echo(head + harmless(text.removeprefix("\n")))


def _dice(dice: Hand) -> str:
    return " ".join(map(str, sorted(dice)))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
