"""A game's rules as data: :class:`Option`, a choice between variants, and :class:`Rules`, what kernels get of them.
What happens in a game, as values: :class:`Outcome` and :class:`Event`."""

from __future__ import annotations

import array
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tercet.core.boards import Board
from tercet.core.texts import Text
from tercet.errors import OptionError, ParseError

T = TypeVar("T")
MAX_SEED = (1 << 62) - 1
YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True)
class Option:
    """One option of a game's rules, as ``tercet.game(name, option=value)`` takes it.

    ``kind`` is ``"int"`` (``low`` to ``high``), ``"choice"`` (one of ``choices``), ``"bool"`` or ``"text"`` (checked by
    the game). ``help`` is one sentence for a person; ``words`` names each choice for a person; its keys are the
    ``choices`` if these are left out. Of a number or a text it names some usual values. ``pictured`` are values that
    people choose by a picture of the board. ``cells`` says that a text names cells of the board to leave out, joined by
    dots, so that people may choose them on the board.
    """

    name: str
    kind: str
    default: Any
    help: Text
    title: Text = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    words: Mapping[str, Text] = field(default_factory=dict)
    cells: bool = False
    pictured: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.choices and self.kind == "choice":
            object.__setattr__(self, "choices", tuple(self.words))

    @classmethod
    def choice(cls, name: str, about: Text, title: Text, words: Mapping[str, Text]) -> Option:
        """Return a choice among ``words``; the first is the default."""
        return cls(name, "choice", next(iter(words)), about, title, words=words)

    @property
    def explanation(self) -> str:
        """Return the help, and of a number what its usual values mean, as in "0: no limit"."""
        if self.kind != "int" or not self.words:
            return self.help
        return f"{self.help} {'; '.join(f'{value}: {words}' for value, words in self.words.items())}."

    def read(self, value: Any) -> Any:
        """Return ``value`` (of the right type or text) as this option's type; OptionError where it makes no sense."""
        if self.kind == "int":
            number = whole(value)
            if number is None and re.fullmatch("-?[0-9]{1,9}", str(value).strip()):
                number = int(str(value))
            if number is None:
                raise self._refused("a whole number", value)
            if self.low is not None and number < self.low:
                raise self._refused(f"at least {self.low}", number)
            if self.high is not None and number > self.high:
                raise self._refused(f"at most {self.high}", number)
            return number
        if self.kind == "bool":
            text = str(value).lower()
            if text not in (*YES, *NO):
                raise self._refused("true or false", value)
            return text in YES
        if not isinstance(value, str):
            raise self._refused("text", value)
        if self.kind == "choice" and value not in self.choices:
            raise self._refused(f"one of {', '.join(self.choices)}", value)
        return value

    def _refused(self, wanted: str, value: Any) -> OptionError:
        return OptionError(self.name, f"The option {self.name} must be {wanted}, not {value!r}.")

    def write(self, value: Any) -> str:
        """Return ``value`` as text that :meth:`read` takes."""
        return str(value).lower() if self.kind == "bool" else str(value)


def options_in(words: Iterable[str], known: Mapping[str, Option]) -> dict[str, Any]:
    """Return the values that ``words`` of a position string (``name=value``) give ``known`` options; ParseError."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            why = f"The options are {', '.join(known)}, each with = and a value, not {word[:30]!r}."
            raise ParseError("options", why)
        if name in values:
            raise ParseError(f"option {name}", f"The option {name} is given twice. Give it once.")
        try:
            values[name] = known[name].read(value)
        except OptionError as error:
            raise ParseError(f"option {name}", error.why) from None
    return values


def check_options(known: Iterable[Option], options: Mapping[str, Any]) -> None:
    """Raise OptionError where ``options`` go beyond what the kernels of a game know: its own options, ``known``. A
    definition that was changed may have others."""
    by_name = {option.name: option for option in known}
    if unlike := sorted(by_name.keys() ^ options.keys()):
        why = f"The kernels of the game know the options {', '.join(by_name)}. To change {unlike[0]}, replace a kernel"
        raise OptionError(unlike[0], f"{why}: `tercet new-variant` shows how.")
    for name, value in options.items():
        by_name[name].read(value)


def whole(value: Any, low: int | None = None, high: int | None = None) -> int | None:
    """Return ``value``, a whole number of Python, NumPy or any other library, as Python's; None where it is none, or is
    not from ``low`` to ``high``. Truth values and text are none."""
    if isinstance(value, bool):
        return None
    try:
        number = value if type(value) is int else operator.index(value)
    except TypeError:
        return None
    return number if (low is None or low <= number) and (high is None or number <= high) else None


def plain(value: Any) -> Any:
    """Return ``value`` with Python's whole numbers in the place of another library's; so a dictionary's values."""
    if value is None or type(value) in (int, str, bool):
        return value
    if type(value) is dict:
        return {name: plain(each) for name, each in value.items()}
    number = whole(value)
    return value if number is None else number


class PlainNumbers:
    """A base of frozen dataclasses, whose fields are made :func:`plain`."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if (kept := plain(value)) is not value:
                object.__setattr__(self, name, kept)


def replaced(value: T, **changes: Any) -> T:
    """Return a copy of a dataclass's ``value`` with ``changes``, several times as quickly as `dataclasses.replace`. It
    runs no ``__post_init__``, and serves what happens with every action."""
    made = object.__new__(type(value))
    fields, before = made.__dict__, value.__dict__
    for name in value.__dataclass_fields__:  # type: ignore[attr-defined]
        fields[name] = before[name]
    fields.update(changes)
    return made


def packed(numbers: Iterable[int]) -> array.array[int]:
    """Return ``numbers`` as :attr:`Rules.data`: 32-bit integers."""
    return array.array("i", numbers)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """A game's options packed for its kernels, with what Tercet needs to know about them.

    - ``data`` is the first argument of every kernel: 32-bit integers, as :func:`packed` makes them.
    - ``row_size`` is the number of entries of a row.
    - ``actions`` is the number of actions, ``max_legal`` of legal ones at once, and ``max_events`` of events of one
      action.
    - ``reasons[status]`` names why a game is over; ``reasons[0]`` is empty.
    - ``planes`` name the observation planes, each with one entry a cell. ``plane_scales`` turn their entries into
      whole numbers up to 255 (empty: all planes are zeros and ones).
    - ``max_plies`` is the largest number of actions of a game, or None.

    A game that wants to keep more derives its own class.
    """

    data: Any
    board: Board
    players: tuple[str, ...]
    row_size: int
    actions: int
    max_legal: int
    max_events: int
    reasons: tuple[str, ...]
    planes: tuple[str, ...]
    max_plies: int | None
    plane_scales: tuple[float, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a game ended. ``scores`` are the players' shares of one point; ``winners`` the players with the most (all
    who share it in a draw); ``reason`` a word of the game's; ``cells`` the decisive cells, ``pattern`` their name."""

    scores: tuple[float, ...]
    winners: tuple[int, ...]
    reason: str
    cells: tuple[str, ...] = ()
    pattern: str | None = None

    @property
    def is_draw(self) -> bool:
        """Return whether several players share the point."""
        return len(self.winners) != 1


@dataclass(frozen=True)
class Event:
    """Something that an action caused. ``kind`` and ``data`` are the game's own words, ``says`` a sentence for a
    person, ``cells`` where it happened."""

    kind: str
    cells: tuple[str, ...]
    says: Text
    data: Mapping[str, Any] = field(default_factory=dict)
