"""Mistakes in JavaScript."""

from arena.game.records import LimitsInfo
from tests.author.check.bots import HASTY, PATIENT
from tests.author.check.mistakes.in_python import SLOW_TO_ANSWER
from tests.author.check.mistakes.mistake import Make, Mistake, Table, folder_of

# Functions in the body replace those above it.
_FRAME = """
function say(text, end = "\\n") { require("fs").writeSync(1, text + end); }
function legal(m) {
  const [r] = m.raises;
  return JSON.stringify(
    r ? { id: m.id, action: "bid", quantity: r.min, face: r.face } : { id: m.id, action: "dudo" });
}
function ready(m) { say('{"type":"ready"}'); }
function act(m) { say(legal(m)); }
function told(m) {}
{body}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const m = JSON.parse(line);
  ({ hello: ready, turn: act }[m.type] ?? told)(m);
});
"""


def _node(body: str, name: str = "bot.js", command: str = "", **files: str) -> Make:
    """Return a good bot with a part replaced; `files` are others, by name without `.js`."""
    others = {f"{one}.js": text for one, text in files.items()}
    program = {name: _FRAME.replace("{body}", body)}
    return folder_of({**program, **others}, f"command: {command or f'node {name}'}\n")


def _turn(statement: str) -> Make:
    return _node(f"function act(m) {{ {statement} }}\n")


def _row(make: Make, step: str, what: str, mend: str, limits: LimitsInfo = PATIENT) -> Mistake:
    return Mistake(make, step, what, mend, limits)


IN_JAVASCRIPT: Table = {
    "a syntax error": _row(_node("const = 1;"), "start", "exit code 1", "correct the line"),
    "a name that is not defined": _row(
        _turn("consol.log(1)"), "first turn", "exit code 1", "its standard error says why"
    ),
    "a file with a near name": _row(
        _node("require('./helpers')", helper=""),
        "start",
        "exit code 1",
        "there is no file 'helpers'; did you mean 'helper'?",
    ),
    "a package": _row(
        _node("require('lodash')"),
        "start",
        "exit code 1",
        "the sandbox has no module 'lodash': put node_modules into the bot's folder",
    ),
    "a program that is not there": _row(
        _node("", "index.js", "node bot.js"),
        "start",
        "exit code 1",
        "there is no file 'bot.js'; the bot's folder has index.js",
    ),
    "require in a module": _row(_node("", "bot.mjs"), "start", "exit code 1", "rename it to .cjs"),
    "import in what is no module": _row(
        _node("import 'node:fs';", "bot.cjs"), "start", "exit code 1", "rename it to .mjs"
    ),
    "TypeScript": _row(
        _node("const x: number = 1;", "bot.ts"),
        "start",
        "exit code 1",
        "compile it to .js",
    ),
    "an object for JSON": _row(
        _node("function ready() { console.log({ type: 'ready' }); }"),
        "start",
        "not valid JSON",
        "JavaScript's own notation: write it with JSON.stringify",
    ),
    "an object in a text": _row(
        _turn("say(`${m}`)"), "first turn", "not valid JSON", "write it with JSON.stringify"
    ),
    "an answer that is not defined": _row(
        _turn("console.log(undefined)"), "first turn", "not valid JSON", "JSON.stringify"
    ),
    "talk on standard output": _row(
        _turn("console.log('my turn'); say(legal(m))"),
        "first turn",
        "not valid JSON",
        "print nothing but answers to standard output",
    ),
    "the last bid of an opening": _row(
        _turn("m.bids.at(-1).quantity"),
        "first turn",
        "exit code 1",
        "note that here `bids` is empty: it opens the round",
    ),
    "the least of no raises": _row(
        _turn("m.raises.reduce((a, b) => (a.min < b.min ? a : b)); say(legal(m))"),
        "last raise",
        "exit code 1",
        "note that here `raises` is empty: it can only doubt",
    ),
    "a promise that is rejected": _row(
        _node("async function act(m) { throw new Error('no idea'); }"),
        "first turn",
        "exit code 1",
        "its standard error says why",
    ),
    "a recursion without an end": _row(
        _turn("act(m)"), "first turn", "exit code 1", "it calls itself without an end"
    ),
    "too much memory": _row(
        _node("for (const all = []; ; all.push(Buffer.alloc(2 ** 24, 1)));"),
        "start",
        "killed by SIG",
        "a bot may use 512 MiB of memory",
    ),
    "an end after a game": _row(
        _node("function told(m) { if (m.type === 'game_end') process.exit(); }"),
        "news",
        "exit code 0",
        "read on in a loop, after a game too, until `bye`",
    ),
    "an id that is a text": _row(
        _turn("say(JSON.stringify({ id: `${m.id}`, action: 'dudo' }))"),
        "first turn",
        "id",
        'as in {"id": 1',
    ),
    "a number that is none": _row(
        _turn("say(JSON.stringify({ id: m.id, action: 'bid', quantity: NaN, face: 2 }))"),
        "first turn",
        "quantity",
        'as in {"id": 1',
    ),
    "an answer that is a promise": _row(
        _turn("say(JSON.stringify((async () => legal(m))()))"),
        "first turn",
        "missing required field `id`",
        "it has no fields; JSON.stringify writes a promise",
    ),
    "a timer that goes on": _row(
        _node("setInterval(() => {}, 1000);"),
        "end of input",
        "it did not exit",
        "process.exit() at `bye`",
    ),
    "two texts joined": _row(
        _turn("say(JSON.stringify({ ...JSON.parse(legal(m)), quantity: Number('2' + '2') }))"),
        "first turn",
        "no bid goes above that",
        "1 to 10 would be legal",
    ),
    "another word for dudo": _row(
        _turn("say(JSON.stringify({ id: m.id, action: 'doubt' }))"),
        "first turn",
        "unknown action 'doubt'",
        "",
    ),
    "a doubt of nothing": _row(
        _turn("say(JSON.stringify({ id: m.id, action: 'dudo' }))"),
        "first turn",
        "there is no bid to doubt yet",
        "`dudo` says whether you may doubt",
    ),
    "a file of one's home": _row(
        _node("require('fs').readFileSync('/home/me/weights.json');"),
        "start",
        "exit code 1",
        "the sandbox has no /home/me/weights.json",
    ),
    "the network": _row(
        _node("require('net').connect(1, '127.0.0.1');"),
        "start",
        "exit code 1",
        "a bot has no network",
    ),
    "a file in its folder": _row(
        _turn("require('fs').appendFileSync('log.txt', 'x'); say(legal(m))"),
        "own folder",
        "it wrote to its own folder: log.txt",
        "write to /tmp",
    ),
    "several lines in one read": _row(
        folder_of(
            {
                "bot.js": _FRAME.partition("{body}")[0]
                + "process.stdin.on('data', (data) => {\n"
                + "  const m = JSON.parse(data);\n"
                + "  ({ hello: ready, turn: act }[m.type] ?? told)(m);\n"
                + "});\n"
            },
            "command: node bot.js\n",
        ),
        "first game",
        "exit code 1",
        "Read a line at a time: with node:readline, not readFileSync(0)",
    ),
    "reading to the end of input": _row(
        _node("require('fs').readFileSync(0); say('{\"type\":\"ready\"}');"),
        "start",
        "blocked reading; after its input was closed it wrote",
        "Read a line at a time: with node:readline, not readFileSync(0)",
        LimitsInfo(2.0),
    ),
    "no newline": _row(
        _turn("say(legal(m), '')"),
        "first turn",
        "with no newline at its end",
        "end every line with a newline",
        SLOW_TO_ANSWER,
    ),
    "no answer": _row(
        _turn("new Promise(() => {}).then(() => say(legal(m)))"),
        "first turn",
        "it sleeps, and wrote nothing",
        'answer every turn, as with {"id": 1',
        SLOW_TO_ANSWER,
    ),
    "a loop": _row(
        _turn("for (;;);"), "first turn", "it is still busy", "look for a loop", SLOW_TO_ANSWER
    ),
    "a slow answer": _row(
        _turn("setTimeout(() => say(legal(m)), 1500)"),
        "first turn",
        "; its line came after",
        "think less",
        LimitsInfo(PATIENT.start, HASTY.answer, game=600.0, wall=HASTY.wall),
    ),
}
