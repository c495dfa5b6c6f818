"""Inputs as nobody should write them: league.yaml, bot.yaml, positions and command lines, mutated.

The mutations know the formats (tags, anchors, nesting, numbers, units of repetition), so that many
of their results get past the parser.
"""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import click

from tests.cli.every_command import every_command
from tests.cli.odd_inputs import NOT_IN_YAML, POSITION, TAGS, TOKENS, WORDS

Mutation = Callable[[str, Random], str]


def yaml_text(original: str, rng: Random) -> bytes:
    """Return a YAML file with one to four mutations, seldom of bytes."""
    text = original
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        text = rng.choice(YAML)(text, rng)
    return _bytes(text, rng)


def position(rng: Random) -> bytes:
    """Return a line for `arena judge` with one to four mutations of its values or its text."""
    value: Any = json.loads(json.dumps(POSITION))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        value = _mutated(value, rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3:
        text = rng.choice(TEXT)(text, rng)
    return _bytes(text.replace("\n", " "), rng)


def _bytes(text: str, rng: Random) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.05 and content:
        at = rng.randrange(len(content))
        content = content[:at] + rng.randbytes(rng.choice((1, 2, 9))) + content[at + 1 :]
    if rng.random() < 0.03:
        content = text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig")), "surrogatepass")
    return content


# ---------------------------------------------------------------- text


def _insert(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(rng.choice((WORDS, TAGS, TOKENS, NOT_IN_YAML))) + text[at:]


def _delete(text: str, rng: Random) -> str:
    at, length = rng.randrange(len(text) + 1), rng.choice((1, 1, 3, 30))
    return text[:at] + text[at + length :]


def _cut(text: str, rng: Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _repeat(text: str, rng: Random) -> str:
    """Repeat a piece, seldom until the file is as large as it may be."""
    at, length = rng.randrange(len(text) + 1), rng.choice((1, 2, 5, 20))
    piece = text[at : at + length] or "x"
    times = rng.choice((2, 10, 100, 1000)) if rng.random() < 0.97 else 70_000 // len(piece)
    return text[:at] + piece * times + text[at + length :]


TEXT: list[Mutation] = [_insert, _delete, _cut, _repeat]

# ---------------------------------------------------------------- YAML


def _line(text: str, rng: Random) -> str:
    """Repeat, move or remove a line."""
    lines = text.splitlines(keepends=True) or [""]
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2, 2))):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "".join(lines)


def _value(text: str, rng: Random) -> str:
    """Put something else in the place of a value, or before it."""
    places = [at for at in range(len(text) - 1) if text[at : at + 2] in {": ", "- ", ", "}]
    if not places:
        return _insert(text, rng)
    start = rng.choice(places) + 2
    end = min((at for sign in "\n,]}" if (at := text.find(sign, start)) >= 0), default=len(text))
    old = text[start:end]
    word = rng.choice(WORDS)
    new = rng.choice(
        (
            word,
            word,
            json.dumps(word),
            f"{rng.choice(TAGS)} {old}",
            f"{rng.choice(TAGS)} {word}",
            f"[{old}]",
            f"{{{old}: {word}}}",
            "[" * rng.choice((2, 9, 900)) + old,
            f"[{', '.join([word[:9] or old] * rng.choice((2, 40, 3000)))}]",
        )
    )
    return text[:start] + new + text[end:]


def _key(text: str, rng: Random) -> str:
    """Put something else in the place of a key."""
    places = [at for at in range(len(text)) if text[at : at + 1] == ":"]
    if not places:
        return _insert(text, rng)
    end = rng.choice(places)
    start = max(text.rfind(sign, 0, end) for sign in "\n {,-") + 1
    word = rng.choice(WORDS)
    return text[:start] + rng.choice((word, json.dumps(word), f"? {word}\n")) + text[end:]


YAML: list[Mutation] = [*TEXT, _line, _value, _value, _value, _value, _key]

# ---------------------------------------------------------------- JSON

GAME_WORDS = ("bid", "dudo", "calza", "palifico", "normal", "bga", "classic", "pressman", "italian")
NUMBERS = [
    0,
    1,
    2,
    3,
    4,
    5,
    3,
    -1,
    2,
    6,
    7,
    10,
    2**31,
    2**63,
    2**64,
    -(2**63),
    10**40,
    10**400,
    1.0,
    0.5,
    -0.0,
]


def _mutated(value: Any, rng: Random) -> Any:
    """Return a JSON value with a change in one place: a leaf, a list, a mapping."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        return {**value, key: _mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        return [*value[:at], _mutated(value[at], rng), *value[at + 1 :]]
    if isinstance(value, dict):
        return _other_mapping(value, rng)
    if isinstance(value, list):
        return _other_list(value, rng)
    return _other(value, rng)


def _other_mapping(value: dict[str, Any], rng: Random) -> Any:
    keys = list(value)
    if keys and rng.random() < 0.4:
        del value[rng.choice(keys)]
        return value
    more = rng.choice([*WORDS, *POSITION, "with", "seat", "do"])
    return {**value, more: _other(None, rng)}


def _other_list(value: list[Any], rng: Random) -> Any:
    return rng.choice(
        (
            value[1:],
            value + value,
            value[::-1],
            value * rng.choice((3, 50, 400)),
            [*value, _other(None, rng)],
            [*value, *({"seat": 0, "do": "dudo", "with": at} for at in range(900))],
        )
    )


def _other(value: Any, rng: Random) -> Any:
    if rng.random() < 0.05:
        for _ in range(rng.choice((3, 90, 700))):
            value = [value] if rng.random() < 0.5 else {"a": value}
        return value
    words = (*WORDS, *GAME_WORDS, "\ud800")
    if rng.random() < 0.7 and value is not None:
        # Of the same type, to be judged.
        kinds = {bool: (True, False), int: NUMBERS, str: GAME_WORDS}
        return rng.choice(kinds.get(type(value), words))
    return rng.choice(
        (
            rng.choice(NUMBERS),
            rng.choice(NUMBERS),
            rng.choice(words),
            rng.choice((None, True, False, [], {}, [[]], [1] * 60)),
        )
    )


# ---------------------------------------------------------------- command lines

ENDINGS = {
    **{name: ["--sandbox", "process"] for name in ("run", "rerun", "debug", "check")},
    "compare": ["--against", "bots/good", "--sandbox", "process"],
    **{name: [] for name in ("report", "verify", "export", "status", "judge", "rules", "perft")},
}
"""Commands, and what keeps some of them from playing bots: nobody trusts them."""
UNTRIED = {"--trust-bots", "--watch", "--open"}


def command_line(rng: Random) -> list[str]:
    """Return the words after `arena`: a command with some of its arguments and options."""
    name = rng.choice(list(ENDINGS))
    command = every_command()[name]
    words: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            counts = (parameter.nargs,) if parameter.nargs > 0 else (0, 1, 2, 9)
            words += [_word(parameter, rng) for _ in range(rng.choice(counts))]
        elif rng.random() < 0.3 and not UNTRIED & set(parameter.opts):
            words.append(rng.choice(parameter.opts))
            flag = getattr(parameter, "is_flag", False)
            words += [] if flag else [_word(parameter, rng) for _ in range(parameter.nargs)]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        at = rng.randrange(len(words) + 1)
        words[at : at + rng.choice((0, 1))] = [rng.choice([*WORDS, "--help", "--json=", "-o"])]
    # A FIFO is an input like another: `arena judge` would wait for its writer.
    words = ["none" if name == "judge" and word == "fifo" else word for word in words]
    return [name if rng.random() < 0.97 else rng.choice(WORDS), *words, *ENDINGS[name]]


def _word(parameter: click.Parameter, rng: Random) -> str:
    """Return a value for an option or argument: a good one in half of the cases."""
    good = {"int": "2", "integer range": "2", "path": "league.yaml", "text": "bga"}
    choices = getattr(parameter.type, "choices", None)
    if rng.random() < 0.5:
        return rng.choice(choices) if choices else good.get(parameter.type.name, "bots/good")
    word = rng.choice(WORDS)
    return "\udcff" + word if rng.random() < 0.1 else word.replace("\0", "")
