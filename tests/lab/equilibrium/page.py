"""What the tables hold, in `benchmarks/results/equilibrium.md`: `make equilibrium` writes it."""

from collections.abc import Iterator

from arena.game.rules.books import VARIANTS, Rules
from arena.lab.equilibrium.strategy_tables import WHOLE, name_of
from arena.lab.exploit import known_states
from tests.support.generated_section import GeneratedSection

SECTION = GeneratedSection("benchmarks/results/equilibrium.md", "tables", "equilibrium")


def markdown() -> str:
    """Return a row for each solved state, and the number of those that are approximated."""
    lines = [
        "",
        "| rule books | state | opener's chance | gain if the bot opens | if the rival opens |",
        "|---|---|---|---|---|",
    ]
    for books, rules in _books().items():
        lines += list(_rows(books, rules))
    return "\n".join([*lines, "", *_rough(), "", ""])


def _books() -> dict[str, Rules]:
    found: dict[str, list[Rules]] = {}
    for rules in VARIANTS.values():
        found.setdefault(name_of(rules), []).append(rules)
    return {", ".join(f"`{one.name}`" for one in same): same[0] for same in found.values()}


def _rows(books: str, rules: Rules) -> Iterator[str]:
    for name, known in known_states(rules).items():
        if known.recall == WHOLE:
            first = _more(known.beaten_opening, 1 - known.value)
            second = _more(known.beaten_answering, known.value)
            yield f"| {books} | {name} | {known.value:.4f} | {first} | {second} |"


def _more(beaten: float | None, fair: float) -> str:
    return "not known" if beaten is None else f"{max(beaten - fair, 0):.5f}"


def _rough() -> Iterator[str]:
    for books, rules in _books().items():
        rough = [name for name, known in known_states(rules).items() if known.recall != WHOLE]
        yield f"- Approximated in {books}: {', '.join(rough) or 'no state'}"


if __name__ == "__main__":
    SECTION.write(markdown())
