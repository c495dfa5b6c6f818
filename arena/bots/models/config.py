"""The language models of a league, as league.yaml names them, and their keys."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.io.errors import ArenaError, check_known
from arena.io.files import reason

MAX_MODELS = 20
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
NAME_HINT = "a model's name has 1 to 40 of a to z, 0 to 9, dots, _ and -, as in small"
MICROS = 1_000_000
"""Parts of a unit of money that costs are counted in."""
_MOST_KEY = 4096
"""Bytes of a file with a key."""

Money = Annotated[float, Meta(ge=0, le=1e9)]
"""Money, in the currency of the prices."""
Tokens = Annotated[int, Meta(ge=0, le=10**12)]


class KeySource(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a key comes from: an environment variable, or a file that only its owner may read."""

    env: str = ""
    file: str = ""


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """What a million tokens cost."""

    input: Money = 0.0
    output: Money = 0.0

    def micros(self, tokens_in: int, tokens_out: int) -> int:
        """Return the cost of an answer in millionths of a unit of money, rounded."""
        return round(tokens_in * self.input + tokens_out * self.output)


class Cap(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The most that may be used; None means no limit."""

    tokens: Tokens | None = None
    """Tokens of prompts and answers together."""
    money: Money | None = None


class Caps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits on the use of a model: by one bot in a game, by one bot in all, by all bots."""

    game: Cap = Cap()
    bot: Cap = Cap()
    league: Cap = Cap()


class Model(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model behind a server that is compatible with OpenAI's chat completions."""

    url: str
    """The server's address, to which `/chat/completions` is added."""
    model: str
    """Its name at the server."""
    key: KeySource | None = None
    price: Price = Price()
    timeout: Annotated[float, Meta(gt=0, le=3600, extra={"unit": " seconds"})] = 60.0
    """Seconds for one attempt."""
    retries: Annotated[int, Meta(ge=0, le=20)] = 2
    at_a_time: Annotated[int, Meta(ge=1, le=1024)] = 4
    """Requests that the server gets at a time, of all bots together."""
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024
    """Tokens of one answer, at most."""
    caps: Caps = Caps()
    public: bool = False
    """Whether replays show everybody what it wrote."""


class Address(NamedTuple):
    """Where a server is asked."""

    secure: bool
    host: str
    port: int | None
    path: str


def address_of(url: str) -> Address:
    """Return the parts of a server's address; raises ValueError with what is wrong."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("is not an address such as http://127.0.0.1:8080/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("holds a user or password: give a `key` instead")
    if parts.query or parts.fragment:
        raise ValueError("has something after `?` or `#`: leave it out")
    path = f"{parts.path.rstrip('/')}/chat/completions"
    return Address(parts.scheme == "https", parts.hostname, parts.port, path)


def checked_models(
    models: Mapping[str, Model], folder: Path, at: Callable[[str], str]
) -> dict[str, Model]:
    """Return models whose paths of keys start at a folder; `at` returns the place of one in a file.

    Raises ArenaError for a name, an address or a key that cannot be used.
    """
    checked: dict[str, Model] = {}
    for name, model in models.items():
        where = at(name)
        _check_name(name, where)
        try:
            address_of(model.url)
        except ValueError as error:
            raise ArenaError(f"the url of '{name}' {error}", where) from None
        if model.key and bool(model.key.env) == bool(model.key.file):
            hint = "`key: {env: NAME}` or `key: {file: PATH}`"
            raise ArenaError(f"the key of '{name}' comes from one place", where, hint)
        checked[name] = model
        if model.key and model.key.file:
            path = folder / Path(model.key.file).expanduser()
            checked[name] = replace(model, key=KeySource(file=str(path)))
    return checked


def _check_name(name: str, where: str) -> None:
    if not NAME.fullmatch(name):
        raise ArenaError(f"{name[:60]!a} is no name of a model", where, NAME_HINT)


def check_names(names: Sequence[str], where: str) -> None:
    """Raise ArenaError if the models of a bot.yaml are too many, or not names of models."""
    if len(names) > MAX_MODELS or len({*names}) < len(names):
        what = f"a bot names {MAX_MODELS} models at most, each once"
        raise ArenaError(what, where)
    for name in names:
        _check_name(name, where)


def check_granted(asked: Iterable[str], models: Collection[str], where: str) -> None:
    """Raise ArenaError if a bot asks for a model that is not in `models`."""
    for name in asked:
        if not models:
            hint = "league.yaml or ladder.yaml names them: arena help models"
            raise ArenaError(f"it asks for the model '{name}', and there are none", where, hint)
        check_known(name, models, f"there is no model '{name}'", where)


def read_key(name: str, model: Model) -> str:
    """Return the key of a model, "" if it needs none; raises ArenaError if it cannot be read."""
    source = model.key
    if source is None:
        return ""
    key = _in_environment(name, source.env) if source.env else _in_file(name, Path(source.file))
    if not key.isascii() or not key.isprintable() or " " in key:
        what = f"the key of the model '{name}' is not one word of visible characters"
        raise ArenaError(what, source.env or source.file)
    return key


def _in_environment(name: str, variable: str) -> str:
    key = os.environ.get(variable, "").strip()
    if not key:
        what = f"the key of the model '{name}' is not in the environment"
        raise ArenaError(what, variable, f"export {variable}=...")
    return key


def _in_file(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                what = f"others may read the key of the model '{name}'"
                raise ArenaError(what, str(path), f"chmod 600 {path}")
            key = file.read(_MOST_KEY).decode("ascii", "replace").strip()
    except OSError as error:
        raise ArenaError(f"no key for the model '{name}': {reason(error)}", str(path)) from None
    if not key:
        raise ArenaError(f"the key of the model '{name}' is empty", str(path))
    return key
