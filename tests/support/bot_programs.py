"""Programs of bots: a good one, with a few lines of Python replaced."""

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


def program(body: str) -> str:
    return FRAME.replace("{body}", body)


def turn(statement: str) -> str:
    return f"def act(m): {statement}\n"


def start(statement: str) -> str:
    return f"def ready(m): {statement}\n"
