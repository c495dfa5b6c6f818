"""`arena rules`: print the rule books, clause by clause."""

import click

from arena.cli.options import json_option
from arena.cli.output import print_json
from arena.game.rules.clauses import BOOKS, CLAUSES, Clause, by_text, differs, value
from arena.io.errors import ArenaError, check_known

_KEY = "→ marks our reading of a document that is silent or unclear; a league may set a [switch]."


@click.command()
@click.argument("variant", required=False)
@click.option(
    "--diff", nargs=2, metavar="A B", help="Print only differences between the rule books A and B."
)
@json_option
def command(variant: str | None, diff: tuple[str, str] | None, *, as_json: bool) -> None:
    """Print the rules by clause: of all rule books, of VARIANT, or the differences between two.

    With --diff, the switch behind each difference is named.
    """
    if variant and diff:
        raise ArenaError("VARIANT and --diff do not go together", hint="leave one of them out")
    books = list(diff or ([variant] if variant else BOOKS))
    for book in books:
        check_known(book, BOOKS, f"unknown variant '{book}'")
    clauses = [clause for clause in CLAUSES if not diff or differs(clause, *diff)]
    if as_json:
        print_json([_data(clause, books) for clause in clauses])
        return
    for clause in clauses:
        click.echo(f"{clause.id}: {clause.title}")
        for line in _lines(clause, books):
            click.echo(f"  {line}")
    click.echo(f"\n{_KEY}")


def _data(clause: Clause, books: list[str]) -> dict[str, object]:
    return {
        "id": clause.id,
        "title": clause.title,
        "switch": clause.switch or None,
        "books": {
            book: {"text": clause.texts[book], "value": value(clause, book) or None}
            for book in books
        },
    }


def _lines(clause: Clause, books: list[str]) -> list[str]:
    """Say each text once, with the rule books that have it if not all do."""
    lines = []
    for text, having in by_text(clause):
        shown = [book for book in having if book in books]
        who = "" if shown == books else f"{', '.join(shown)}: "
        switches = {value(clause, book) for book in shown} - {""}
        switch = f" [{clause.switch}: {switches.pop()}]" if switches else ""
        lines += [f"{who}{text}{switch}"] if shown else []
    return lines
