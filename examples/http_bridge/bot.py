"""Plays a bot that answers over HTTP: posts each message there, and passes the answer on."""

import sys
from urllib.request import Request, urlopen

for line in sys.stdin:
    asked = Request(sys.argv[1], line.encode(), {"Content-Type": "application/json"})
    with urlopen(asked) as reply:
        answer = reply.read().decode().strip()
    if answer:  # none to what only tells something
        print(answer, flush=True)
