"""How a site names bots: in ASCII, by the links to their pages, by a colour and a pattern."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import chain

from markupsafe import Markup
from msgspec import Struct

from arena.game.records import Conditions, Division
from arena.io.text import visible
from arena.league.changes import version_of
from arena.ratings.leaderboard_rows import Leaderboard

_CYRILLIC = """
а=a б=b в=v г=g д=d е=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh
ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g
"""
_GREEK = """
α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f
χ=ch ψ=ps ω=o
"""
_LATIN = """
ß=ss æ=ae œ=oe ø=o ð=d þ=th ł=l đ=d ı=i ħ=h
"""
_PAIRS = (pair.partition("=") for pair in (_CYRILLIC + _GREEK + _LATIN).split())
_LETTERS = {letter: word for letter, _, word in _PAIRS}


def ascii_name(name: str) -> str:
    """Return a name in ASCII as well as it can be; letters of other scripts are left out."""
    letters = "".join(map(_letter, unicodedata.normalize("NFC", name)))
    return " ".join(letters.split())


def _letter(char: str) -> str:
    small = char.lower()
    if small not in _LETTERS:  # a letter with accents is the letter below them
        if char.isascii():
            return char
        parts = unicodedata.normalize("NFKD", small)
        small = "".join(part for part in parts if not unicodedata.combining(part))
    latin = _LETTERS.get(small, small)
    latin = latin if latin.isascii() else ""
    return latin.capitalize() if char.isupper() else latin


REPLAY = "replay.html"
WATCH = "watch.html"
FIXTURES = "fixtures.html"
MODELS = "models.html"
OVERALL = "tables/overall.html"
RULES = "rules.html"
BOTS = "bots.html"
STATS = "charts.html"
ABOUT = "about.html"
GAMES_PER_SHARD = 32
"""Games of one fixture that a replay loads at once: number // 32 is the shard's number."""

_SLUG_LENGTH = 40
_LOOKS_HASHED = re.compile(r"-[0-9a-f]{8}$")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", ascii_name(name).lower())[:_SLUG_LENGTH].strip("-")


def _stem(name: str, length: int) -> str:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:length]
    return f"{_slug(name) or 'x'}-{digest}"


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """Return a file name (without suffix) for each name: a-z, 0-9, - and _, no two the same.

    A plain name stands for itself; any other is written in ASCII and gets a hash, longer if
    somebody forged a clash.
    """
    taken: dict[str, str] = {}
    for name in names:
        plain = name == _slug(name) and not _LOOKS_HASHED.search(name)
        stem, length = (name, 0) if plain else (_stem(name, 8), 8)
        while taken.setdefault(stem, name) != name:
            length += 8
            stem = _stem(name, length)
    return {name: stem for stem, name in taken.items()}


def bot_pages(names: Sequence[str]) -> list[str]:
    """Return where a site has the pages of bots, for who does not know all of the site's names.

    Somebody who forges a clash of names gets another bot's page.
    """
    stems = file_stems(names)
    return [f"bots/{stems[name]}.html" for name in names]


class Links(Struct, frozen=True):
    """The address book of one site. Every path is relative to the site's folder."""

    bots: dict[str, str]
    variants: dict[str, str]
    cards: dict[str, str]
    """By the name that all versions of a bot have."""

    def bot(self, name: str) -> str:
        """Return the page of a bot."""
        return f"bots/{self.bots[name]}.html"

    def card(self, name: str) -> str:
        """Return the picture with the rank of a bot, by the name of any of its versions."""
        return f"cards/{self.cards[_common_name(name)]}.svg"

    def division_id(self, division: Division) -> str:
        """Return the id of the leaderboard of a division: a part of file names."""
        return f"{self.variants[division.variant]}-{division.players}p"

    def table(self, board: Leaderboard) -> str:
        """Return the page of a leaderboard."""
        return f"tables/{self.division_id(board.division)}.html"

    def head_to_head(self, board: Leaderboard) -> str:
        """Return the head-to-head page of a leaderboard."""
        return f"head-to-head/{self.division_id(board.division)}.html"

    def picture(self, board: Leaderboard, scheme: str) -> str:
        """Return the head-to-head of many bots as a picture; scheme is `light` or `dark`."""
        return f"head-to-head/{self.division_id(board.division)}-{scheme}.png"

    def watch(self, board: Leaderboard) -> str:
        """Return the page of the highlights at the tables of a leaderboard."""
        return f"watch/{self.division_id(board.division)}.html"

    @staticmethod
    def fixture_data(number: int) -> str:
        """Return the path of the data of a page of the list of fixtures, without suffix."""
        return f"data/fixtures-{number}"

    @staticmethod
    def fixture_page(number: int) -> str:
        """Return a page of the list of fixtures."""
        return f"fixtures/{number}.html"

    def met(self, bot: str, rival: str, table: str) -> str:
        """Return the fixtures of two bots at the tables of a division, given by its id."""
        return f"{FIXTURES}#bot={self.bots[bot]}&with={self.bots[rival]}&table={table}"

    def data_stem(self, board: Leaderboard, kind: str) -> str:
        """Return a data file of kind `leaderboard`, `head-to-head` or `better`, no suffix."""
        return f"data/{kind}-{self.division_id(board.division)}"

    def data(self, board: Leaderboard, kind: str, suffix: str) -> str:
        """Return a data file, suffix `csv` or `json`."""
        return f"{self.data_stem(board, kind)}.{suffix}"

    @staticmethod
    def shard(fixture: int, number: int) -> str:
        """Return the file that holds games of a fixture's replays."""
        return f"replays/{fixture}-{number}.js"

    @staticmethod
    def step(fixture: int, game: int, step: int = 0) -> str:
        """Return the link to a step of a game in the replay; all are counted from 0."""
        return f"{REPLAY}#{fixture}.{game}.{step}"

    @staticmethod
    def clause(ident: str) -> str:
        """Return the link to a clause of the rules."""
        return f"{RULES}#{ident}"

    def variant(self, label: str) -> str:
        """Return the link to a variant's switches."""
        return f"conditions.html#variant-{self.variants[label]}"


def links(conditions: Conditions, leaderboards: Sequence[Leaderboard]) -> Links:
    """Return the address book for a league's site."""
    bots = [bot.name for bot in conditions.bots]
    labels = dict.fromkeys([*conditions.variants, *(board.variant for board in leaderboards)])
    common = dict.fromkeys(map(_common_name, bots))
    return Links(file_stems(bots), file_stems(labels), file_stems(common))


COLOURS = 8
"""Colours: the classes `h0` to `h7` of reports/style.css."""
PATTERNS = 6
"""Patterns: the classes `m0` to `m5`: a disc, a ring, a half, a bar, a diamond, four tiles."""


class Identity(Struct, frozen=True):
    """The mark of a bot: a colour and a pattern."""

    colour: int
    pattern: int

    @property
    def classes(self) -> str:
        """The classes of an element that shows it."""
        return f"h{self.colour} m{self.pattern}"


def identities(bots: Iterable[str], entered: Iterable[str] = ()) -> dict[str, Identity]:
    """Return the mark of each bot; all versions of a bot have the same.

    It is drawn from the name. A colour that more of the earlier bots have than others is passed
    over for the next one, and so is a pattern of it: the first bots differ in their colours, and
    later ones change nobody's mark. `entered` are bots that came before all others, there or not.
    """
    bots = list(bots)
    known: dict[str, Identity] = {}
    colours = Counter[int]()
    marks = Counter[Identity]()
    for bot in map(_common_name, chain(entered, bots)):
        if bot not in known:
            digest = sha256(bot.encode("utf-8", "surrogatepass")).digest()
            colour = _free(digest[0], [colours[hue] for hue in range(COLOURS)])
            kinds = [marks[Identity(colour, kind)] for kind in range(PATTERNS)]
            known[bot] = mark = Identity(colour, _free(digest[1], kinds))
            colours[colour] += 1
            marks[mark] += 1
    return {bot: known[_common_name(bot)] for bot in bots}


def _common_name(bot: str) -> str:
    """Return the name that all versions of a bot have."""
    return version_of(bot)[0]


def _free(drawn: int, counts: Sequence[int]) -> int:
    """Return the first place from the one drawn on that has the lowest of these counts."""
    places = len(counts)
    return min(range(places), key=lambda place: (counts[place], (place - drawn) % places))


_LINK = Markup('<i class="{}"></i><a class="bot" href="{}{}"><bdi>{}</bdi></a>')

_NAME = Markup('<i class="{}"></i><bdi>{}</bdi>')


def marked_links(marks: Mapping[str, Identity], links: Links, root: str) -> dict[str, Markup]:
    """Return each bot's mark and name, linked to its page: made once, for they occur everywhere."""
    return {
        bot: _LINK.format(identity.classes, root, links.bot(bot), visible(bot))
        for bot, identity in marks.items()
    }


def marked_names(marks: Mapping[str, Identity]) -> dict[str, Markup]:
    """Return each bot's mark and name, without a link."""
    return {bot: _NAME.format(marks[bot].classes, visible(bot)) for bot in marks}
