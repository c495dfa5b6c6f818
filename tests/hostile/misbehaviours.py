"""Every way to misbehave, and what follows in each sandbox: the one place to tighten it."""

from msgspec import Struct

from arena.records import Cause, LimitsInfo
from arena.sandboxes.child_process import process_trees
from arena.sandboxes.registry import SANDBOXES

_holders = process_trees()
GROUPED = _holders is not None and _holders.caps_memory
"""Whether control groups hold bots together on this machine."""
PATIENT = LimitsInfo(start=20.0, answer=20.0, game=60.0, restarts=1)
"""For what takes no time: nobody waits for these."""
HASTY = LimitsInfo(start=20.0, answer=0.5, game=5.0, wall=1.0, restarts=1)
"""For bots that do not answer."""
LATE = LimitsInfo(start=3.0, answer=20.0, game=60.0, restarts=1)
"""For bots that are never ready."""
CROWDED = LimitsInfo(start=20.0, answer=1.0, game=10.0, wall=1.0, restarts=1)
"""For bots that do not answer and keep the machine busy."""


class Outcome(Struct, frozen=True):
    """What follows in one sandbox."""

    cause: Cause | None = None
    """None: the bot plays on."""
    detail: str = ""
    """What its author reads must hold this."""
    works: bool = False
    """What it attempts works."""
    stays: bool = False
    """Something that it started outlives the match."""
    tried: bool = True
    """Whether the tests try it at all: not where it would hurt the machine or is no question."""
    not_promised: str = ""
    """What the sandbox does not keep a bot from; empty where it holds."""


class Way(Struct, frozen=True):
    """One way to misbehave."""

    usual: Outcome
    limits: LimitsInfo = PATIENT
    attempt: bool = False
    """The bot says on standard error what it managed."""
    but: dict[str, Outcome] = {}
    """What is different in some sandboxes, by their name."""

    @property
    def games(self) -> int:
        """Two where a game costs no time: the bot is started again for the second."""
        return 2 if self.limits is PATIENT else 1

    def outcome(self, sandbox: str) -> Outcome:
        """Return what follows in a sandbox."""
        return self.but.get(sandbox, self.usual)


def _faults(cause: Cause, limits: LimitsInfo = PATIENT, **details: str) -> dict[str, Way]:
    return {name: Way(Outcome(cause, detail), limits) for name, detail in details.items()}


def _allowed(*names: str, **but: Outcome) -> dict[str, Way]:
    return {name: Way(Outcome(), but=but) for name in names}


def _attempts(*names: str, **but: Outcome) -> dict[str, Way]:
    return {name: Way(Outcome(), attempt=True, but=but) for name in names}


def _works(what: str) -> Outcome:
    return Outcome(works=True, not_promised=what)


def _not_tried(what: str) -> Outcome:
    return Outcome(tried=False, not_promised=what)


def _unless_grouped(otherwise: Outcome, grouped: Outcome | None = None) -> Outcome:
    """Return what follows where there are no control groups, and what where there are."""
    if not GROUPED:
        return otherwise
    return grouped or Outcome(otherwise.cause, otherwise.detail)


_KILLED = Outcome(Cause.CRASH, "the program was killed by SIGKILL")
_NO_FIFOS = Outcome(tried=False)
_DAEMON = "A process that leaves the process group of its bot outlives the match"
_USER = "A bot may do all that your user may: read, write, fill disks, signal, connect"
_TREE = "The memory of a bot's processes taken together is not capped"
_SHARED = "Memory that processes can share is not capped"
_SEGMENTS = "A System V memory segment of a bot outlives it"
_COUNT = "The number of a bot's processes and threads is not capped"
_INODES = "The number of files in `/tmp` is not capped, and each takes some of the machine's memory"

ODD = {
    **_allowed(
        "has_a_name_of_html_terminal_codes_and_dots",
        "writes_one_byte_at_a_time",
        "ends_its_lines_with_crlf",
        "puts_blanks_around_its_lines",
        "writes_unicode_line_separators",
        "adds_unknown_fields",
        "writes_a_line_of_65536_bytes",
        "says_ready_in_two_parts",
        "says_more_in_its_ready",
        "answers_its_latest_request_first",
        "fills_its_standard_error",
        "closes_its_standard_error",
        "has_a_helper_that_stays",
        "does_not_end_after_bye",
    ),
    **_allowed(
        "has_a_daemon_that_holds_its_pipes",
        "has_a_daemon_without_its_pipes",
        process=_unless_grouped(Outcome(stays=True, not_promised=_DAEMON)),
    ),
}
LINES = {
    **_faults(
        Cause.ILLEGAL_ACTION,
        bids_more_dice_than_there_are="no bid goes above that (OVER-TOTAL)",
        bids_nothing="a die has no face 0 (SETUP)",
        bids_a_face_of_4300_digits="a die has no face 999",
        doubts_the_opening="there is no bid to doubt yet (DUDO)",
        calls_calza_in_its_turn="calza is no answer to a turn",
    ),
    **_faults(
        Cause.MALFORMED_LINE,
        prints_before_it_is_ready="not valid JSON",
        claims_to_speak_another_protocol="$.protocol",
        announces_no_game_at_a_time="$.concurrent_games",
        announces_minus_one_game_at_a_time="$.concurrent_games",
        announces_a_billion_games_at_a_time="$.concurrent_games",
        announces_true_games_at_a_time="$.concurrent_games",
        answers_before_it_is_ready="`type` is missing",
        is_ready_twice="`id`",
        answers_what_is_not_yet_asked="answers request 999999, but that is not open",
        answers_a_request_that_never_was="answers request 999999, but that is not open",
        answers_a_request_of_4300_digits="answers request 999",
        answers_an_old_request="answers request",
        answers_twice="answers request",
        answers_twice_in_one_write="answers request",
        prints_its_thoughts="let me think ...'",
        writes_terminal_codes=r"\x1b[2J\x1b]0;",
        writes_invalid_utf_8="not valid UTF-8",
        writes_a_nul_byte="Invalid control character",
        writes_a_byte_order_mark="BOM",
        writes_a_lone_surrogate="a lone surrogate",
        writes_a_lone_surrogate_as_bytes="not valid UTF-8",
        opens_60000_brackets="nested too deeply",
        nests_30000_brackets="nested too deeply",
        writes_60000_digits="not valid JSON",
        writes_1e400="a number too large for a float",
        writes_nan="NaN is not JSON",
        writes_minus_infinity="-Infinity is not JSON",
        writes_a_key_twice="'action' stands twice",
        writes_a_key_twice_by_an_escape="'action' stands twice",
        writes_a_float_for_a_whole_number="$.quantity",
        writes_a_bool_for_a_whole_number="$.quantity",
        writes_a_string_for_a_whole_number="$.quantity",
        writes_a_negative_number="$.quantity",
        writes_an_array="not a JSON object",
        writes_null="not a JSON object",
        writes_an_empty_line="not valid JSON",
        writes_two_values_on_a_line="Extra data",
        writes_an_unknown_action="$.action",
    ),
    **_faults(
        Cause.FLOOD,
        floods_before_it_is_ready="more than 65536 bytes",
        floods_its_output_without_a_newline="more than 65536 bytes",
        floods_its_output_after_its_answer="more than 65536 bytes",
        writes_a_line_too_long="more than 65536 bytes",
    ),
}
SILENCE = {
    **_faults(Cause.TIMEOUT, LATE, hangs_before_it_is_ready="not ready within 3 s"),
    **_faults(
        Cause.TIMEOUT,
        HASTY,
        hangs_in_its_turn="no answer within 0.5 s",
        hangs_after_an_answer="no answer within 0.5 s",
        loops_without_an_end="no answer within 0.5 s",
        writes_half_a_line_and_hangs="no answer within 0.5 s",
        writes_a_line_that_never_ends="no answer within 0.5 s",
        floods_its_standard_error="no answer within 0.5 s",
        ignores_every_signal="no answer within 0.5 s",
        does_not_read="no answer within 0.5 s",
        closes_its_input="no answer within 0.5 s",
    ),
    # A container's keeper must not be stopped, so nobody may stop anybody.
    "stops_itself": Way(
        Outcome(Cause.TIMEOUT, "no answer within 0.5 s"),
        HASTY,
        but={"docker": Outcome(Cause.CRASH, "the program ended with exit code 1")},
    ),
    # The launcher of bubblewrap holds the pipe, too: it looks like silence.
    "closes_its_output": Way(
        Outcome(Cause.TIMEOUT, "no answer within 0.5 s"),
        HASTY,
        but={"process": Outcome(Cause.CRASH, "it closed its output")},
    ),
}
ENDINGS = {
    **_faults(
        Cause.CRASH,
        exits_at_once="the program ended with exit code 3",
        exits_when_greeted="the program ended with exit code 0",
        exits_with_0_in_mid_game="the program ended with exit code 0",
        exits_with_255_in_mid_game="the program ended with exit code 255",
        exits_with_a_code_of_no_signal="the program ended with exit code 168",
        exits_after_an_answer="the program ended with exit code 4",
        exits_after_half_a_line="the program ended with exit code 0",
        exits_with_all_its_games_under_way="the program ended with exit code 6",
        raises_an_exception="the program ended with exit code 1",
        crashes_with_a_segmentation_fault="the program was killed by SIGSEGV",
        aborts="the program was killed by SIGABRT",
        kills_itself="the program was killed by SIGKILL",
        exits_and_leaves_a_helper_with_its_pipes="the program ended with exit code 5",
    ),
    **{
        name: Way(
            Outcome(Cause.CRASH, "the program ended with exit code 5"),
            but={
                "process": _unless_grouped(
                    Outcome(
                        Cause.CRASH,
                        "the program ended with exit code 5",
                        stays=True,
                        not_promised=_DAEMON,
                    )
                )
            },
        )
        for name in (
            "exits_and_leaves_a_daemon_with_its_pipes",
            "exits_and_leaves_a_daemon_without_its_pipes",
        )
    },
}
GREED = {
    "forks_without_an_end": Way(
        Outcome(Cause.TIMEOUT, "no answer within 1 s"), CROWDED, but={"process": _not_tried(_COUNT)}
    ),
    **_attempts(
        "starts_200_processes", "starts_200_threads", process=_unless_grouped(_works(_COUNT))
    ),
    **_attempts("kills_every_process", docker=_KILLED, process=_not_tried(_USER)),
    **_attempts("takes_twice_its_memory"),
    **_faults(Cause.CRASH, runs_out_of_memory="the program ended with exit code 1"),
    **_attempts(
        "takes_twice_its_memory_in_children",
        bubblewrap=_unless_grouped(_works(_TREE)),
        process=_unless_grouped(_works(_TREE)),
    ),
    **_attempts(
        "takes_twice_its_memory_by_a_shared_mapping",
        docker=_KILLED,
        bubblewrap=_unless_grouped(Outcome(), _KILLED),
        process=_unless_grouped(_works(_SHARED), _KILLED),
    ),
    **_attempts(
        "takes_twice_its_memory_by_system_v",
        docker=_KILLED,
        bubblewrap=_unless_grouped(Outcome(), _KILLED),
        process=_not_tried(_SEGMENTS),
    ),
    **_attempts(
        "takes_twice_its_memory_by_memfd",
        docker=_KILLED,
        bubblewrap=_unless_grouped(Outcome(), _KILLED),
        process=_unless_grouped(_works(_SHARED), _KILLED),
    ),
    **_attempts("opens_200_files", "writes_a_file_too_large"),
    **_attempts("fills_every_folder", process=_not_tried(_USER)),
    **_attempts("makes_5000_files", bubblewrap=_works(_INODES), process=_not_tried(_USER)),
}
REACH = {
    **_attempts(
        "reads_the_program_of_a_rival",
        "reads_the_store",
        "reads_the_environment_of_the_arena",
        "looks_at_other_processes",
        "signals_the_arena",
        "reads_what_other_processes_hold",
        "traces_another_process",
        "connects_to_the_machine",
        "asks_a_name_server",
        process=_works(_USER),
    ),
    **_attempts(
        "becomes_root",
        "mounts_a_file_system",
        "makes_a_device",
        "makes_a_user_namespace",
        "changes_its_root",
        "sets_the_clock",
        "tries_back_doors_of_the_kernel",
        "opens_a_raw_socket",
        process=_not_tried(_USER),
    ),
    **_attempts("writes_into_the_folder_of_its_fifos", bubblewrap=_NO_FIFOS, process=_NO_FIFOS),
    **_attempts("types_into_the_terminal"),
}
CHAPTERS = {
    "Strange, but allowed": ODD,
    "What it says": LINES,
    "Silence": SILENCE,
    "Its end": ENDINGS,
    "Greed": GREED,
    "Reaching out": REACH,
}
"""The chapters of the page."""
WAYS = {name: way for chapter in CHAPTERS.values() for name, way in chapter.items()}
TRIED = [
    (name, sandbox)
    for sandbox in SANDBOXES
    for name, way in WAYS.items()
    if way.outcome(sandbox).tried
]
"""What the tests run: ways and sandboxes."""
