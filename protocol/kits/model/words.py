"""Says in words what the bot sees and knows, for the model. Change it as you like."""

import json
from pathlib import Path

CLAUSES = json.loads(Path("rules.json").read_text(encoding="utf-8"))  # arena rules --json
FACES = ["", "pacos", "twos", "threes", "fours", "fives", "sixes"]
CHARACTERS = 4  # of a token, roughly, in English


def position(view):
    """Return the turn in words."""
    bids = in_order(view.bids)
    raises = [f"{one.min} to {one.max} {FACES[one.face]}" for one in view.raises]
    return f"""You are player {view.seat}. Your dice: {view.dice}. Dice left: {by_seat(view.left)}.
Pacos (ones) are {"not wild in this palifico round" if view.palifico else "wild"}.
Bids of this round: {bids or "none, you open it"}.
Legal bids: {", ".join(raises) or "none"}. Dudo is {"legal" if bids else "illegal"}."""


def history(view, tokens):
    """Return the earlier rounds of this game and a line for each earlier game, the latest last.

    What happened longest ago is left out if it would be more than so many tokens.
    """
    rounds = [f"Round {one.number}: {round_in_words(one)}" for one in view.rounds]
    games = [f"Game {game}, places: {by_seat(view.results[game])}." for game in view.results]
    if games:
        games = ["Earlier games at this table:", *games]
    if rounds:
        rounds = ["Earlier rounds of this game:", *rounds]
    left, lines = tokens * CHARACTERS, []
    for line in reversed(games + rounds):
        left -= len(line) + 1
        if left < 0:
            break
        lines.insert(0, line + "\n")
    return "".join(lines)


def round_in_words(one):
    """Return an earlier round in words."""
    changes = [(one.loser, "loses"), (one.gainer, "regains")]
    ends = [f"player {seat} {verb} a die" for seat, verb in changes if seat is not None]
    dice = "; ".join(f"player {seat} had {hand}" for seat, hand in enumerate(one.dice) if hand)
    counted = f"{one.count} counted{', pacos not wild' if one.palifico else ''}"
    said = f"{in_order(one.bids)}, player {one.caller}: {one.call}"
    return f"{said}. {dice}: {counted}. {' and '.join(ends) or 'Nobody loses a die'}."


def in_order(bids):
    """Return bids in words, oldest first."""
    return ", ".join(f"player {one.seat}: {one.quantity} {FACES[one.face]}" for one in bids)


def by_seat(numbers):
    """Return a number of each player in words."""
    return ", ".join(f"player {seat}: {number}" for seat, number in enumerate(numbers))


def rules_in_words(rules):
    """Yield the rules in force, clause by clause."""
    for item in (one for one in CLAUSES if rules.get(one["needs"], True)):
        value, known = str(rules.get(item["switch"])).lower(), item["books"]
        books = [known[name] for name in (rules["name"], rules["base"], *known) if name in known]
        texts = {str(book["value"]).lower(): book["text"] for book in books[::-1]}
        yield f"- {item['title']}: {(item['houses'] | texts).get(value, value)}".replace("→ ", "")
