"""What a site, its data files and the terminal say of a league, and whether all of it can be true.

Every statement is read from what a reader sees: the HTML that was written, CSV, JSON, lines.
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from arena.publish.text import percent

OVERALL = "Overall"
DASH = "\N{EN DASH}"
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Node:
    """An element of a page."""

    def __init__(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node | str] = []

    @property
    def text(self) -> str:
        """All text in it, with plain single spaces; that for screen readers alone is left out."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif "unseen" not in child.attributes.get("class", ""):
                yield from child._texts()

    def all(self, tag: str, **attributes: str) -> list["Node"]:
        """Return the elements in it with this tag, of this class or id."""
        return [one for one in self._each() if one.tag == tag and one._has(attributes)]

    def _has(self, attributes: Mapping[str, str]) -> bool:
        return all(
            value in self.attributes.get(name.rstrip("_"), "").split()
            for name, value in attributes.items()
        )

    def _each(self) -> Iterator["Node"]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child._each()


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("page", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def page(path: Path) -> Node:
    """Read a page."""
    builder = _Builder()
    builder.feed(path.read_text())
    return builder.open[0]


class Said:
    """All statements of a league, each with where it stands; divisions go by their names."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        """What is said of (division, what, bot ...), and where."""
        self.orders: dict[str, dict[str, list[str]]] = defaultdict(dict)
        """The bots of a division in the order of a table, by where it stands."""
        self.better: set[tuple[str, str]] = set()
        """Pairs of which a card says that the first is better in at least one division."""

    def add(self, where: str, value: object, *what: str) -> None:
        self.values[what][str(value)].append(where)

    def of(self, *what: str) -> str | None:
        """Return the only thing that is said of this; None if nothing is."""
        return next(iter(self.values[what])) if what in self.values else None

    def ranges(self, division: str) -> dict[str, tuple[int, int]]:
        """Return the range of each bot's rank."""
        found = {}
        for what, values in self.values.items():
            if what[:2] == (division, "ranks"):
                ends = [int(end) for end in re.split(f"[-{DASH}]", next(iter(values)))]
                found[what[2]] = ends[0], ends[-1]
        return found


def read(site: Path, terminal: str) -> Said:
    """Read all that is said of a league."""
    said = Said()
    for path in sorted(site.rglob("*.html")):
        _read_page(said, path.relative_to(site).as_posix(), page(path))
    for path in sorted((site / "data").iterdir()):
        _read_data(said, path)
    _read_terminal(said, terminal)
    return said


def _read_page(said: Said, where: str, root: Node) -> None:
    if where == "index.html":
        _read_front(said, where, root)
    elif where.startswith("tables/"):
        [title] = [one.text for one in root.all("h1")]
        if title.startswith("Head to head: "):
            _read_pairs(said, where, root, title.removeprefix("Head to head: "))
        else:
            _read_board(said, where, root, title)
    elif where == "bots.html":
        _read_overview(said, where, root)
    elif where.startswith("bots/"):
        _read_bot(said, where, root)


def _read_front(said: Said, where: str, root: Node) -> None:
    [*tables] = root.all("table")
    leads = [one.text for one in root.all("p", class_="lead")]
    division = OVERALL
    if not leads[-1].startswith("Over all "):
        division = leads[-1].partition(": ")[0]
    _read_rows(said, where, tables[0], division)
    [verdict] = [one.text for one in root.all("h1")]
    _read_verdict(said, where, verdict, division, len(tables[0].all("tr")) - 1)
    _read_lead(said, where, leads[-1], division)
    for card in root.all("li", class_="card"):
        name = card.all("a")[0].text
        first = card.all("strong")[0].text
        _read_verdict(said, f"{where}, card", f"{first} {card.all('span')[0].text}", name, None)


def _read_verdict(said: Said, where: str, words: str, division: str, shown: int | None) -> None:
    if alone := re.match(r"(\S+) (?:wins|leads),? 95 % sure", words):
        said.add(where, alone[1], division, "alone")
    elif many := re.search(r"(\d+) bots may be first|(\d+) of \d+ may be first", words):
        said.add(where, many[1] or many[2], division, "number of first")
    else:
        raise AssertionError(words)


def _read_lead(said: Said, where: str, words: str, division: str) -> None:
    if "every rival is clearly worse" in words:
        said.add(where, "yes", division, "every rival is worse")
        return
    leads = re.search(r"(\S+) leads, but (?:the other is|another (\d+) are) too close to", words)
    assert leads, words
    said.add(where, int(leads[2] or 1) + 1, division, "number of first")
    said.add(where, leads[1], division, "leader")


def _read_rows(said: Said, where: str, table: Node, division: str) -> None:
    """Read a table of standings: ranks, bots, shading, rivals beaten."""
    order = []
    head = [one.text for one in table.all("thead")[0].all("th")]
    for row in table.all("tbody")[0].all("tr"):
        cells = [one for one in row.children if isinstance(one, Node)]
        bot = row.all("a", class_="bot")[0].text
        order.append(bot)
        said.add(where, _ranks(cells[0]), division, "ranks", bot)
        said.add(where, "first" in row.attributes.get("class", ""), division, "first", bot)
        said.add(where, cells[3].text, division, "rivals beaten", bot)
        for title, cell in zip(head, cells, strict=True):
            if title.startswith("Games won"):
                said.add(where, _first_number(cell.text), division, "games won", bot)
            if title.startswith("Mean place"):
                said.add(where, cell.text.split()[0], division, "mean place", bot)
    said.orders[division][where] = order


def _ranks(cell: Node) -> str:
    small = cell.all("small")
    return small[0].text if small else f"{cell.text}"


def _first_number(text: str) -> str:
    found = re.search(r"[<>]?[\d.]+ ?%", text)
    assert found, text
    return found[0]


def _read_board(said: Said, where: str, root: Node, division: str) -> None:
    _read_rows(said, where, root.all("table")[0], division)
    _read_leaders(said, where, root.all("p", class_="lead")[0].text, division)


def _read_leaders(said: Said, where: str, words: str, division: str) -> None:
    if words.endswith(" is best."):
        said.add(where, words.removesuffix(" is best."), division, "alone")
        return
    leads = re.fullmatch(r"(\S+) leads; (.*?)(?: and (\d+) more)? may be first, too\.", words)
    assert leads, words
    said.add(where, 1 + len(leads[2].split(", ")) + int(leads[3] or 0), division, "number of first")
    said.add(where, leads[1], division, "leader")
    for bot in [leads[1], *leads[2].split(", ")]:
        said.add(where, True, division, "first", bot)


def _read_pairs(said: Said, where: str, root: Node, division: str) -> None:
    table = root.all("div", id="better")[0].all("table")[0]
    bots = [one.text for one in table.all("thead")[0].all("a", class_="bot")]
    said.orders[division][where] = bots[:]
    for row in table.all("tbody")[0].all("tr"):
        bot = row.all("a", class_="bot")[0].text
        for rival, cell in zip(bots, row.all("td")[1:], strict=True):
            if rival == bot:
                continue
            tints = {"ahead-3": "better", "behind-3": "worse", "even": "too close to call"}
            words = tints[cell.attributes["class"]]
            said.add(where, words, division, "pair", bot, rival)
            said.add(where, cell.text.rstrip("%") or DASH, division, "sure", bot, rival)


def _read_overview(said: Said, where: str, root: Node) -> None:
    [table] = root.all("table")
    heads = [one.text for one in table.all("thead")[0].all("th")]
    for row in table.all("tbody")[0].all("tr"):
        cells = [one for one in row.children if isinstance(one, Node)]
        bot = row.all("a", class_="bot")[0].text
        for head, cell in zip(heads, cells, strict=True):
            division = re.sub(r" (\d players)$", r", \1", head)
            if (head == OVERALL or division != head) and cell.text != DASH:
                ranks, _, share = cell.text.partition(" ")
                said.add(where, ranks, division, "ranks", bot)
                said.add(where, share, division, "rivals beaten", bot)


def _read_bot(said: Said, where: str, root: Node) -> None:
    bot = root.all("h1")[0].text
    for card in root.all("section", class_="about-bot"):
        _read_card(said, where, card, bot)
    for panel in root.all("div", class_="panel"):
        division = panel.all("h3")[0].text
        facts = {
            fact.all("dt")[0].text.split(" chance")[0]: fact.all("dd")[0].text
            for fact in panel.all("dl", class_="facts")[0].all("div")
        }
        ranks = re.fullmatch(rf"(\d+)(?: (\d+{DASH}\d+))? of \d+.*", facts["Rank"])
        assert ranks, facts
        said.add(where, ranks[2] or ranks[1], division, "ranks", bot)
        said.add(where, _first_number(facts["Rivals beaten"]), division, "rivals beaten", bot)
        said.add(where, _first_number(facts["Games won"]), division, "games won", bot)
        said.add(where, facts["Mean place"].split()[0], division, "mean place", bot)
        for row in panel.all("tbody")[0].all("tr"):
            rival = row.all("a", class_="bot")[0].text
            *_, words, sure = [one.text for one in row.all("td")]
            said.add(where, words, division, "pair", bot, rival)
            said.add(where, sure.rstrip(" %"), division, "sure", bot, rival)


def _read_card(said: Said, where: str, card: Node, bot: str) -> None:
    overall, _, against = card.all("div")
    share = overall.all("span", class_="large")[0].text
    ranks = r"(\d+)(?: to (\d+))? of \d+"
    if whole := re.search(f"Overall rank {ranks}", overall.text):
        said.add(where, DASH.join(filter(None, whole.groups())), OVERALL, "ranks", bot)
        said.add(where, share, OVERALL, "rivals beaten", bot)
    if best := re.search(f"Best at (.*?): rank {ranks}", overall.text):
        said.add(where, DASH.join(filter(None, best.groups()[1:])), best[1], "ranks", bot)
    for told, ahead in (("Better", True), ("Worse", False)):
        if named := re.search(
            rf"{told} than ((?:\S+, )*?\S+?)(?= in at|, most|\. |\.$)", against.text
        ):
            for rival in named[1].split(", "):
                if rival != "none so far":
                    said.better.add((bot, rival) if ahead else (rival, bot))


def _read_data(said: Said, path: Path) -> None:
    kind = re.match("leaderboard|overall|better", path.name)
    if not kind or path.suffix not in (".csv", ".json"):
        return
    rows, division = _rows_of(path)
    order = []
    for row in rows:
        if kind[0] == "better":
            _add_pair(said, path.name, division, row)
            continue
        bot = row["bot"]
        order.append(bot)
        ends = dict.fromkeys((row["best"], row["worst"]))
        said.add(path.name, DASH.join(map(str, ends)), division, "ranks", bot)
        said.add(path.name, str(row["may_be_first"]).lower() == "true", division, "first", bot)
        if kind[0] == "overall":
            said.add(path.name, _percent(float(row["score"])), division, "rivals beaten", bot)
        else:
            players = int(division.split()[-2])
            beaten = (players - float(row["mean_place"])) / (players - 1)
            said.add(path.name, _percent(beaten), division, "rivals beaten", bot)
            said.add(path.name, _percent(float(row["win_share"])), division, "games won", bot)
    if order:
        said.orders[division][path.name] = order


def _add_pair(said: Said, where: str, division: str, row: Mapping[str, Any]) -> None:
    words = "too close to call"
    if float(row["sure"]) >= 0.95:
        words = "better" if float(row["probability"]) > 0.5 else "worse"
    said.add(where, words, division, "pair", row["bot"], row["opponent"])


def _percent(share: float) -> str:
    return " ".join(percent(share).split())


def _rows_of(path: Path) -> tuple[list[dict[str, Any]], str]:
    table = json.loads(path.with_suffix(".json").read_text())
    division = f"{table['variant']}, {table['players']} players" if "variant" in table else OVERALL
    if path.suffix == ".json":
        return table["rows"], division
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file)), division


def _read_terminal(said: Said, terminal: str) -> None:
    for part in terminal.split("\n\n"):
        head, *lines = part.strip().splitlines()
        division = OVERALL if head.startswith("overall: ") else head
        rows = [
            re.match(r" *\d+ (\S+)(?: \(provisional\))? +(\d+)-(\d+) +(.*)", one) for one in lines
        ]
        for row in filter(None, rows):
            _read_line(said, division, *row.groups())
        said.orders[division]["terminal"] = [row[1] for row in rows if row]
        for line in lines:
            if alone := re.fullmatch(r"(\S+) is best \(95 %\)", line):
                said.add("terminal", alone[1], division, "alone")
            elif many := re.fullmatch(r"may be first: (.*?)(?: and (\d+) more)? \(95 %\)", line):
                bots = many[1].split(", ")
                said.add("terminal", len(bots) + int(many[2] or 0), division, "number of first")
                for bot in bots:
                    said.add("terminal", True, division, "first", bot)


def _read_line(said: Said, division: str, bot: str, best: str, worst: str, rest: str) -> None:
    said.add("terminal", DASH.join(dict.fromkeys((best, worst))), division, "ranks", bot)
    if division == OVERALL:
        said.add("terminal", _first_number(rest), division, "rivals beaten", bot)
        return
    found = re.search(r"(\S+) +([<>]?[\d.]+ %) +\d+ +\d+$", rest)
    assert found, rest
    said.add("terminal", found[1], division, "mean place", bot)
    said.add("terminal", found[2], division, "games won", bot)


def contradictions(said: Said) -> list[str]:
    """Return what cannot all be true."""
    found = []
    for what, values in said.values.items():
        if len(values) > 1:
            told = [f"{value} in {' and '.join({*where})}" for value, where in values.items()]
            found.append(f"{', '.join(what)}: {'; '.join(told)}")
    divisions = sorted({what[0] for what in said.values})
    for division in divisions:
        table = _Table(said, division)
        for find in (
            table.order,
            table.first,
            table.winner,
            table.pairs,
            table.numbers,
            table.shares,
        ):
            found += [f"{division}: {one}" for one in find()]
    for one, other in said.better:
        if not any(said.of(division, "pair", one, other) == "better" for division in divisions):
            found.append(f"a card says that {one} is better than {other}, and no division does")
    return found


class _Table:
    """What is said of a division; the order of its table shows that all of it can be true."""

    def __init__(self, said: Said, division: str) -> None:
        self._said, self._division = said, division
        self._ranges = said.ranges(division)
        self._bots = max(said.orders[division].values(), key=len)
        self._at = {bot: place for place, bot in enumerate(self._bots, 1)}
        self._first = [bot for bot in self._bots if self._ranges[bot][0] == 1]
        self._alone = self._of("alone")

    def _of(self, *what: str) -> str | None:
        return self._said.of(self._division, *what)

    def order(self) -> Iterator[str]:
        """Yield bots that the tables have where they cannot be."""
        for where, part in self._said.orders[self._division].items():
            if part != self._bots[: len(part)]:
                yield f"the order in {where} is another"
        for bot, (best, worst) in self._ranges.items():
            if not best <= self._at[bot] <= worst:
                yield f"{bot} is number {self._at[bot]} of the table, its rank {best} to {worst}"

    def first(self) -> Iterator[str]:
        """Yield what is wrong about those that may be first."""
        for bot, (best, _) in self._ranges.items():
            if self._of("first", bot) != str(best == 1):
                yield f"the best rank of {bot} is {best}; it may be first: {self._of('first', bot)}"
        number = self._of("number of first")
        if number is not None and (int(number) != len(self._first) or self._alone):
            yield f"{number} may be first, and the ranges of {self._first} begin at 1"
        if self._of("leader") not in (None, self._bots[0]):
            yield f"{self._of('leader')} leads, and {self._bots[0]} is above it"

    def winner(self) -> Iterator[str]:
        """Yield what is wrong about one that is the best."""
        if (self._alone is None) == (len(self._first) == 1):
            yield f"the best: {self._alone}; the ranges of {self._first} begin at 1"
        if self._alone and self._ranges[self._alone] != (1, 1):
            yield f"{self._alone} is the best, and its rank {self._ranges[self._alone]}"
        if self._of("every rival is worse") and self._alone is None:
            yield "every rival is worse, and nobody is the best"

    def pairs(self) -> Iterator[str]:
        """Yield pairs that do not agree with the ranks, and with each other."""
        pairs = {
            what[2:]: next(iter(values))
            for what, values in self._said.values.items()
            if what[:2] == (self._division, "pair")
        }
        for (bot, rival), words in pairs.items():
            turned = {"better": "worse", "worse": "better"}.get(words, words)
            if pairs.get((rival, bot), turned) != turned:
                yield f"{bot} is {words} than {rival}, which is not {turned}"
            if words == "better" and self._at[bot] > self._at[rival]:
                yield f"{bot} is better than {rival}, which is above it"
            if words == turned and self._alone in (bot, rival):
                yield f"{self._alone} is the best; {bot} and {rival} are too close to call"
            sure = self._of("sure", bot, rival) or ""
            if sure and (int(re.sub(r"\D", "", sure) or 0) >= 95) != (words != turned):
                yield f"{bot} and {rival} are told apart with {sure} %: {words}"

    def numbers(self) -> Iterator[str]:
        """Yield bots of which more are better or worse than their ranks say."""
        pairs = [
            (what[2], next(iter(values)))
            for what, values in self._said.values.items()
            if what[:2] == (self._division, "pair")
        ]
        told = Counter(pairs)
        for bot, (best, worst) in self._ranges.items():
            if told[bot, "worse"] and told[bot, "worse"] >= best:
                yield f"{told[bot, 'worse']} are better than {bot}, whose best rank is {best}"
            if told[bot, "better"] > len(self._bots) - worst:
                yield f"{told[bot, 'better']} are worse than {bot}, whose worst rank is {worst}"

    def shares(self) -> Iterator[str]:
        """Yield shares that are equal at tables of two, but are not so in words."""
        if self._division.endswith(", 2 players"):
            for bot in self._bots:
                won, beaten = self._of("games won", bot), self._of("rivals beaten", bot)
                if won != beaten:
                    yield f"{bot} won {won} of its games, and beat {beaten} of its rivals"
