"""What mutations start from, and what they put in: odd values, and pieces of the formats."""

from typing import Any

WORDS = [
    *("", " ", "-", "--", "~", "null", "true", "no", "x", "é", "odds", "bga", "sample:odds"),
    *("0", "-1", "7", "00", "1.5", "1e999", "1e-999", ".nan", ".inf", "0x1F", "0o17", "1_000"),
    *(
        "9" * 20,
        "9" * 99,
        "9" * 5000,
        "-" + "9" * 40,
        "0." + "0" * 300 + "1",
        "1:59:59",
        "\uff11\uff12",
    ),
    *("2024-01-31", "2024-13-99 25:61:61", "=", "<<", "\N{RIGHT-TO-LEFT OVERRIDE}x", "\N{BOM}"),
    *("a" * 41, "b" * 256, "c" * 5000, "é" * 128, "\U0001f3b2" * 64, "ß" * 255, "/" + "d" * 300),
    *(
        "/",
        ".",
        "..",
        "../" * 40,
        "e/" * 3000,
        "/dev/null",
        "/dev/zero",
        "/proc/self/mem",
        "folder",
    ),
    *("*", "**", "**x", "*/*", "[z-a]", "[!", "?" * 50, "~nobody", "~", "sample:", "sample:../*"),
    *("a\tb", "a\x1b[31mb", "a\x7fb", "a\u2028b", "a\u200bb", "%s %d {0} {x!r}", "$(id)", "`id`"),
    *("local:0", "local:" + "9" * 5000, "tcp://", "tcp://\n", "tls://x", "all", "none"),
    *("loop", "fifo", "league.yaml", "league.yaml/x", "bots/good", "bots/*", "bad.zip"),
]
"""Values that are too long, too large, of another type, or that mean something to some program."""
NOT_IN_YAML = ["\0", "\x01", "\ud7ff", "\ufffe", "\x85", "\ufeff", "\r", "\t"]
TAGS = [
    *(
        "!!bool",
        "!!int",
        "!!float",
        "!!null",
        "!!timestamp",
        "!!binary",
        "!!set",
        "!!omap",
        "!!str",
    ),
    *("!!python/object/apply:os.system", "!", "!x", "!<tag:x>", "&a", "*a", "&a *a", "!!merge"),
]
TOKENS = [
    *(
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ": ",
        "- ",
        "? ",
        "|",
        ">",
        "|+9",
        "#",
        "'",
        '"',
        "%",
        "@",
        "`",
    ),
    *("---", "...", "%YAML 1.1", "%TAG ! x", "\n", "\n\n", "\n  ", "\n\t", "<<: ", "<<: *a"),
    *(
        "[" * 30,
        "{a: " * 30,
        "- " * 30,
        "? " * 30,
        '"\\ud800"',
        '"\\x00"',
        '"\\U00110000"',
        '"\\e"',
    ),
]

LEAGUE = """name: Autumn ladder
bots:
  - bots/good
  - bots/*
  - sample:odds
variants:
  - bga
  - {variant: classic, calza: true, lost_dice_visible: true, starting_dice: 4}
  - {variant: pressman, label: no veterans, overrides: {veteran_may_raise_face: false}}
players: [2, 3]
games: 50
blocks: 30
until: {separated: 0.99}
seed: autumn
limits: {start: 10, answer: 2, game: 60, wall: 4, restarts: 3, concurrent_games: 16}
ratings: {anchor: odds, provisional: 100, overall: true, alpha: 0.01}
sandbox: process
images: {python: "python:3.12-slim"}
shared_dice: true
memory_across_fixtures: false
workers: 2
pin: true
"""
BOT = """# A bot.
name: good
author: Ada
version: "1"
tags: [python, baseline]
command: python3 bot.py
build: [sh, -c, "echo 'a b'"]
runtime: python
"""
POSITION: dict[str, Any] = {
    "id": "anything",
    "variant": "bga",
    "overrides": {"palifico_once": True, "reveal": "at_once"},
    "calza": True,
    "starting_dice": 5,
    "dice": [[2, 3, 4, 5, 6], [1, 1, 4, 4, 5], [], [6]],
    "palifico_used": [False, False, True, True],
    "round": {"kind": "normal", "starter": 0, "palifico_seat": None},
    "actions": [
        {"seat": 0, "do": "bid", "quantity": 2, "face": 5},
        {"seat": 1, "do": "bid", "quantity": 4, "face": 5},
        {"seat": 3, "do": "dudo"},
        {"seat": 0, "do": "calza", "with": 2},
    ],
}
