"""Mistakes in Python."""

from arena.game.records import LimitsInfo
from tests.author.check.bots import HASTY, PATIENT
from tests.author.check.mistakes.mistake import Make, Mistake, Table, folder_of
from tests.support.bot_programs import program, start, turn
from tests.support.live import PYTHON

Rows = dict[str, tuple[str, str, str, str]]
"""The body of a bot, the step that finds the mistake, what it says, and how to mend it."""
SLOW_TO_ANSWER = LimitsInfo(PATIENT.start, HASTY.answer, game=600.0, wall=HASTY.wall)
ONE_START = LimitsInfo(3.0, PATIENT.answer, game=600.0)
"""For bots that miss one `hello` of many."""
_BY_READS = """
while True:
    m = json.loads(os.read(0, 65536))
    ready(m) if m["type"] == "hello" else act(m)
"""
_RUNNING: Rows = {
    "a syntax error": ("def (\n", "start", "ended with exit code 1", "line that the traceback"),
    "a missing package": (
        "import no_such_package\n",
        "start",
        "ended with exit code 1",
        "no package 'no_such_package'; if the name is right, `arena help languages` says",
    ),
    "too much memory": (
        start("bytearray(2**30)"),
        "start",
        "ended with exit code 1",
        "a bot may use 512 MiB",
    ),
    "too large a file": (
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        + start("os.truncate(os.memfd_create('doubly mapped'), 2**41)"),
        "start",
        "killed by SIGXFSZ",
        "a file may have 16 MiB at most; .NET before 10: ",
    ),
    "a breakpoint": (start("breakpoint()"), "start", "not valid JSON", "remove breakpoint()"),
    "a word for ready": (start("say('ready')"), "start", "'ready'", '{"type": "ready"}'),
    "talk on standard output": (start("say('I am here')"), "start", "'I am here'", "nothing but"),
    "an answer in UTF-16": (
        """def ready(m): out.write('{"type":"ready"}\\n'.encode('utf-16')); out.flush()\n""",
        "start",
        "not valid UTF-8, but UTF-16",
        "write UTF-8",
    ),
    "no type": (start("say('{}')"), "start", "missing `type`", '{"type": "ready"}'),
    "an exception in a turn": (
        turn("m['dices']"),
        "first turn",
        "exit code 1",
        "`turn`, has no 'dices'; did you mean 'dice'?",
    ),
    "a wrong id": (
        turn("say(legal({**m, 'id': m['id'] + 70}))"),
        "first turn",
        "id 71 is not open; open: 1 (turn)",
        "with its `id`",
    ),
    "an answer to news": (
        "def told(m): answer({'id': 0, 'raises': 0})\n",
        "first game",
        "id 0 is not open; open: ",
        "answer nothing else",
    ),
    "a bare number": (
        turn("say('3')"),
        "first turn",
        "not a JSON object: '3'",
        'answer `turn` as with {"id": 1, "action": "bid", "quantity": 1, "face": 2}',
    ),
    "wrong fields": (
        turn("""say('{"id": %d, "action": "bid", "count": 1, "value": 2}' % m["id"])"""),
        "first turn",
        "the bid has no quantity and no face; it has count, value",
        '"quantity": 1, "face": 2',
    ),
    "raise for bid": (
        turn("""say('{"id": %d, "action": "raise"}' % m["id"])"""),
        "first turn",
        "unknown action 'raise' (did you mean 'bid'?)",
        "",
    ),
    "a bid too high": (
        turn("""say('{"id": %d, "action": "bid", "quantity": 99, "face": 2}' % m["id"])"""),
        "first turn",
        "illegal_action: ",
        "every legal bid in `raises`",
    ),
    "the id of a notice": (
        "def told(m): say(json.dumps({'id': m['id'], 'action': 'pass'}))\n",
        "first game",
        "exit code 1",
        "`round_end`, has no 'id': look at `type` first",
    ),
    "ids that are counted": (
        "import itertools\ncount = itertools.count(1)\n" + turn("answer({**m, 'id': next(count)})"),
        "first turn",
        "id 2 is not open; open: 3 (turn)",
        "3 is asked: answer each turn",
    ),
    "a number of numpy": (
        turn("json.dumps({'id': m['id'], 'face': {2}})"),
        "first turn",
        "exit code 1",
        "json.dumps writes no set: write int(...)",
    ),
    "a list as a key": (
        turn("{m['raises'][0]['face']: 1, m['dice']: 2}"),
        "first turn",
        "exit code 1",
        "may not be a list: make it a tuple",
    ),
    "raises of the same round of another game": (
        "known = {}\n" + turn("answer({**m, 'raises': known.setdefault(m['round'], m['raises'])})"),
        "first turn",
        "illegal_action: ",
        "no earlier one counts",
    ),
    "half of a bid rounded down in pacos": (
        """
def act(m):
    *_, last = [{"face": 1}, *m["bids"]]
    half = [{"face": 1, "min": last["quantity"] // 2}] if last["face"] > 1 else []
    answer({**m, "raises": half or m["raises"]})
""",
        "first game",
        "illegal_action: ",
        "half of ",
    ),
    "a path of Windows": (
        "open('C:\\\\bots\\\\odds.json')\n",
        "start",
        "exit code 1",
        "is a path of Windows: put the file into the bot's folder",
    ),
    "a thread that does not end": (
        "threading.Thread(target=time.sleep, args=(60,)).start()\n",
        "end of input",
        "it did not exit",
        "daemon=True",
    ),
    "an end after a game": (
        "def told(m): m['type'] != 'game_end' or sys.exit()\n",
        "news",
        "ended with exit code 0",
        "read on in a loop, after a game too, until `bye`",
    ),
    "no move for four": (turn("len(m['alive']) < 4 or 1 / 0; answer(m)"), "tables", "crash", ""),
    "no move in palifico": (
        turn("m['palifico_seat'] is None or 1 / 0; answer(m)"),
        "palifico",
        "crash",
        "",
    ),
    "the same answers only alone": (
        start("""say('{"type": "ready", "concurrent_games": 8}')""")
        + "said = 0\n"
        + "def act(m):\n"
        + "    global said\n"
        + "    said += 1\n"
        + "    if m['dudo'] and said % 3:\n"
        + "        m = {'id': m['id'], 'raises': 0}\n"
        + "    answer(m)\n",
        "concurrency",
        "answers differ from those one at a time",
        "keep memory per game",
    ),
    "unknown fields": (
        turn("'x_later' not in m or 1 / 0; answer(m)"),
        "unknown fields",
        "crash",
        "",
    ),
    "faults of rivals": ("def told(m): m['type'] != 'fault' or 1 / 0\n", "news", "crash", ""),
    "a file in its folder": (
        turn("open('log.txt', 'a').write('x'); answer(m)"),
        "own folder",
        "it wrote to its own folder: log.txt",
        "write to /tmp",
    ),
    "no end": (
        "import atexit; atexit.register(hang)\n",
        "end of input",
        "did not exit after `bye`",
        "when a read says",
    ),
    "every message taken for a turn": (
        "def ready(m): m['dice']\n",
        "start",
        "exit code 1",
        "`hello`, has no 'dice': look at `type` first",
    ),
    "the last bid of an opening": (
        turn("m['bids'][-1]"),
        "first turn",
        "exit code 1",
        "note that here `bids` is empty: it opens the round",
    ),
    "the face of no last bid": (
        turn("last = m['bids'][-1] if m['bids'] else None; last['face']; answer(m)"),
        "first turn",
        "exit code 1",
        "note that here `bids` is empty: it opens the round",
    ),
    "the least of no raises": (
        turn("min(r['min'] for r in m['raises']); answer(m)"),
        "last raise",
        "exit code 1",
        "note that here `raises` is empty: it can only doubt",
    ),
    "counting dice that are not shown": (
        turn("m['bids'] and sum(m['dice_counts']); answer(m)"),
        "first turn",
        "exit code 1",
        "`dice_counts` is null: lost dice are not visible",
    ),
    "a recursion without an end": (
        "def deeper(): deeper()\n" + turn("deeper()"),
        "first turn",
        "exit code 1",
        "it calls itself without an end",
    ),
    "an end after the first answer": (
        turn("answer(m); sys.exit()"),
        "first turn",
        "ended with exit code 0",
        "read on in a loop",
    ),
    "an end without a word": (
        start("os._exit(3)"),
        "start",
        "ended with exit code 3",
        "it wrote nothing to standard error: repeat it without the arena",
    ),
    "a dictionary for JSON": (
        turn("say(str({'id': m['id'], 'action': 'dudo'}))"),
        "first turn",
        "not valid JSON",
        "Python's own notation: write it with json.dumps",
    ),
    "JSON in JSON": (
        turn("say(json.dumps(legal(m)))"),
        "first turn",
        "not a JSON object",
        "encode the answer once",
    ),
    "bytes for text": (
        turn("say(str(legal(m).encode()))"),
        "first turn",
        "not valid JSON",
        "bytes in Python's own notation: decode them",
    ),
    "JSON in many lines": (
        turn("say(json.dumps(json.loads(legal(m)), indent=2))"),
        "first turn",
        "not valid JSON",
        "write the answer in one line",
    ),
    "a prompt": (
        turn("out.write(b'your move> '); answer(m)"),
        "first turn",
        "not valid JSON",
        "print nothing but answers to standard output",
    ),
    "an answer in Latin-1": (
        turn("out.write(legal(m, note='caf?').replace('?', chr(233)).encode('latin-1')); say('')"),
        "first turn",
        "not valid UTF-8",
        "write UTF-8",
    ),
    "a byte order mark": (
        start("""say('\\ufeff{"type": "ready"}')"""),
        "start",
        "not valid JSON: Unexpected UTF-8 BOM",
        "without a byte order mark",
    ),
    "two answers": (
        turn("answer(m); answer(m)"),
        "first turn",
        "id 1 is not open",
        "answer each turn and calza once",
    ),
    "no id": (
        turn("""say('{"action": "dudo"}')"""),
        "first turn",
        "missing required field `id`",
        'as in {"id": 1, "action": "bid"',
    ),
    "a text for a number": (
        turn("""say('{"id": %d, "action": "bid", "quantity": "1", "face": 2}' % m["id"])"""),
        "first turn",
        "quantity",
        'as in {"id": 1, "action": "bid", "quantity": 1',
    ),
    "a fraction": (
        turn("""say('{"id": %d, "action": "bid", "quantity": 1.0, "face": 2}' % m["id"])"""),
        "first turn",
        "quantity",
        '"quantity": 1, "face": 2}',
    ),
    "an action in capitals": (
        turn("""say('{"id": %d, "action": "DUDO"}' % m["id"])"""),
        "first turn",
        "unknown action 'DUDO'",
        "",
    ),
    "a key that comes twice": (
        turn("""say('{"id": %d, "id": %d, "action": "dudo"}' % (m["id"], m["id"]))"""),
        "first turn",
        "duplicate",
        "",
    ),
    "a doubt of nothing": (
        turn("""say('{"id": %d, "action": "dudo"}' % m["id"])"""),
        "first turn",
        "there is no bid to doubt yet",
        "`dudo` says whether you may doubt",
    ),
    "a bid that is no raise": (
        turn("""say('{"id": %d, "action": "bid", "quantity": 1, "face": 2}' % m["id"])"""),
        "first turn",
        "illegal_action: ",
        "every legal bid in `raises`",
    ),
    "a seventh face": (
        turn("""say('{"id": %d, "action": "bid", "quantity": 1, "face": 7}' % m["id"])"""),
        "first turn",
        "a die has no face 7",
        "every legal bid in `raises`",
    ),
    "too many games at a time": (
        start("""say('{"type": "ready", "concurrent_games": 5000}')"""),
        "start",
        "concurrent_games",
        "",
    ),
    "another protocol": (
        start("""say('{"type": "ready", "protocol": 2}')"""),
        "start",
        "protocol",
        "",
    ),
    "the environment of a shell": (
        "os.environ['USER']\n",
        "start",
        "exit code 1",
        "a bot's environment has PATH, LANG, HOME, TMPDIR, OPENBLAS_NUM_THREADS and nothing of",
    ),
    "a file of one's home": (
        "open('/home/me/weights.txt')\n",
        "start",
        "exit code 1",
        "the sandbox has no /home/me/weights.txt: put the file into the bot's folder",
    ),
    "a file with a near name": (
        "open('bott.yaml')\n",
        "start",
        "exit code 1",
        "has no file 'bott.yaml'; did you mean 'bot.yaml'?",
    ),
    "a package that is misspelt": (
        "import nunpy\n",
        "start",
        "exit code 1",
        "the sandbox has no package 'nunpy'; did you mean 'numpy'?",
    ),
    "a module that is misspelt": (
        "import rendom\n",
        "start",
        "exit code 1",
        "did you mean 'random'?",
    ),
    "too many files": (
        "files = [open('/dev/null') for _ in range(300)]\n",
        "start",
        "exit code 1",
        "a bot may have 256 files open at a time",
    ),
    "the network": (
        "import socket; socket.create_connection(('127.0.0.1', 1))\n",
        "start",
        "exit code 1",
        "a bot has no network",
    ),
    "more than a line read at once": (
        _BY_READS,
        "first game",
        "exit code 1",
        "Read a line at a time: `for line in sys.stdin`",
    ),
}
_LATE: Rows = {
    "no flush of ready": (
        """def ready(m): print('{"type": "ready"}')\n""",
        "start",
        'blocked reading; after its input was closed it wrote \'{"type": "ready"}\'',
        "Flush standard output after every line",
    ),
    "reading to the end of input": (
        """sys.stdin.read(); say('{"type": "ready"}')\n""",
        "start",
        "not ready within 0.5 s; no line came",
        "Read a line at a time: `for line in sys.stdin`, not sys.stdin.read()",
    ),
    "no newline": (
        """def ready(m): say('{"type": "ready"}', b'')\n""",
        "start",
        "with no newline at its end",
        "newline",
    ),
    "no ready": (start("pass"), "start", "not ready within 0.5 s", '{"type": "ready"}'),
    "a loop before ready": (
        "while True: pass\n",
        "start",
        "not ready within 0.5 s; after",
        "look for a loop that takes long or never ends, before it answers hello",
    ),
    "a slow start": ("time.sleep(2)\n", "start", "not ready within 0.5 s; its line came after", ""),
}
_NO_ANSWER: Rows = {
    "no flush of an answer": (
        turn("print(legal(m))"),
        "first turn",
        "open: 1 (turn); no line came and it is blocked reading",
        "Flush standard output",
    ),
    "an error that is passed over": (
        """
def act(m):
    try:
        m["bids"][-1]
        answer(m)
    except Exception:
        pass
""",
        "first turn",
        "it sleeps, and wrote nothing",
        "`bids` is empty: it opens the round; if it catches errors",
    ),
    "no answer": (turn("pass"), "first turn", "it sleeps", 'answer every turn, as with {"id": 1'),
    "a slow answer": (
        turn("time.sleep(1.5); answer(m)"),
        "first turn",
        "; its line came after",
        "think less",
    ),
    "a loop in a turn": (
        turn("while_true(m)") + "def while_true(m):\n    while True: pass\n",
        "first turn",
        "it is still busy",
        "before it answers turn",
    ),
    "no answer to calza": (
        start("""say('{"type": "ready", "calza": true}')""") + "def offer(m): pass\n",
        "calza",
        "(calza)",
        "answer calza with calza or pass",
    ),
}
_BY_PREFIX = """
import json, sys
for line in sys.stdin:
    if line.startswith('{"type":"hello"'):
        print('{"type":"ready"}', flush=True)
    elif line.startswith('{"type":"turn"'):
        m = json.loads(line)
        print(json.dumps({"id": m["id"], "action": "bid", "quantity": 1, "face": 2}), flush=True)
"""


def _python(body: str, command: str = PYTHON, **files: str) -> Make:
    """Return a good bot with a part replaced; `files` are others, by name without `.py`."""
    others = {f"{name}.py": text for name, text in files.items()}
    return folder_of({"bot.py": program(body), **others}, f"command: {command}\n")


def _rows(rows: Rows, limits: LimitsInfo = PATIENT) -> Table:
    return {
        name: Mistake(_python(body), step, what, mend, limits)
        for name, (body, step, what, mend) in rows.items()
    }


_PLAIN = "python3 bot.py"
"""Without -I, which leaves the bot's folder out of the search for modules."""
_FILES: Table = {
    "a relative import": Mistake(
        _python("from .helper import x\n", helper="x = 1\n"),
        "start",
        "exit code 1",
        "it is started as a program: import `helper`, without the dot",
    ),
    "a file that hides a module, and prints": Mistake(
        _python("import random\n", _PLAIN, random="print(4, flush=True)\n"),
        "start",
        "not a JSON object: '4'",
        "note that random.py hides the module of Python",
    ),
    "a file that hides a module": Mistake(
        _python("import random; random.choice\n", _PLAIN, random="x = 1\n"),
        "start",
        "exit code 1",
        "random.py hides the module of Python: rename it",
    ),
    "a module with a near name": Mistake(
        _python("import helpers\n", _PLAIN, helper="x = 1\n"),
        "start",
        "exit code 1",
        "has no module 'helpers'; did you mean 'helper'?",
    ),
    "a module in another folder": Mistake(
        folder_of(
            {"src/bot.py": "from lib.helper import x\n", "lib/helper.py": "x = 1\n"},
            "command: python3 src/bot.py\n",
        ),
        "start",
        "exit code 1",
        "lib/helper.py is there, but Python looks beside the program",
    ),
    "a program that is not there": Mistake(
        _python("", "python3 main.py"),
        "start",
        "exit code 2",
        "there is no file 'main.py'; the bot's folder has bot.py",
    ),
    "a program by its path at home": Mistake(
        _python("", "python3 /home/me/bot.py"),
        "start",
        "exit code 2",
        "the sandbox has no /home/me/bot.py: name it relative to the bot's folder, as bot.py",
    ),
    "a program in Latin-1": Mistake(
        folder_of({"bot.py": b"# caf\xe9\n"}, f"command: {PYTHON}\n"),
        "start",
        "exit code 1",
        "save the file as UTF-8",
    ),
    "messages taken apart by their beginning": Mistake(
        folder_of({"bot.py": _BY_PREFIX}, f"command: {PYTHON}\n"),
        "unknown fields",
        "not ready within 3 s",
        "this step writes messages with other spacing, their fields in another order",
        ONE_START,
    ),
}
IN_PYTHON = {
    **_rows(_RUNNING),
    **_rows(_LATE, HASTY),
    **_rows(_NO_ANSWER, SLOW_TO_ANSWER),
    **_FILES,
}
