"""Statements that are executed with every action."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError


@dataclass(frozen=True)
class _Text:
    """A statement as one driver takes it: its text, the names of its parameters, in their order where the text does not
    name them, and what turns some of their values into the driver's."""

    text: str
    names: tuple[str, ...]
    is_ordered: bool
    convert: Mapping[str, Callable[[Any], Any]]


class Prepared:
    """A ``statement`` that is looked into once, which takes longer than to execute it."""

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        self._statement = statement
        self._made: dict[str, _Text] = {}

    def execute(self, connection: sa.Connection, values: Mapping[str, Any]) -> int:
        """Execute it with ``values`` for all its parameters; returns the number of rows that it concerned."""
        made = self._made.get(connection.dialect.name)
        if made is None:
            made = self._made[connection.dialect.name] = self._make(connection.dialect)
        convert = made.convert
        given = {name: convert[name](values[name]) if name in convert else values[name] for name in made.names}
        if not made.is_ordered:
            return connection.exec_driver_sql(made.text, given).rowcount
        # SQLite's driver itself: what SQLAlchemy does around a statement takes several times as long as the statement.
        ordered = tuple(given.values())
        cursor = connection.connection.cursor()
        try:
            cursor.execute(made.text, ordered)
            return cursor.rowcount
        except sqlite3.Error as error:
            dialect = connection.dialect
            raise DBAPIError.instance(made.text, ordered, error, sqlite3.Error, dialect=dialect) from error
        finally:
            cursor.close()

    def _make(self, dialect: Dialect) -> _Text:
        compiled = self._statement.compile(dialect=dialect)
        names = tuple(compiled.params if compiled.positiontup is None else compiled.positiontup)
        found = {name: compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names}
        convert = {name: process for name, process in found.items() if process is not None}
        return _Text(str(compiled), names, compiled.positiontup is not None, convert)
