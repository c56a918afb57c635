"""What a game declares: :class:`GameDefinition`, its :class:`Option`, packed :class:`Rules` and :class:`Notation`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from tercet.boards import Board
from tercet.errors import OptionError

if TYPE_CHECKING:
    import numpy as np

    from tercet.game import Action, Game, Position

__all__ = ["GameDefinition", "Notation", "Option", "Rules", "SaveForm", "TurnForm"]

Row = Any  # int64 array (compiled) or list of int (interpreted)


@dataclass(frozen=True)
class Option:
    """One option of a game's rules, as ``tercet.game(name, option=value)`` takes it.

    ``kind`` is ``"int"`` (``low`` to ``high``), ``"choice"`` (one of ``choices``), ``"bool"`` or ``"text"`` (checked by
    the game). ``help`` is one sentence for a person; ``words`` names each choice for a person.
    """

    name: str
    kind: str
    default: Any
    help: str
    title: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any) -> Any:
        """``value`` (of the right type or text) as this option's type; OptionError where it makes no sense."""
        if self.kind == "int":
            if isinstance(value, bool) or not isinstance(value, int):
                text = str(value).strip()
                digits = text[1:] if text[:1] == "-" else text
                if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
                    raise OptionError(self.name, f"needs a whole number, not {value!r}")
                value = int(text)
            if self.low is not None and value < self.low:
                raise OptionError(self.name, f"{value} is below the least, {self.low}")
            if self.high is not None and value > self.high:
                raise OptionError(self.name, f"{value} is above the most, {self.high}")
            return value
        if self.kind == "bool":
            if isinstance(value, bool):
                return value
            text = str(value).lower()
            if text in ("1", "true", "yes", "on"):
                return True
            if text in ("0", "false", "no", "off"):
                return False
            raise OptionError(self.name, f"needs true or false, not {value!r}")
        if not isinstance(value, str):
            raise OptionError(self.name, f"needs text, not {value!r}")
        if self.kind == "choice" and value not in self.choices:
            raise OptionError(self.name, f"is one of {', '.join(self.choices)}, not {value!r}")
        return value

    def write(self, value: Any) -> str:
        """``value`` as text that :meth:`read` takes."""
        return str(value).lower() if self.kind == "bool" else str(value)


@dataclass(frozen=True, eq=False)
class Rules:
    """A game's options packed for its kernels, and what the rest needs to know of them.

    ``data`` (int32) is what kernels get as ``rules``. ``row_size`` entries make a position; at most ``max_legal``
    actions of ``actions`` are legal at once (``max_legal`` is also the room that ``open_sampler`` may use, less one);
    one action causes at most ``max_events`` events. ``reasons[status]`` names why a game is over. ``planes`` names the
    observation planes, ``len(board)`` each; times ``plane_scales``, rounded and at most 255, their entries are whole
    numbers (empty: they are as they are). ``max_plies`` bounds the single actions of a game, None where nothing does.
    """

    data: np.ndarray
    board: Board
    players: tuple[str, ...]
    row_size: int
    actions: int
    max_legal: int
    max_events: int
    reasons: tuple[str, ...]
    planes: tuple[str, ...]
    max_plies: int | None
    extra: Mapping[str, Any] = field(default_factory=dict)
    plane_scales: tuple[float, ...] = ()


class Notation(Protocol):
    """What ``games/<name>/notation.py`` offers."""

    def action_text(self, game: Game, row: Row, action: int) -> str:
        """Canonical notation of a legal action."""

    def parse_action(self, game: Game, row: Row, text: str) -> int:
        """The action that ``text`` means here, legal or not; IllegalAction where it means none."""

    def why_not(self, game: Game, row: Row, action: int) -> str:
        """Which rule forbids ``action``, which is not legal here."""

    def position_text(self, game: Game, row: Row) -> str:
        """The position string."""

    def position_options(self, text: str) -> dict[str, Any]:
        """The options that a position string names; ParseError."""

    def read_position(self, game: Game, text: str, row: Row) -> None:
        """Fill ``row`` from a position string of a game with these options; ParseError."""


@dataclass(frozen=True)
class SaveForm:
    """Another way to write positions, from outside. ``fits`` says whether a text looks like one, ``read`` reads it
    (ParseError), ``write`` writes it (TercetError where the form has no room)."""

    name: str
    title: str
    fits: Callable[[str], bool]
    read: Callable[[str], Position]
    write: Callable[[Position], str]


@dataclass(frozen=True)
class TurnForm:
    """Another way to write turns, from outside. ``read`` gives the actions that a turn means (IllegalAction), ``write``
    a turn from a position, ``split`` cuts a game's actions into turns."""

    name: str
    title: str
    read: Callable[[Position, str], list[Action]]
    write: Callable[[Position, Sequence[Action]], str]
    split: Callable[[Position, Iterable[Action | str]], list[list[Action]]]


@dataclass(frozen=True, eq=False)
class GameDefinition:
    """A game's definition. ``pack`` turns complete options into :class:`Rules` (OptionError where they clash);
    ``saves`` and ``turn_forms`` are other ways to write its positions and turns."""

    name: str
    title: str
    designer: str
    year: int
    summary: str
    options: tuple[Option, ...]
    pack: Callable[[Mapping[str, Any]], Rules]
    kernels: ModuleType
    notation: Any
    view: Any
    engine: Any = None
    saves: tuple[SaveForm, ...] = ()
    turn_forms: tuple[TurnForm, ...] = ()
