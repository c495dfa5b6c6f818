"""The templates of the site: all that they print is visible and inert, whoever wrote it."""

from functools import cache, lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr
from markupsafe import Markup, escape

from arena import shipped
from arena.publish.output import text
from arena.publish.pages.bytecode_cache import Compiled

FILTERS = ("signed", "fixed", "percent", "chance", "grouped", "counted", "clipped", "one_line")
"""What templates write text and numbers with: functions of `arena.publish.output.text`."""

_SHORT = 100
"""Texts of no more characters are remembered: they come again and again, and fill no memory."""


@cache
def environment() -> Environment:
    """Return the template environment: autoescape everywhere, undefined names are errors."""
    templates = shipped.folder("reports")
    env = _Environment(
        loader=FileSystemLoader(templates),
        bytecode_cache=Compiled(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name in FILTERS:
        env.filters[name] = getattr(text, name)
    return env


class _Generator(CodeGenerator):
    """Leaves it to `_printed` to escape: the second call that Jinja makes takes twice as long."""

    def _output_child_pre(
        self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        del node, frame, finalize
        self.write("environment.finalize(")

    def _output_child_post(
        self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        del node, frame, finalize
        self.write(")")


class _Environment(Environment):
    code_generator_class = _Generator


def _printed(value: object) -> str:
    """Return what a page shows of a value: markup is ours, all else is made harmless."""
    if isinstance(value, Markup):
        return value
    shown = str(value)
    return _remembered(shown) if len(shown) <= _SHORT else _inert(shown)


def _inert(shown: str) -> str:
    return str(escape(text.visible(shown)))


_remembered = lru_cache(maxsize=1 << 14)(_inert)
