"""What templates print: visible and inert, whoever wrote it, however often and however long."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from arena.io.text import visible
from arena.publish.templates import environment

each_set = settings(max_examples=200, deadline=None, database=None)

MACRO = "{% macro bold(name) %}<b>{{ name }}</b>{% endmacro %}{{ bold(name) }}"


def rendered(source: str, **context: object) -> str:
    return environment().from_string(source).render(context)


@pytest.mark.slow
@each_set
@given(st.text(max_size=250) | st.text("<&\"'\x1b", min_size=90, max_size=110))
@example("<" * 100)
@example("<" * 101)
def test_text_is_escaped_once(text: str) -> None:
    inert = str(escape(visible(text)))
    assert rendered("{{ name }}", name=text) == inert
    assert rendered("{{ name }}", name=text) == inert
    assert rendered(MACRO, name=text) == f"<b>{inert}</b>"


def test_text_in_the_shape_of_markup_is_text() -> None:
    assert rendered("{{ name }}", name=Markup("<i>")) == "<i>"
    assert rendered("{{ name }}", name="<i>") == "&lt;i&gt;"
    assert rendered("{{ '<i>' }}{{ 1 < 2 }}{{ none }}") == "&lt;i&gt;TrueNone"


@pytest.mark.parametrize("source", ["{{ nobody }}", "{{ name.nothing }}", "{{ nobody.nothing }}"])
def test_undefined_name_is_an_error(source: str) -> None:
    with pytest.raises(UndefinedError):
        rendered(source, name="ada")
