"""Your bot asks a language model. Edit prompt.txt; the code may stay as it is."""

import json
import re
import sys
from http.client import HTTPConnection, HTTPException
from os import environ
from pathlib import Path
from socket import AF_UNIX, socket

from perudo import bid, dudo, legal, play
from words import FACES, history, position, rules_in_words

MODEL = "small"  # one of `models` in bot.yaml
FALLBACK = "least bad"  # or "forfeit": a bot whose model says no legal move makes none, and faults
HISTORY = (
    1000  # tokens of earlier rounds and games in a question, at most: a token per 4 characters
)
PROMPT = Path("prompt.txt").read_text(encoding="utf-8")
MOVE = re.compile(rf"\[(?:bid +(\d+) +({'|'.join(FACES[1:])})|dudo)\]", re.IGNORECASE)
COUNTS = {"model": 0, "retry": 0, "fallback": 0}  # who decided: `by` of each answer


def ask(messages):
    """Return what the model answers; raises OSError if it does not."""
    server = HTTPConnection("models")
    with socket(AF_UNIX) as server.sock:
        server.sock.connect(environ.get("ARENA_MODELS", "/no/models"))
        question = {"model": MODEL, "messages": messages}
        server.request("POST", "/v1/chat/completions", json.dumps(question))
        answer = json.load(server.getresponse())
    if "error" in answer:
        raise OSError(answer["error"]["message"])
    return answer["choices"][0]["message"]["content"] or ""


def choose(view):
    """Return the move that the model says, and who decided; the model may try twice."""
    rules = PROMPT.replace("{rules}", "\n".join(rules_in_words(view.rules)))
    asked = history(view, HISTORY) + position(view)
    talk = [{"role": "system", "content": rules}, {"role": "user", "content": asked}]
    for by in ("model", "retry"):
        try:
            said = ask(talk)
        except (OSError, HTTPException, ValueError) as error:
            wrong = f"The model gave no answer: {error}."
            break
        wrong = "There is no move in brackets."
        for one in [*MOVE.finditer(said)][-1:]:  # what stands before the last is thought
            move = bid(int(one[1]), FACES.index(one[2].lower())) if one[1] else dudo()
            if legal(view, move):
                COUNTS[by] += 1
                return {**move, "by": by}
            wrong = f"{one[0]} is illegal."
        talk.append({"role": "assistant", "content": said})
        talk.append({"role": "user", "content": f"{wrong} {position(view)}"})
    COUNTS["fallback"] += 1
    print(f"{wrong} So far: {COUNTS}", file=sys.stderr)
    if FALLBACK == "forfeit":
        sys.exit(1)
    best = max(view.raises, key=lambda one: view.chance(one.min, one.face), default=None)
    false = 1 - view.chance(view.last.quantity, view.last.face) if view.last else 0
    doubts = best is None or false > view.chance(best.min, best.face)
    return {**(dudo() if doubts else bid(best.min, best.face)), "by": "fallback"}


if __name__ == "__main__":
    play(choose, concurrent_games=1)  # so that it knows all games before this one
