"""The templates and the frame of all pages; what they print is visible and inert."""

import re
import sys
from base64 import b64encode
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import replace

from arena import __version__
from arena.game.records import Conditions
from arena.io import shipped
from arena.io import text as visible
from arena.publish import text
from arena.publish.links import ABOUT, BOTS, FIXTURES, MODELS, REPLAY, STATS, WATCH, Links
from arena.publish.site_folder import FRONT
from arena.publish.text import CACHED

MENU = {
    "Standings": (FRONT, "tables/"),
    "Bots": (BOTS, "bots/", "coach-"),
    "Watch": (WATCH, "watch/", REPLAY),
    "Fixtures": (FIXTURES, "fixtures/"),
    "Stats": (STATS, "suspicions.html", "head-to-head/", MODELS),
    "About": (ABOUT,),
}
"""By item: the page that it leads to, and the other pages below it. The rest belongs to About."""


class Frame(Struct, frozen=True, kw_only=True):
    """The model of the frame of a page."""

    league: Conditions
    links: Links
    menu: tuple[tuple[str, str], ...]
    """The page and the label of each item."""
    anonymous: bool = False
    url: str = ""
    """Where the site will be published, with a slash at its end; "" if that is not known."""
    verdict: str = ""
    """A sentence that names the best bots."""
    page: str = FRONT
    """The path of the page, relative to the site."""
    section: str = ""
    """The item of the menu that the page belongs to."""
    root: str = ""
    """The way from the page to the site's folder."""

    def at(self, path: str) -> "Frame":
        """Return the frame of the page with this path."""
        section = next((item for item, of in MENU.items() if path.startswith(of)), "About")
        return replace(self, page=path, section=section, root="../" * path.count("/"))


def menu(*, watch: bool = True) -> tuple[tuple[str, str], ...]:
    """Return the menu; `watch` is whether there are games to watch."""
    items = MENU.items()
    return tuple((path, label) for label, (path, *_) in items if watch or label != "Watch")


FILTERS = ("signed", "fixed", "percent", "sure", "grouped", "counted", "clipped", "one_line")
"""The filters of templates: functions of `arena.publish.text`."""

_BAR = Markup('<svg class="part" aria-hidden="true"><rect width="{}%"/>{}</svg>{}')
_CHANCE_OF_PAGE = Markup('<use href="#chance"/>')
_CHANCE = Markup('<rect class=chance x="{}%"/>')
_CODE = Markup("<code>{}</code>")
_IN_BACKTICKS = re.compile("`([^`]+)`")
_WORD = 64
"""Characters of what is likely to be printed again."""


@cache
def environment() -> Environment:
    """Return the template environment: autoescape everywhere, undefined names are errors."""
    templates = shipped.folder("reports")
    # Compiled templates depend on the options below and on what the filters make of constants.
    modules = __file__, text.__file__, visible.__file__
    depends_on = b"".join(Path(module).read_bytes() for module in modules)
    env = Environment(
        loader=FileSystemLoader(templates),
        bytecode_cache=TemplateCache(templates, depends_on),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    env.code_generator_class = _EscapedOnce
    env.filters |= {name: getattr(text, name) for name in FILTERS}
    env.filters |= {"coded": coded, "source_hash": source_hash}
    env.globals |= {"share": share, "font": shipped.font_hash(), "font_css": shipped.font_css}
    env.globals["arena"] = __version__
    return env


def script(*names: str) -> str:
    """Return scripts of `reports/` as one, to stand inside a page."""
    folder = shipped.folder("reports")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def source_hash(source: str) -> str:
    """Return what a Content-Security-Policy calls a script that stands inside a page."""
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


def coded(text: str) -> Markup:
    """Return a sentence in which what stands in backticks is code."""
    parts = _IN_BACKTICKS.split(text)
    shown = [
        _CODE.format(_inert(part)) if at % 2 else _inert(part) for at, part in enumerate(parts)
    ]
    return Markup("").join(shown)


def render(template: str, *models: Struct) -> str:
    """Return a page; its template knows the fields of all these models by their names."""
    known = {name: getattr(model, name) for model in models for name in model.__struct_fields__}
    return environment().get_template(template).render(known)


def _inert(value: object) -> str:
    """Spell out what a browser would obey or hide, and escape the rest, but for our markup."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    return _inert_word(text) if len(text) <= _WORD else _inert_text(text)


def _inert_text(text: str) -> str:
    return escape(visible.visible(text))


_inert_word = lru_cache(maxsize=CACHED)(_inert_text)


class _EscapedOnce(CodeGenerator):
    """Compiles templates that print what `_inert` returns as it is.

    Jinja's own code escapes it once more, which changes nothing: it is Markup by then. It costs a
    quarter of the time in which pages are made. These two methods are not public. If Jinja no
    longer called them, text would still be escaped.
    """

    def _output_child_pre(self, _node: object, _frame: object, finalize: Any) -> None:
        self.write(finalize.src)

    def _output_child_post(self, _node: object, _frame: object, _finalize: Any) -> None:
        self.write(")")


@lru_cache(maxsize=CACHED)
def share(value: float, chance: float | None = None) -> Markup:
    """Return a share (0 to 1) as a bar and in per cent, with a mark where chance would be."""
    mark = _CHANCE_OF_PAGE if chance is None else _CHANCE.format(text.fixed(100 * chance, 1))
    return _BAR.format(text.fixed(100 * value, 1), mark, text.percent(value))


class TemplateCache(FileSystemBytecodeCache):
    """Compiled templates in `__pycache__` beside the templates, if that folder can be written.

    To compile them takes a third of the time that a small report takes. File names depend on the
    version of Jinja and on the filters: compiled templates hold what filters made of constants.
    """

    def __init__(self, templates: Path, filters: bytes) -> None:
        self._folder = templates / "__pycache__"
        maker = sha256(version("jinja2").encode() + filters).hexdigest()[:16]
        super().__init__(str(self._folder), f"%s.{maker}.jinja")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template if it is there and whole."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # to unpickle what is damaged may raise anything
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template if Python may keep compiled modules and the folder is ours."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                self._folder.mkdir(exist_ok=True)
                super().dump_bytecode(bucket)
