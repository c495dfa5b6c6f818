"""A league of two prompts, two programs and a policy: `python examples/model_league.py FOLDER`.

The language model is a script on this machine, so the league costs nothing and needs no network. It
reads what the bots of the kit tell it, and of their prompts whether they say "Be bold". For a real
model, give league.yaml the address of a server, and run `arena run league.yaml`.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from zlib import crc32

from arena.bots.kits import create
from arena.bots.models.scripted import Message, ScriptedServer

FACES = ("pacos", "twos", "threes", "fours", "fives", "sixes")
STYLES = {
    "careful": "Be careful: bid what you hold, and doubt what you would not bid yourself.",
    "bold": "Be bold: bid more than you hold, and doubt only what can hardly be true.",
}
"""What the prompt of each bot says."""
SPARE = {"careful": 0.0, "bold": 1.5}
"""By how many dice a bid may exceed what is expected before it is doubted."""


def answer(messages: list[Message]) -> str:
    """Answer as a model would that knows how many dice to expect."""
    seen = messages[-1].content
    if crc32(seen.encode()) % 20 == 0:
        return "Let me think about that."
    style = "bold" if "Be bold" in messages[0].content else "careful"
    bids = re.findall(r"player \d+: (\d+) (\w+)", seen.partition("Bids of this round")[2])
    low = re.findall(r"(\d+) to \d+ (\w+)", seen)
    best = min(low, key=lambda bid: excess(seen, *bid), default=None)
    if best is None or (bids and excess(seen, *bids[-1]) > SPARE[style]):
        return "That is too many. [dudo]"
    return f"I can say that. [bid {best[0]} {best[1]}]"


def excess(seen: str, quantity: str, face: str) -> float:
    """Return by how many dice a bid exceeds what is expected by one who sees their own."""
    own = [int(die) for die in re.findall(r"\d", re.findall(r"Your dice: \[(.*?)\]", seen)[0])]
    left = seen.partition("Dice left: ")[2].partition(".")[0]
    hidden = sum(int(dice) for dice in re.findall(r": (\d+)", left)) - len(own)
    number = FACES.index(face) + 1
    wild = number != 1 and "not wild" not in seen
    held = own.count(number) + (own.count(1) if wild else 0)
    return int(quantity) - held - hidden / (3 if wild else 6)


def make(folder: Path, url: str, games: int) -> None:
    """Write the bots and league.yaml."""
    for name, style in STYLES.items():
        prompt = create(folder / name, "model").folder / "prompt.txt"
        prompt.write_text(f"{prompt.read_text(encoding='utf-8')}{style}\n", encoding="utf-8")
    create(folder / "policy", "policy")
    price = {"input": 0.15, "output": 0.6}
    league = {
        "name": "Prompts, programs and a policy",
        "bots": [*STYLES, "policy", "sample:odds", "sample:honest"],
        "players": [2],
        "games": games,
        "models": {"small": {"url": url, "model": "scripted", "price": price}},
    }
    # JSON is YAML.
    (folder / "league.yaml").write_text(json.dumps(league, indent=2), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a new one")
    parser.add_argument("--games", type=int, default=10, help="in each seat of each pair")
    options = parser.parse_args()
    with ScriptedServer(answer) as server:
        make(options.folder, server.url, options.games)
        run = [sys.executable, "-m", "arena", "run", "league.yaml", "--trust-bots"]
        subprocess.run(run, cwd=options.folder, check=True)


if __name__ == "__main__":
    main()
