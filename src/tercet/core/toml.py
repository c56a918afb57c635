"""Files in TOML that people write, read entry by entry: each is taken once, with its type, and what is left over is
refused. Every error names the file, the place in it, the reason and the remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tercet.errors import TercetError

Place = tuple[str | int, ...]  # keys, and indices of lists from 0; none for the whole file
MISSING: Any = object()
T = TypeVar("T")
_KINDS: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "a table", bool: "true or false"
}  # fmt: skip


class TomlFile:
    """A file, with all its ``data`` and its ``text``, of which ``part`` may choose what counts. ``refuse(line, place,
    why)`` makes the error that is raised at a place in it."""

    def __init__(
        self, path: Path, refuse: Callable[[int, Place, str], TercetError], part: Callable[[str], str] | None = None
    ) -> None:
        self._refuse = refuse
        try:
            self.text = path.read_text(encoding="utf-8-sig")
            self.text = part(self.text) if part else self.text
            self.data = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            raise refuse(int(line[1]) if line else 1, (), str(error)) from None
        except UnicodeDecodeError as error:
            raise refuse(1, (), f"The file must be UTF-8: {error}") from None
        except OSError as error:
            raise refuse(1, (), str(error)) from None

    def table(self) -> TomlTable:
        """Return the whole file as a table."""
        return TomlTable(self, (), self.data)

    def error(self, place: Place, why: str) -> TercetError:
        """Return the error at ``place``, with the line where the innermost table or key around it begins."""
        lines, around = _lines(self.text), place
        while around not in lines:
            around = around[:-1]
        return self._refuse(lines[around], place, why)


def _lines(text: str) -> dict[Place, int]:
    """Return the line, from 1, in which each key and table begins."""
    found: dict[Place, int] = {(): 1}
    table: Place = ()
    quoted = False
    for number, line in enumerate(text.splitlines(), 1):
        head = None if quoted else re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line)
        key = None if quoted else re.match(r"""\s*["']?([\w-]+(?: [\w-]+)*)["']?\s*=""", line)
        if head:
            table = tuple(part.strip(" \"'") for part in head[2].split("."))
            if head[1] == "[[":
                table = (*table, sum(1 for known in found if known[:-1] == table and isinstance(known[-1], int)))
            found[table] = number
        elif key:
            found.setdefault((*table, key[1]), number)
        quoted ^= line.count('"""') % 2 == 1
    return found


class TomlTable:
    """A table of a file, at ``place``. Each method takes an entry; without a ``default`` the entry must be there."""

    def __init__(self, file: TomlFile, place: Place, data: Any) -> None:
        self.file, self.place = file, place
        if not isinstance(data, dict):
            raise file.error(place, "The value must be a table.")
        self._left = dict(data)
        self._known: dict[str, None] = {}

    def error(self, name: str, why: str) -> TercetError:
        """Return the error at the entry ``name``, or at the table where that is empty."""
        return self.file.error((*self.place, name) if name else self.place, why)

    def has(self, name: str) -> bool:
        """Return whether there is such an entry, not yet taken."""
        self._known[name] = None
        return name in self._left

    def take(self, name: str, kind: type | tuple[type, ...], default: Any = MISSING) -> Any:
        """Take a value of ``kind``, or of one of several."""
        self._known[name] = None
        value = self._left.pop(name, default)
        if value is MISSING:
            raise self.error(name, "This field is missing.")
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if value is not default and type(value) not in kinds:
            wanted = " or ".join(_KINDS[one] for one in kinds)
            raise self.error(name, f"The value must be {wanted}, not {_KINDS.get(type(value), type(value).__name__)}.")
        return value

    def number(self, name: str, default: Any, low: float, high: float) -> Any:
        """Take a number from ``low`` to ``high``: a whole one where these are."""
        value = self.take(name, int if isinstance(low, int) and isinstance(high, int) else (int, float), default)
        if value is not default and not low <= value <= high:
            raise self.error(name, f"The value must be between {low:g} and {high:g}, not {value:g}.")
        return value

    def text(self, name: str, default: Any = MISSING) -> str:
        """Take a text, with single spaces between its words."""
        return " ".join(str(self.take(name, str, default)).split())

    def texts(self, name: str, default: Any = ()) -> tuple[str, ...]:
        """Take a list of texts."""
        listed: Sequence[Any] = self.take(name, list, default)
        if not all(isinstance(one, str) for one in listed):
            raise self.error(name, "The value must be a list of texts.")
        return tuple(listed)

    def tables(self, name: str) -> list[TomlTable]:
        """Take a list of tables; none where it is missing."""
        listed = self.take(name, list, [])
        return [TomlTable(self.file, (*self.place, name, number), one) for number, one in enumerate(listed)]

    def each(self, name: str, read: Callable[[TomlTable], T]) -> tuple[T, ...]:
        """Take a list of tables, of which ``read`` takes all entries; return what it makes of each."""
        found = []
        for table in self.tables(name):
            found.append(read(table))
            table.end()
        return tuple(found)

    def named_tables(self, name: str) -> dict[str, TomlTable]:
        """Take a table of tables; none where it is missing."""
        inside = self.take(name, dict, {})
        return {key: TomlTable(self.file, (*self.place, name, key), one) for key, one in inside.items()}

    def end(self) -> None:
        """Refuse what is left."""
        for name in self._left:
            raise self.error(name, f"There is no such field here. Choose from {', '.join(self._known)}.")
