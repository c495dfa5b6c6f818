"""Whether a SQLite file has the tables that it must have, and nothing else."""

import re
import sqlite3
from functools import lru_cache


def foreign_schema(file: sqlite3.Connection, tables: tuple[str, ...]) -> str:
    """Return what is wrong with a file that has more than some tables; "" if nothing is.

    Whoever made the file chose its SQL: a view, a trigger or a generated column would be run by
    reading or writing, and a query of one need not end. Nothing of it is run here.
    """
    known = _normal_forms(tables)
    for name, sql in file.execute("SELECT name, sql FROM sqlite_master"):
        if sql is None:  # the index of a column that is unique
            continue
        if not isinstance(sql, str) or _normal(sql) not in known:
            return f"the arena did not make its '{name}': drop it, or put back a copy"
    return ""


def is_table(file: sqlite3.Connection, name: str, table: str) -> bool:
    """Tell whether a file has a table, made by just this statement."""
    row = file.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return row is not None and isinstance(row[0], str) and _normal(row[0]) == _normal(table)


@lru_cache(maxsize=8)
def _normal_forms(tables: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_normal, tables))


def _normal(sql: str) -> str:
    """Return a statement without what ALTER TABLE changes: spaces, and quotes around the name."""
    named = re.sub(r'^CREATE TABLE "(\w+)"', r"CREATE TABLE \1", " ".join(sql.split()))
    return re.sub(r" ?([(),]) ?", r"\1", named)
