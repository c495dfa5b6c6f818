"""The tables that a site publishes as data: every column, its type and what it holds."""

from arena.publish.data.play_columns import PLAY
from arena.publish.data.schema import Column, Sheet, number, share, text, whole
from arena.records import Cause

_VARIANT = text("variant", "The league's label of the rules in force.")
_PLAYERS = whole("players", "How many sit at a table.", 2)
_BOT = text("bot", "The bot's name.")
_RIVAL = text("opponent", "The other bot's name.")
_PLACE = whole("index", "The fixture's place in the schedule, from 0.")
_RANKS = (
    whole("rank", "The place on the table, 1 is best.", 1),
    whole("best", "The better end of the 95 % interval of the rank.", 1),
    whole("worst", "The worse end of that interval.", 1),
    _BOT,
)
_LEAGUE = text("league", "The league's name.")
_GAIN = (
    number("ratio", "Variance with dice of each game's own over the variance as it is."),
    number("low", "The lower end of its 95 % interval."),
    number("high", "The upper end."),
)
_BOARD = (
    _VARIANT,
    _PLAYERS,
    share("chance", "The share of wins that chance alone gives."),
    whole("blocks", "How many blocks were played, or begun."),
    text("intervals_by", "What the intervals take to vary independently.", "blocks", "games"),
    Column(
        "dice_gain",
        "object",
        "How many times smaller sharing dice made the variance; null with too few games.",
        null=True,
        fields=_GAIN,
    ),
)

LEADERBOARD = Sheet(
    "leaderboard",
    "A leaderboard, best first",
    (
        *_RANKS,
        Column("provisional", "flag", "Fewer games than the league asks of a rating."),
        number("mu", "TrueSkill mean, relative to the mean of the field or to the anchor."),
        number("low", "The lower end of the 95 % interval of mu."),
        number("high", "The upper end."),
        number("sigma", "TrueSkill's standard deviation: it takes all games as independent."),
        number("conservative", "mu - 3 sigma."),
        number("batch_mu", "What a fit that knows no order of games makes of mu."),
        whole("games", "Games played.", 1),
        whole("wins", "Games won."),
        share("win_share", "wins / games."),
        number("mean_place", "The mean finishing place, 1 is best."),
        number("place_low", "The lower end of its 95 % interval."),
        number("place_high", "The upper end."),
        whole("faults", "Games in which the bot faulted."),
    ),
    _BOARD,
)
HEADS = Sheet(
    "head-to-head",
    "Who finished ahead of whom, for each ordered pair that met",
    (
        _BOT,
        _RIVAL,
        whole("ahead", "Games in which the bot finished ahead of the other."),
        whole("games", "Games in which both sat at one table.", 1),
        share("share", "ahead / games."),
        number("low", "The lower end of its 95 % interval (Wilson's)."),
        number("high", "The upper end."),
    ),
    _BOARD,
)
BETTER = Sheet(
    "better",
    "Who is better than whom, for each ordered pair",
    (_BOT, _RIVAL, share("probability", "That the bot is better than the other.")),
    _BOARD,
)
OVERALL = Sheet(
    "overall",
    "The overall table, best first",
    (
        *_RANKS,
        share("score", "The mean share of rivals that the bot finished ahead of."),
        number("low", "The lower end of its 95 % interval."),
        number("high", "The upper end."),
        whole("games", "Games played.", 1),
    ),
)
FAULTS = Sheet(
    "faults",
    "All faults, in schedule order",
    (
        text("cause", "Why the bot is out of the game.", *(cause.value for cause in Cause)),
        _BOT,
        _VARIANT,
        _PLAYERS,
        text("fixture", "The fixture's id."),
        _PLACE,
        whole("game", "The game's number in the fixture, from 0."),
        whole("round", "From 0; null where no dice had been rolled yet.", null=True),
        whole("step", "The fault's place among the events of its game, from 0."),
        whole("seat", "From 0."),
        Column("opponents", "texts", "Who else sat at the table, in the order of seats."),
        text("detail", "What exactly was wrong; it may quote the bot."),
    ),
    (_LEAGUE,),
)
SUSPICIONS = Sheet(
    "suspicions",
    "Results that neither chance nor the ratings explain, the clearest first",
    (
        text("kind", "What is suspected.", "collusion", "drift"),
        _VARIANT,
        _PLAYERS,
        text("bot", "Who lost to the rival too often, or whose strength changed."),
        text("rival", "Null for drift.", null=True),
        whole("games", "The games that tell of it.", 1),
        number("expected", "The share of games ahead of the rival; for drift 0."),
        number("observed", "That share as it was; for drift the change of mu."),
        share("p", "How often a league of fair bots would show so much anywhere."),
    ),
    (_LEAGUE, share("alpha", "The chance of any false suspicion of a kind in a fair league.")),
)
MATCHES = Sheet(
    "matches",
    "What came of the fixtures of a stretch of the schedule",
    (
        _PLACE,
        _VARIANT,
        _PLAYERS,
        Column("seats", "texts", "The bots, seat 0 first."),
        whole("games", "Games played.", 1),
        Column("wins", "wholes", "Games won, by seat."),
        Column("places", "numbers", "Mean finishing places, by seat; 1 is best."),
        Column("faults", "wholes", "Games in which the bot faulted, by seat."),
        whole("upsets", "Games whose winner was unlikely to win, by the ratings now."),
        Column("watch", "wholes", "The games of which a replay is kept."),
    ),
    (_LEAGUE,),
)
ASIDE = Sheet(
    "aside",
    "Fixtures that were set aside, because every worker that played them died",
    (
        text("fixture", "The fixture's id."),
        _PLACE,
        _VARIANT,
        _PLAYERS,
        Column("seats", "texts", "The bots, seat 0 first."),
        whole("deaths", "Workers that were lost.", 1),
        text("why", "What is known of it."),
    ),
    (_LEAGUE,),
)
BOTS = Sheet(
    "bots",
    "The bots as they entered",
    (
        text("name", "The bot's name."),
        text("author", "Who wrote it."),
        text("version", "As its author calls it."),
        text("runtime", "What it is written for."),
        Column("tags", "texts", "What its author sorts it under."),
        text("digest", "SHA-256 over the bot's files, hexadecimal."),
    ),
    (_LEAGUE,),
)
RULES = Sheet(
    "rules",
    "Every rule switch and option of every variant",
    (
        _VARIANT,
        text("book", "The rule book that the variant started from."),
        text("switch", "The switch's or option's name."),
        text("value", "What is played."),
        text("changed_from", "The rule book's value where the league changed it.", null=True),
        Column("clauses", "texts", "The clauses of the rules that it is about."),
    ),
    (_LEAGUE,),
)
LIMITS = Sheet(
    "limits",
    "What a bot must keep to",
    (
        text("name", "The limit's name in league.yaml."),
        text("value", "Its value, with the unit."),
        text("words", "What is limited."),
    ),
    (_LEAGUE,),
)
PLAYED = Sheet(
    "played",
    "How much was played",
    (
        _VARIANT,
        _PLAYERS,
        whole("fixtures", "Fixtures played."),
        whole("games", "Games played."),
        whole("decisions", "Answers asked of bots."),
    ),
    (_LEAGUE,),
)
SHEETS = (
    *(LEADERBOARD, HEADS, BETTER, OVERALL, FAULTS, SUSPICIONS),
    *(MATCHES, ASIDE, BOTS, RULES, LIMITS, PLAYED),
    *PLAY,
)
"""All kinds of tables."""
