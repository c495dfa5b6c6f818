"""Bots that misbehave, each in its own way: what they do instead of an answer, and what follows."""

from msgspec import Struct

from arena.records import Cause

# A bot that plays well until `act` is called, which is in its first turn unless it says otherwise.
FRAME = '''
import fcntl, json, os, signal, subprocess, sys, threading, time
out = sys.stdout.buffer
turns = games = 0

def say(text, end=b"\\n"):
    out.write(text.encode("utf-8", "surrogateescape") + end)
    out.flush()

def legal(m, **more):
    r = m["raises"]
    bid = {"action": "bid", "quantity": r[0]["min"], "face": r[0]["face"]} if r else {}
    return json.dumps({"id": m["id"], **(bid or {"action": "dudo"}), **more})

def answer(m, end=b"\\n", **more):
    say(legal(m, **more), end)

def hang():
    while True:
        signal.pause()

def ready(m):
    say('{"type":"ready"}')

def act(m):
    answer(m)

def offer(m):
    say(json.dumps({"id": m["id"], "action": "pass"}))

def told(m):
    pass
''' + "{body}" + '''
for line in sys.stdin:
    m = json.loads(line)
    kind = m["type"]
    if kind == "hello":
        ready(m)
    elif kind == "turn":
        act(m)
    elif kind == "calza":
        offer(m)
    else:
        told(m)
'''  # fmt: skip


class Way(Struct):
    """One way to misbehave."""

    body: str
    """Python that replaces parts of the frame."""
    cause: Cause
    detail: str
    """What the author reads must hold this."""


def program(body: str) -> str:
    return FRAME.replace("{body}", body)


def ways(cause: Cause, **found: tuple[str, str]) -> dict[str, Way]:
    return {name: Way(body, cause, detail) for name, (body, detail) in found.items()}


def turn(statement: str) -> str:
    return f"def act(m): {statement}\n"


def start(statement: str) -> str:
    return f"def ready(m): {statement}\n"


HANGS = ways(
    Cause.TIMEOUT,
    sleeps_for_ever=(turn("hang()"), "no answer within 1 s"),
    says_half_a_line=(turn("answer(m, b''); hang()"), "no answer within 1 s"),
    stops_itself=(turn("os.kill(os.getpid(), signal.SIGSTOP)"), "no answer within 1 s"),
    ignores_signals=(
        "for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n" + turn("hang()"),
        "no answer within 1 s",
    ),
    writes_dots_for_ever=(
        turn("[say('.', b'') or time.sleep(0.01) for _ in iter(int, 1)]"),
        "no answer within 1 s",
    ),
)
CRASHES = ways(
    Cause.CRASH,
    exits_at_once=("sys.exit(3)\n", "the program ended with exit code 3"),
    ends_at_hello=(start("sys.exit(0)"), "the program ended with exit code 0"),
    ends_in_a_turn=(turn("sys.exit(7)"), "the program ended with exit code 7"),
    ends_with_an_odd_code=(turn("os._exit(128 + 40)"), "exit code 168"),
    ends_with_the_highest_code=(turn("os._exit(255)"), "exit code 255"),
    raises=(turn("1 / 0"), "the program ended with exit code 1"),
    is_killed=(turn("os.kill(os.getpid(), signal.SIGKILL)"), "killed by SIGKILL"),
    aborts=(turn("os.abort()"), "killed by SIGABRT"),
    ends_with_half_a_line=(turn("say('{', b''); os._exit(0)"), "exit code 0"),
    leaves_a_helper_that_holds_the_pipes=(
        turn("(os.fork() or hang()) and os._exit(5)"),
        "the program ended with exit code 5",
    ),
    leaves_a_double_forked_helper=(
        turn("(os.fork() or os.setsid() and (os.fork() or hang())) and os._exit(5)"),
        "the program ended with exit code 5",
    ),
)
ILLEGAL = ways(
    Cause.ILLEGAL_ACTION,
    bids_too_high=(
        turn("""say(json.dumps({"id": m["id"], "action": "bid", "quantity": 99, "face": 2}))"""),
        "no bid goes above that (OVER-TOTAL)",
    ),
    bids_nothing=(
        turn("""say(json.dumps({"id": m["id"], "action": "bid"}))"""),
        "a die has no face 0 (SETUP)",
    ),
    bids_a_face_without_end=(
        turn("""say('{"id":%d,"action":"bid","quantity":1,"face":%s}' % (m["id"], "9" * 4300))"""),
        "a die has no face 999",
    ),
    doubts_the_opening=(
        turn("""answer(m) if m["dudo"] else say('{"id":%d,"action":"dudo"}' % m["id"])"""),
        "there is no bid to doubt yet (DUDO)",
    ),
    calls_calza_in_its_turn=(
        turn("""say('{"id":%d,"action":"calza"}' % m["id"])"""),
        "calza is no answer to a turn",
    ),
)
MALFORMED = ways(
    Cause.MALFORMED_LINE,
    is_ready_for_another_protocol=(
        start("""say('{"type":"ready","protocol":2}')"""),
        "$.protocol",
    ),
    is_not_ready_but_answers=(start("""say('{"id":1,"action":"dudo"}')"""), "type"),
    prints_its_thoughts=(turn("say('thinking ...')"), "'thinking ...'"),
    answers_another_request=(
        turn("""say('{"id":999999,"action":"dudo"}')"""),
        "answers request 999999, but",
    ),
    answers_with_an_id_without_end=(
        turn("""say('{"id":%s,"action":"dudo"}' % ("9" * 4300))"""),
        "answers request 999",
    ),
    answers_twice=(turn("answer(m, b''); say(''); answer(m)"), "answers request"),
    answers_twice_at_once=(
        turn("""say(('{"id":%d,"action":"bid","quantity":1,"face":2}' % m["id"] + "\\n") * 2)"""),
        "answers request",
    ),
    speaks_unasked=(
        start("""say('{"type":"ready"}\\n{"id":999999,"action":"dudo"}')"""),
        "answers request 999999, but",
    ),
    is_ready_twice=(start("""say('{"type":"ready"}\\n{"type":"ready"}')"""), "`id`"),
    writes_garbage=(turn("say('\\udcff\\udcfe\\udc80')"), "not valid UTF-8"),
    writes_terminal_codes=(turn("say('\\x1b[2J')"), r"\x1b[2J"),
    writes_an_empty_line=(turn("say('')"), "not valid JSON"),
    nests_deeply=(
        turn("""say('{"id":%d,"action":"dudo","x":%s}' % (m["id"], "[" * 5000 + "]" * 5000))"""),
        "nested too deeply",
    ),
)
FLOODS = ways(
    Cause.FLOOD,
    floods_without_a_newline=(turn("[say('x' * 999, b'') for _ in iter(int, 1)]"), "65536 bytes"),
    says_a_line_too_long=(turn("answer(m, x='y' * 65536)"), "65536 bytes"),
    floods_before_it_is_ready=(start("[say('x' * 999, b'') for _ in iter(int, 1)]"), "65536"),
)
WAYS = HANGS | CRASHES | ILLEGAL | MALFORMED | FLOODS
