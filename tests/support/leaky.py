"""Bots with one leak: the sample bot `odds`, with the rules of its play as settings.

Where `odds` weighs a doubt against its best raise, they doubt below a chance that the bid is true;
an author's bot is rarely cleverer.
"""

import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from msgspec import convert, to_builtins

from arena.game.records import Fixture, PlayedFixture
from arena.game.referee import Notice, Referee
from arena.game.rules.books import Rules
from arena.game.wire.messages import Answer, CalzaOffer
from arena.io import shipped
from arena.playstats.coach.coach import Leak
from tests.support import records
from tests.support.played_games import Request, play_out

Message = dict[str, Any]
Settings = Mapping[str, Any]

_ROUND: Settings = {
    "doubt": 0.3,
    "doubt on pacos": None,
    "open face": "surest",
    "open more": 0,
    "open least": None,
    "open most": None,
    "raise face": "surest",
    "raise more": 0,
    "raise least": None,
    "raise most": None,
}
BASE: Settings = {
    "calza": 0.5,
    **_ROUND,
    **{f"palifico {name}": value for name, value in _ROUND.items()},
}
"""What the bot does without a leak, in normal rounds and in palifico.

`doubt` and `calza` are chances, `more` counts dice above the lowest legal bid; the faces and the
least and most dice are those of `arena.playstats.coach.changes`, or "shortest" and "highest"."""

_RULES = '''

def setting(request, name):
    return SETTINGS[name if request["palifico_seat"] is None else "palifico " + name]


def held(turn, face):
    wild = face != 1 and turn["palifico_seat"] is None
    return turn["dice"].count(face) + wild * turn["dice"].count(1)


def number(turn, hidden, name, face):
    """Return the dice that a name stands for."""
    sixths = 2 if face != 1 and turn["palifico_seat"] is None else 1
    expected = held(turn, face) + hidden * sixths // 6
    return {"held": held(turn, face), "held + 1": held(turn, face) + 1, "expected": expected,
            "lowest": 0}[name]


def on_face(turn, hidden, name):
    """Return the legal bids on the face that a name stands for; on the surest if it has none."""
    table = turn["bids"][-1]["face"] if turn["bids"] else 0
    named = {"table": table, "pacos": 1}
    if name in named:
        for r in turn["raises"]:
            if r["face"] == named[name]:
                return r
    keys = {
        "longest": lambda r: (held(turn, r["face"]), -r["min"]),
        "shortest": lambda r: (-held(turn, r["face"]), -r["min"]),
        "highest": lambda r: r["face"],
    }
    surest = lambda r: holds(turn, hidden, r["min"], r["face"])
    return max(turn["raises"], key=keys.get(name, surest))


def choose(turn, hidden):
    verb = "raise" if turn["dudo"] else "open"
    if turn["dudo"]:
        bid = turn["bids"][-1]
        true = holds(turn, hidden, bid["quantity"], bid["face"])
        limit = setting(turn, "doubt")
        if bid["face"] == 1 and setting(turn, "doubt on pacos"):
            limit = setting(turn, "doubt on pacos")
        if not turn["raises"] or true < limit:
            return {"id": turn["id"], "action": "dudo"}
    r = on_face(turn, hidden, setting(turn, verb + " face"))
    quantity = r["min"] + setting(turn, verb + " more")
    least, most = setting(turn, verb + " least"), setting(turn, verb + " most")
    if least:
        quantity = max(quantity, number(turn, hidden, least, r["face"]))
    if most:
        quantity = min(quantity, number(turn, hidden, most, r["face"]))
    quantity = min(max(quantity, r["min"]), r["max"])
    return {"id": turn["id"], "action": "bid", "quantity": quantity, "face": r["face"]}

'''


LEAKS: Mapping[str, Settings] = {
    "doubts bids below 55 %": {"doubt": 0.55},
    "doubts bids below 10 % only": {"doubt": 0.1},
    "raises one die too high": {"raise more": 1},
    "raises on the highest face": {"raise face": "highest"},
    "opens two dice too high": {"open more": 2},
    "opens with what is expected": {"open least": "expected"},
    "calls calza from 15 % on": {"calza": 0.15},
    "opens palifico two dice too high": {"palifico open more": 2},
    "opens palifico on a face that it lacks": {"palifico open face": "shortest"},
    "never doubts in palifico": {"palifico doubt": 0.0},
}
"""What ten bots with one leak each do otherwise than BASE."""


class Seated(NamedTuple):
    """A bot in this process: what it is told, and what it answers."""

    hear: Callable[[Message], object]
    choose: Callable[[Message], Message]


def seated(settings: Settings, rules: Rules) -> Seated:
    """Seat a bot at a table of two; settings that are not named are those of BASE."""
    found = definitions({**BASE, **settings})
    count = found["Count"]({"rules": {"starting_dice": rules.starting_dice}, "seats": 2})

    def choose(request: Message) -> Message:
        hidden = count.hidden(request)
        if "raises" in request:
            return dict(found["choose"](request, hidden))
        return dict(found["call"](request, hidden, count.start))

    return Seated(count.hear, choose)


def play(
    fixture: Fixture, bots: Sequence[Seated], rules: Rules, callers: Iterable[int]
) -> PlayedFixture:
    """Play a fixture; `callers` are the seats that are asked about calza, if it is played."""
    calza = frozenset(callers) if rules.calza else frozenset[int]()

    def choose(seat: int, asked: Request) -> Answer:
        kind = "calza" if isinstance(asked, CalzaOffer) else "turn"
        return convert(bots[seat].choose({**to_builtins(asked), "type": kind}), Answer)

    def hear(notice: Notice) -> None:
        for bot in bots:
            bot.hear(to_builtins(notice))

    def referee(game: int) -> Referee:
        limit = fixture.max_rounds
        return Referee(rules, 2, fixture.dice_key, game, calza, max_rounds=limit)

    games = [play_out(referee(game), choose, hear) for game in range(fixture.games)]
    return records.played(fixture, games)


def program(settings: Settings) -> str:
    """Return the source of a bot with these settings."""
    odds = (shipped.folder("sample_bots") / "odds" / "bot.py").read_text(encoding="utf-8")
    head = odds.removesuffix("\nmain()\n")
    calza = f"CALZA = {settings['calza']!r}"
    return f"{head}{_RULES}\nSETTINGS = {dict(settings)!r}\n{calza}\nmain()\n"


def definitions(settings: Settings) -> dict[str, Any]:
    """Return what such a program defines, without running it on any input."""
    found: dict[str, Any] = {}
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        exec(_compiled(program(settings)), found)  # noqa: S102 - it is the text above
    finally:
        sys.stdin = stdin
    return found


@cache
def _compiled(source: str) -> CodeType:
    return compile(source, "bot.py", "exec")


def write_bot(folder: Path, settings: Settings) -> Path:
    """Write the folder of such a bot."""
    folder.mkdir(parents=True)
    manifest = f"name: {folder.name}\nruntime: python\ncommand: python3 bot.py\n"
    (folder / "bot.yaml").write_text(manifest, encoding="utf-8")
    (folder / "bot.py").write_text(program(settings), encoding="utf-8")
    return folder


def follow(settings: Settings, leak: Leak) -> Settings:
    """Return the settings after the advice on a leak: one rule of them is another, no more."""
    where = "palifico " * leak.palifico
    verb = leak.kind.partition("s ")[0]

    def now(name: str) -> Any:
        return settings[where + name]

    match leak.rule:
        case "calza":
            return {**settings, "calza": leak.value}
        case "doubt":
            everywhere = {f"{where}doubt on pacos": None}
            return {**settings, **everywhere, f"{where}doubt": leak.value}
        case "face" if verb == "raise":
            low = {f"{where}raise more": 0}
            return {**settings, **low, f"{where}raise face": leak.value}
        case "face":
            return {**settings, f"{where}open face": leak.value}
    if str(leak.value).lstrip("+-").isdigit():
        more = now(f"{verb} more") + int(leak.value)
        return {**settings, f"{where}{verb} more": more}
    bound = "most" if leak.kind.endswith("high") else "least"
    return {**settings, f"{where}{verb} {bound}": leak.value}
