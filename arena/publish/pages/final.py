"""The pages of a final: one for the wall of a room, and one for the winner to keep."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from arena.game.records import Conditions, PlayedFixture
from arena.io import shipped
from arena.league.play.final import Final
from arena.league.schedule.knockout import Contest
from arena.publish.commentary import commentary
from arena.publish.links import Links, identities, links
from arena.publish.pages.watch import ReplayPage
from arena.publish.replay_steps import Replay, replay
from arena.publish.replays import Selection, ShardSpec, firsts, shard_script
from arena.publish.site_folder import FRONT, File
from arena.publish.templates import Frame, render
from arena.ratings.league_ratings import UPSET

WINNER = "winner.html"
_STATIC = (
    *("style.css", "shared.js", "table.css", "replay.js", "replay.css"),
    *("final.css", "final.js"),
)


class PlayerView(Struct, frozen=True):
    """Who plays a match, and the games that it has won."""

    name: str
    mark: str
    """The classes of its mark."""
    won: int
    wins: bool


class ContestView(Struct, frozen=True):
    """A match in the bracket."""

    round: str
    first: int
    """The index of its first game."""
    players: list[PlayerView]

    def has(self, name: str) -> bool:
        """Tell whether somebody played it."""
        return any(player.name == name for player in self.players)


class FinalPage(Struct, frozen=True):
    """The page for the wall, beside what the replay shows."""

    rounds: list[list[ContestView]]
    winner: str
    watch: str = ""
    """There is no page of highlights."""


class WinnerPage(Struct, frozen=True):
    """The page to keep."""

    name: str
    """The name of the league."""
    winner: str
    author: str
    mark: str
    day: str
    rounds: list[list[ContestView]]
    told: list[str]
    """The last game in words."""


def final_files(final: Final, conditions: Conditions, day: str) -> Iterator[File]:
    """Yield the files of a final that is over, which `conditions` belong to; `day` is its date."""
    winner, terms = final.winner or "", final.terms
    marks = {name: mark.classes for name, mark in identities(_names(conditions, final)).items()}
    for name in _STATIC:
        yield File(name, (shipped.folder("reports") / name).read_text(encoding="utf-8"))
    yield File("font.css", shipped.font_css())
    selection: Selection = {played.fixture.index: [0] for played in final.games}
    for played in final.games:
        yield File(Links.shard(played.fixture.index, 0), _shard(final, played, marks))
    yield firsts(selection)
    views = _views(final, marks)
    frame = Frame(league=conditions, links=links(conditions, ()), menu=())
    shown = ReplayPage("0.0.0", "all", None, UPSET, [])
    authors = {bot.name: bot.author for bot in conditions.bots}
    told = [*commentary(_game(final, final.games[-1]), final.games[-1].fixture.seats)]
    card = WinnerPage(
        terms.league, winner, authors.get(winner, ""), marks[winner], day, views, told
    )
    yield File(WINNER, render("final_winner.html", card))
    yield File(FRONT, render("final.html", frame, shown, FinalPage(views, winner)))


def _names(conditions: Conditions, final: Final) -> list[str]:
    """Return the bots of the league, so that each has its mark of there, and all of the final."""
    return [*dict.fromkeys([*(bot.name for bot in conditions.bots), *final.terms.digests])]


def _shard(final: Final, played: PlayedFixture, marks: Mapping[str, str]) -> str:
    seats = played.fixture.seats
    spec = ShardSpec(0, (0,), "", [FRONT] * len(seats), [marks[name] for name in seats])
    return shard_script({final.terms.variant: final.terms.rules}, played, spec)


def _game(final: Final, played: PlayedFixture) -> Replay:
    fixture = played.fixture
    return replay(played.games[0], fixture.seats, final.terms.rules, fixture.max_rounds)


def _views(final: Final, marks: Mapping[str, str]) -> list[list[ContestView]]:
    first: dict[int, int] = {}
    for played in final.games:
        first.setdefault(played.fixture.block, played.fixture.index)
    return [
        [_view(final, match, first[match.number], marks) for match in matches]
        for matches in final.rounds
    ]


def _view(final: Final, match: Contest, first: int, marks: Mapping[str, str]) -> ContestView:
    players = [
        PlayerView(name, marks[name], won, name == match.winner)
        for name, won in match.score.items()
    ]
    return ContestView(final.round_of(match.number), first, players)
