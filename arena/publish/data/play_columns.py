"""The tables about play that a site publishes as data; the terms are defined in docs/report.md."""

from arena.publish.data.schema import Column, Sheet, number, share, text, whole

_LEAGUE = (text("league", "The league's name."),)
_BOT = text("bot", "The bot's name.")
_VARIANT = text("variant", "The league's label of the rules in force.")
_PLAYERS = whole("players", "How many sit at a table.", 2)
_WILSON = (
    share("low", "The lower end of its 95 % interval (Wilson's)."),
    share("high", "The upper end."),
)


def _maybe(name: str, words: str) -> Column:
    return Column(name, "number", words, null=True)


_BINS = (
    share("at_least", "The lower end of the bin: how likely, as the bidder knew it."),
    share("below", "The upper end; the last bin holds certainty, too."),
    whole("bids", "Bids in the bin.", 1),
    share("said", "The mean of their probabilities."),
    whole("held", "How many were true."),
    share("share", "held / bids."),
    *_WILSON,
)
CALIBRATION = Sheet(
    "calibration", "How often bids were true, by how likely their bidders knew them", _BINS, _LEAGUE
)
CALIBRATION_BOTS = Sheet("calibration-bots", "The same of each bot's bids", (_BOT, *_BINS), _LEAGUE)
GAME_LENGTH = Sheet(
    "game-length",
    "Games by how many rounds they took",
    (
        _PLAYERS,
        whole("rounds", "Rounds, void ones included."),
        whole("games", "Games of so many rounds.", 1),
        share("share", "Their share of all games of that table size."),
    ),
    _LEAGUE,
)
_WON = (
    whole("seat", "From 0."),
    whole("games", "Games played.", 1),
    whole("wins", "Games won."),
    share("share", "wins / games."),
    *_WILSON,
)
SEAT_ADVANTAGE = Sheet(
    "seat-advantage",
    "How often each seat won",
    (_PLAYERS, *_WON, share("chance", "The share of wins that chance alone gives.")),
    _LEAGUE,
)
SEATS = Sheet(
    "seats",
    "What each bot reached from each seat",
    (_BOT, _VARIANT, _PLAYERS, *_WON, number("mean_place", "The mean place, 1 is best.")),
    _LEAGUE,
)
STYLE = Sheet(
    "style",
    "How each bot plays, at each kind of table; at all where no variant is named",
    (
        _BOT,
        text("variant", "The league's label of the rules; null: all tables.", null=True),
        whole("players", "How many sit at a table; null: all tables.", 2, null=True),
        whole("openings", "Bids that opened a round."),
        _maybe("boldness", "The mean of quantity / dice to be expected, over openings."),
        _maybe("boldness_low", "The lower end of its 95 % interval."),
        _maybe("boldness_high", "The upper end."),
        whole("bids", "Bids, openings among them."),
        whole("bluffs", "Bids less than 1/2 likely to be true, as the bidder knew it."),
        whole("turns_on_a_bid", "Raises and dudos."),
        whole("dudos", "Doubts."),
        whole("dudos_right", "Doubts of bids that were false."),
        whole("calzas", "Calls that the bid is exact."),
        whole("calzas_right", "Those that were right."),
        *(
            _maybe(f"{name}_{part}", words)
            for name, of in [
                ("bluffs", "bluffs / bids"),
                ("doubts", "dudos / turns_on_a_bid"),
                ("doubts_right", "dudos_right / dudos"),
                ("calzas_right", "calzas_right / calzas"),
            ]
            for part, words in [
                ("share", f"{of}."),
                ("low", "The lower end of its 95 % interval (Wilson's)."),
                ("high", "The upper end."),
            ]
        ),
    ),
    _LEAGUE,
)
MOMENTS = Sheet(
    "moments",
    "The best calls and the worst moves of each bot",
    (
        _BOT,
        text("end", "Which list it is on.", "best", "worst"),
        whole("rank", "Its place on the list.", 1),
        _VARIANT,
        _PLAYERS,
        whole("index", "The fixture's place in the schedule, from 0."),
        whole("game", "The game's number in the fixture, from 0."),
        whole("round", "From 0."),
        whole("step", "The move's place among the events of its game, from 0."),
        whole("seat", "From 0."),
        text("action", "What the bot did.", "bid", "dudo", "calza"),
        whole("quantity", "The bid that lay on the table: how many dice.", 1),
        whole("face", "Its face; 1 is a paco.", 1),
        share("chance", "That the move was right, as the bot knew it."),
        share("instead", "The same of the alternative; 1 for passing."),
        number("edge", "By how many dice, on average, it was better than the alternative."),
        whole("dice", "Dice on the table.", 2),
        Column("right", "flag", "Whether the bid was true, or the call right."),
        whole("raised_quantity", "The bid made, or the best instead of a dudo.", 1, null=True),
        whole("raised_face", "Its face; null for a calza.", 1, null=True),
    ),
    _LEAGUE,
)
HISTORY = Sheet(
    "history",
    "The ratings of each bot at points on the way",
    (
        _BOT,
        whole("table_games", "Games of this variant and table size so far.", 1),
        whole("games", "The bot's own among them.", 1),
        number("mu", "TrueSkill mean, relative to those who had played, or to the anchor."),
        number("sigma", "TrueSkill's standard deviation."),
    ),
    _LEAGUE,
)
PLAY = (
    *(CALIBRATION, CALIBRATION_BOTS, GAME_LENGTH, SEAT_ADVANTAGE),
    *(SEATS, STYLE, MOMENTS, HISTORY),
)
