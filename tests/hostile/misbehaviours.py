"""Every misbehaviour, and its outcome in each sandbox."""

from arena.bots.sandboxes.registry import SANDBOXES
from arena.game.records import Cause, LimitsInfo
from tests.hostile.outcomes import (
    CGROUPS,
    CROWDED,
    DRAWN_OUT,
    HASTY,
    LATE,
    PATIENT,
    Misbehaviour,
    Outcome,
)


def _faults(cause: Cause, limits: LimitsInfo = PATIENT, **details: str) -> dict[str, Misbehaviour]:
    return {name: Misbehaviour(Outcome(cause, detail), limits) for name, detail in details.items()}


def _allowed(*names: str, **exceptions: Outcome) -> dict[str, Misbehaviour]:
    return {name: Misbehaviour(Outcome(), exceptions=exceptions) for name in names}


def _attempts(*names: str, **exceptions: Outcome) -> dict[str, Misbehaviour]:
    return {name: Misbehaviour(Outcome(), attempt=True, exceptions=exceptions) for name in names}


def _works(what: str) -> Outcome:
    return Outcome(works=True, not_promised=what)


def _not_tried(what: str) -> Outcome:
    return Outcome(tried=False, not_promised=what)


def _without_cgroups(otherwise: Outcome, with_cgroups: Outcome | None = None) -> Outcome:
    """Return the outcome without control groups, or the one with them if they limit bots here."""
    if not CGROUPS:
        return otherwise
    return with_cgroups or Outcome(otherwise.cause, otherwise.detail)


_KILLED = Outcome(Cause.CRASH, "the program was killed by SIGKILL")
_NO_FIFOS = Outcome(tried=False)
_DAEMON = "A process that leaves the process group of its bot survives the match"
_USER = "A bot may do all that your user may: read, write, fill disks, signal, connect"
_SIGNALS = "Two bots can signal each other by locks and counters"
_TREE = "The memory of a bot's processes together is not limited"
_SHARED = "Shared memory is not limited"
_SEGMENTS = "A System V memory segment of a bot outlives it"
_COUNT = "The number of a bot's processes and threads is not capped"
_INODES = "The number of files in `/tmp` is not capped, and each takes some of the machine's memory"

UNUSUAL = {
    **_allowed(
        "has_a_name_of_html_and_dots",
        "writes_one_byte_at_a_time",
        "ends_its_lines_with_crlf",
        "puts_spaces_around_its_lines",
        "writes_unicode_line_separators",
        "adds_unknown_fields",
        "writes_a_line_of_65536_bytes",
        "sends_ready_in_two_parts",
        "adds_unknown_fields_to_its_ready",
        "answers_its_latest_request_first",
        "fills_its_standard_error",
        "closes_its_standard_error",
        "has_a_child_that_never_exits",
        "does_not_exit_after_bye",
    ),
    **_allowed(
        "has_a_daemon_that_holds_its_pipes",
        "has_a_daemon_without_its_pipes",
        process=_without_cgroups(Outcome(survives=True, not_promised=_DAEMON)),
    ),
}
OUTPUT = {
    **_faults(
        Cause.ILLEGAL_ACTION,
        bids_more_dice_than_there_are="no bid goes above that (OVER-TOTAL)",
        bids_a_face_of_4300_digits="a die has no face 999",
        calls_dudo_on_the_opening="there is no bid to doubt yet (DUDO)",
        calls_calza_in_its_turn="calza is no answer to a turn",
    ),
    **_faults(
        Cause.MALFORMED_LINE,
        prints_before_it_is_ready="not valid JSON",
        announces_another_protocol="$.protocol",
        announces_zero_games_at_a_time="$.concurrent_games",
        announces_minus_one_game_at_a_time="$.concurrent_games",
        announces_a_billion_games_at_a_time="$.concurrent_games",
        announces_a_bool_of_games_at_a_time="$.concurrent_games",
        answers_before_it_is_ready="missing `type`",
        is_ready_twice="`id`",
        answers_before_it_is_asked="id 999999 is not open",
        answers_a_request_that_never_was="id 999999 is not open",
        answers_a_request_of_4300_digits="id 999",
        answers_an_old_request="is not open",
        answers_twice="is not open",
        answers_twice_in_one_write="is not open",
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
        duplicates_a_key="duplicate key 'action'",
        duplicates_a_key_by_an_escape="duplicate key 'action'",
        writes_a_float_for_a_whole_number="$.quantity",
        writes_a_bool_for_a_whole_number="$.quantity",
        writes_a_string_for_a_whole_number="$.quantity",
        writes_a_negative_number="$.quantity",
        writes_an_array="not a JSON object",
        writes_null="not a JSON object",
        writes_an_empty_line="not valid JSON",
        writes_two_values_on_a_line="Extra data",
        bids_nothing="the bid has no quantity and no face",
        writes_an_unknown_action="unknown action",
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
        loops_forever="no answer within 0.5 s",
        writes_half_a_line_and_hangs="no answer within 0.5 s",
        writes_a_line_that_never_ends="no answer within 0.5 s",
        floods_its_standard_error="no answer within 0.5 s",
        ignores_every_signal="no answer within 0.5 s",
        does_not_read="no answer within 0.5 s",
        closes_its_input="no answer within 0.5 s",
        stops_itself="no answer within 0.5 s",
    ),
    **_faults(
        Cause.TIMEOUT,
        DRAWN_OUT,
        takes_its_time_for_every_answer="for all answers of a fixture are used up",
    ),
    # bubblewrap's own process holds the pipe, too, so this looks like silence.
    "closes_its_output": Misbehaviour(
        Outcome(Cause.TIMEOUT, "no answer within 0.5 s"),
        HASTY,
        exceptions={"process": Outcome(Cause.CRASH, "it closed its output")},
    ),
}
ENDINGS = {
    **_faults(
        Cause.CRASH,
        exits_at_once="the program ended with exit code 3",
        exits_at_hello="the program ended with exit code 0",
        exits_with_0_in_mid_game="the program ended with exit code 0",
        exits_with_255_in_mid_game="the program ended with exit code 255",
        exits_with_the_code_of_an_unknown_signal="the program ended with exit code 168",
        exits_after_an_answer="the program ended with exit code 4",
        exits_after_half_a_line="the program ended with exit code 0",
        exits_during_all_its_games="the program ended with exit code 6",
        raises_an_exception="the program ended with exit code 1",
        crashes_with_a_segmentation_fault="the program was killed by SIGSEGV",
        aborts="the program was killed by SIGABRT",
        kills_itself="the program was killed by SIGKILL",
        exits_and_leaves_a_child_with_its_pipes="the program ended with exit code 5",
    ),
    **{
        name: Misbehaviour(
            Outcome(Cause.CRASH, "the program ended with exit code 5"),
            exceptions={
                "process": _without_cgroups(
                    Outcome(
                        Cause.CRASH,
                        "the program ended with exit code 5",
                        survives=True,
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
    "forks_forever": Misbehaviour(
        Outcome(Cause.TIMEOUT, "no answer within 1 s"),
        CROWDED,
        exceptions={"process": _not_tried(_COUNT)},
    ),
    **_attempts(
        "starts_200_processes", "starts_200_threads", process=_without_cgroups(_works(_COUNT))
    ),
    **_attempts("kills_all_processes", process=_not_tried(_USER)),
    **_attempts("allocates_twice_its_memory"),
    **_faults(Cause.CRASH, runs_out_of_memory="the program ended with exit code 1"),
    **_attempts(
        "allocates_twice_its_memory_in_children",
        bubblewrap=_without_cgroups(_works(_TREE)),
        process=_without_cgroups(_works(_TREE)),
    ),
    **_attempts(
        "allocates_twice_its_memory_in_a_shared_mapping",
        docker=_KILLED,
        bubblewrap=_without_cgroups(Outcome(), _KILLED),
        process=_without_cgroups(_works(_SHARED), _KILLED),
    ),
    **_attempts(
        "allocates_twice_its_memory_by_system_v",
        docker=_KILLED,
        bubblewrap=_without_cgroups(Outcome(), _KILLED),
        process=_not_tried(_SEGMENTS),
    ),
    **_attempts(
        "allocates_twice_its_memory_by_memfd",
        docker=_KILLED,
        bubblewrap=_without_cgroups(Outcome(), _KILLED),
        process=_without_cgroups(_works(_SHARED), _KILLED),
    ),
    **_attempts("opens_200_files", "writes_a_file_too_large"),
    **_attempts("fills_every_folder", process=_not_tried(_USER)),
    **_attempts("makes_5000_files", bubblewrap=_works(_INODES), process=_not_tried(_USER)),
}
ESCAPE = {
    **_attempts(
        "reads_the_program_of_another_bot",
        "reads_the_store",
        "reads_the_environment_of_the_arena",
        "lists_other_processes",
        "signals_the_arena",
        "reads_the_memory_and_files_of_the_arena",
        "traces_another_process",
        "connects_to_the_machine",
        "queries_a_name_server",
        process=_works(_USER),
    ),
    **_attempts(
        "becomes_root",
        "mounts_a_file_system",
        "makes_a_device",
        "makes_a_user_namespace",
        "changes_its_root_directory",
        "sets_the_clock",
        "makes_dangerous_system_calls",
        "opens_a_raw_socket",
        process=_not_tried(_USER),
    ),
    **_attempts("writes_into_the_folder_of_its_fifos", bubblewrap=_NO_FIFOS, process=_NO_FIFOS),
    **_attempts("types_into_the_terminal", "imports_the_arena_and_its_packages"),
    **_attempts(
        "stops_its_supervisor",
        "writes_to_its_supervisor",
        "leaves_its_core",
        process=_not_tried(_USER),
    ),
    **_attempts(
        "signals_by_record_locks", "reads_what_the_kernel_counts", process=_works(_SIGNALS)
    ),
}
SECTIONS = {
    "Unusual, but allowed": UNUSUAL,
    "Its output": OUTPUT,
    "Silence": SILENCE,
    "Its end": ENDINGS,
    "Greed": GREED,
    "Escape": ESCAPE,
}
"""The sections of the page."""
MISBEHAVIOURS = {
    name: misbehaviour for section in SECTIONS.values() for name, misbehaviour in section.items()
}
CASES = [
    (name, sandbox)
    for sandbox in SANDBOXES
    for name, misbehaviour in MISBEHAVIOURS.items()
    if misbehaviour.outcome(sandbox).tried
]
"""All pairs of a misbehaviour and a sandbox that are tried."""
