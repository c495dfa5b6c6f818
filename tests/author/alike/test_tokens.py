"""Source as tokens: names, literals, comments and layout make no difference, in any language."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.author.alike.tokens import NAMES, Language, language_of, tokenize
from tests.support.depth import depth

ENDINGS = (".py", ".js", ".ts", ".c", ".h", ".rs", ".java", ".go", ".cs", ".sh")


def language(ending: str) -> Language:
    found = language_of(Path(f"bot{ending}"))
    assert found
    return found


def tokens(source: str, ending: str) -> str:
    return " ".join(token.text for token in tokenize(source, language(ending)))


@pytest.mark.parametrize(
    ("ending", "source", "expected"),
    [
        (".py", "total = price * 12  # euros", "x = x * 0"),
        (
            ".py",
            'def f(a: int) -> str:\n    """Say."""\n    return f"{a}"',
            "def x ( x : x ) - > x : return x s",
        ),
        (".py", "s = 'it''s' + \"#\"", "x = s s + s"),
        (".py", "if a: pass\nelif b: raise", "if x : pass elif x : raise"),
        (".js", "const a = `x ${b} // c`; // d", "const x = s"),
        (
            ".js",
            "let f = (x) => { /* if */ return x === 'y'; }",
            "let x = ( x ) = > return x = = = s",
        ),
        (".ts", "export type A = B;", "export type x = x"),
        (
            ".c",
            "int main(void) { char c = '\\''; return 0x1F; }",
            "int x ( void ) char x = s return 0",
        ),
        (".h", "#define A 1 /* a\nb */ + 2", "# define x 0 + 0"),
        (".rs", "fn a<'b>(c: &'b str) -> char { 'd' }", "fn x < s x > ( x : & s x x ) - > x s"),
        (".rs", 'let a = r#"if "b""#;', "let x = s"),
        (".java", 'public int a() { return """\n if "b" """; }', "public int x ( ) return s"),
        (".go", "func a() (b int) { c := `\n\\`; return }", "func x ( ) ( x x ) x : = s return"),
        (".cs", 'public void A() => Console.WriteLine("a");', "public void x ( ) = > x . x ( s )"),
        (".sh", 'if [ $# -gt 0 ]; then # none\n  echo "$a"\nfi', "if [ $ # - x 0 ] then echo s fi"),
    ],
)
def test_source_is_cut_into_tokens(ending: str, source: str, expected: str) -> None:
    assert tokens(source, ending) == expected


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_and_layout_make_no_difference(ending: str) -> None:
    assert tokens("alpha = beta(gamma, 3)", ending) == tokens("a   =\n b (c,\n  12)", ending)


@pytest.mark.parametrize("ending", ENDINGS)
def test_lines_are_counted_from_one(ending: str) -> None:
    sign = "#" if ending in {".py", ".sh"} else "//"
    source = f"\n{sign} nothing\na = 1\n\n\nb = 2\n"
    assert [token.line for token in tokenize(source, language(ending))] == [3, 3, 3, 6, 6, 6]


@pytest.mark.parametrize("ending", ENDINGS)
@given(source=st.text(alphabet="ab1 '\"`#/*\\\n(){};\0é", max_size=60))
def test_any_text_has_tokens_in_order(ending: str, source: str) -> None:
    found = tokenize(source, language(ending))
    lines = [token.line for token in found]
    assert lines == sorted(lines)
    assert all(1 <= line <= source.count("\n") + 1 for line in lines)


def test_a_text_without_an_end_takes_no_long_time() -> None:
    for ending in ENDINGS:
        for sign in ("/*", '"""', "`", "'", '"', 'r#"', "#"):
            tokenize(sign + "\\a" * depth(1_000, 20_000) + sign, language(ending))


def test_languages_of_the_kits_are_known() -> None:
    assert set(NAMES) >= {"Python", "JavaScript", "C", "Rust", "Java", "Go", "shell"}
    assert language_of(Path("README.md")) is None
