"""A bot that tries words for the master seed against its own hands, in whole leagues."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from arena.league.store.store import Store
from tests.cli.command import TRUSTED, Ran, bot, league, records, run

WORD = "autumn"
GUESSER = f"""
    import json, sys
    from hashlib import sha256, sha512

    seeds = ["word %d" % number for number in range(2999)] + ["{WORD}"]
    blocks = ["bga/2/%d/%d" % (epoch, block) for epoch in range(2) for block in range(3)]

    def key(seed, block):
        return sha256(("%s/block/%s" % (seed, block)).encode()).hexdigest()[:32]

    def roll(key, turn, quantity):
        place = "%s/%d/%d/%d" % (key, turn["game"], turn["round"], turn["seat"])
        words = sha512(place.encode()).digest()
        return [int.from_bytes(words[4 * i : 4 * i + 4], "big") % 6 + 1 for i in range(quantity)]

    left = {{key(seed, block): seed for seed in seeds for block in blocks}}
    seen = set()
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "hello":
            print(json.dumps({{"type": "ready"}}), flush=True)
        if asked["type"] == "turn":
            hand = sorted(asked["dice"])
            left = {{k: s for k, s in left.items() if sorted(roll(k, asked, len(hand))) == hand}}
            new = (asked["game"], asked["round"]) not in seen
            seen.add((asked["game"], asked["round"]))
            if new and len(seen) == 8:
                print("found:", *sorted(set(left.values())), file=sys.stderr, flush=True)
            answer = {{"id": asked["id"], "action": "dudo"}}
            if asked["raises"]:
                first = asked["raises"][0]
                answer |= {{"action": "bid", "quantity": first["min"], "face": first["face"]}}
            print(json.dumps(answer), flush=True)
"""
"""Knows how dice are derived (docs/reference/rules.md), and says which of 3,000 words fit the hands
of eight rounds: in fewer, one of them may fit by chance."""
WARNING = "warning: no salt is mixed into the master seed: whoever knows or guesses it knows every"


def _run(folder: Path, *options: object, **keys: object) -> Ran:
    common = {"games": 4, "seed": WORD, "shared_dice": True}
    league(folder, **{"bots": ["guesser", "sample:honest"], **common, **keys})
    ran = run("run", "league.yaml", "--json", *options, cwd=folder)
    assert ran.code == 0, ran.err
    return ran


def _found(folder: Path) -> set[str]:
    """Return what the bot said after its eighth round, in each fixture."""
    with Store(folder / "league.sqlite") as store:
        return {line for one in store.played() for text in one.stderr for line in text.splitlines()}


def test_seed_without_a_salt_is_guessed_and_the_run_warns(tmp_path: Path) -> None:
    bot(tmp_path / "guesser", GUESSER)
    ran = _run(tmp_path, *TRUSTED)
    assert _found(tmp_path) == {f"found: {WORD}"}
    assert WARNING in ran.err
    assert json.loads(ran.out)["league"]["seed"] == WORD


def test_salted_seed_is_not_guessed_and_repeats_the_league_once_published(tmp_path: Path) -> None:
    bot(tmp_path / "guesser", GUESSER)
    ran = _run(tmp_path, "--sandbox", "bubblewrap")
    assert _found(tmp_path) == {"found:"}
    seed = json.loads(ran.out)["league"]["seed"]
    assert seed.startswith(f"{WORD}/")
    assert len(seed) == len(f"{WORD}/") + 32
    said = ran.err.splitlines()
    at = said.index(f"SHA-256 of the master seed: {sha256(seed.encode()).hexdigest()}")
    assert said[at + 1] == (
        "a random salt is mixed into the master seed; it is published after the last game"
    )
    assert seed not in ran.err
    assert seed in (tmp_path / "site/conditions.html").read_text()
    assert run("verify", "league.yaml", "--site", "site", cwd=tmp_path).code == 0
    # The salt that was published, against a store of its own.
    again = _run(tmp_path, *TRUSTED, "--store", "again.sqlite", seed=seed)
    assert WARNING in again.err
    first, second = (records(tmp_path / f"{name}.sqlite") for name in ("league", "again"))
    assert first == second


@pytest.mark.slow
def test_bot_that_joins_does_not_profit_from_a_published_seed(tmp_path: Path) -> None:
    """The seed of a league of sample bots may be read in its league.yaml."""
    _run(tmp_path, bots=["sample:honest", "sample:odds"])
    bot(tmp_path / "guesser", GUESSER)
    bots = ["sample:honest", "sample:odds", "guesser"]
    ran = _run(tmp_path, "--sandbox", "bubblewrap", "--accept-changes", bots=bots)
    assert _found(tmp_path) == {"found:"}
    assert json.loads(ran.out)["league"]["seed"].startswith(f"{WORD}/")
    verified = run("verify", "league.yaml", "--site", "site", cwd=tmp_path)
    assert verified.code == 0, verified.out
