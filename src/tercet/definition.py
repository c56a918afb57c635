"""What a game declares: :class:`GameDefinition`, with its packed :class:`Rules`, :class:`Kernels`, :class:`Notation`
and :class:`View`. What it may offer besides is in :mod:`tercet.abilities`, and can be imported from here too.

``mypy --strict`` checks a game against this: write ``DEFINITION = GameDefinition(...)`` in the game's ``__init__.py``.
A module serves as the object that a protocol asks for, if its functions have the names and types said here.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tercet.abilities import (
    Advice,
    Agreement,
    EngineParts,
    Explorations,
    GameCount,
    History,
    LessonParts,
    Link,
    MendedTurn,
    MoverViews,
    NetParts,
    NotationStyle,
    Openings,
    Plan,
    Planner,
    Planning,
    Preset,
    PuzzleIdea,
    Puzzles,
    PuzzleSource,
    QuickStart,
    Resignation,
    Sample,
    SaveForm,
    SearchKernels,
    Skins,
    Solution,
    Solver,
    Statistics,
    Strength,
    Tally,
    TurnForm,
)
from tercet.boards import Board
from tercet.options import Option

if TYPE_CHECKING:
    import numpy as np

    from tercet.game import Game
    from tercet.outcome import Event
    from tercet.position import Position
    from tercet.view import Art, Gesture, Path, Pick, PrintSheet, RulesPage, Scene

__all__ = [
    "Advice",
    "Agreement",
    "EngineParts",
    "Explorations",
    "GameCount",
    "GameDefinition",
    "History",
    "Kernels",
    "LessonParts",
    "Link",
    "MendedTurn",
    "MoverViews",
    "NetParts",
    "Notation",
    "NotationStyle",
    "Openings",
    "Option",
    "Plan",
    "Planner",
    "Planning",
    "Preset",
    "PuzzleIdea",
    "PuzzleSource",
    "Puzzles",
    "QuickStart",
    "Resignation",
    "Row",
    "Rules",
    "Sample",
    "SaveForm",
    "SearchKernels",
    "Skins",
    "Solution",
    "Solver",
    "Statistics",
    "Strength",
    "Tally",
    "TournamentForm",
    "TurnForm",
    "View",
]

TournamentForm = Literal["round-robin", "swiss", "arena", "best-margin"]

Row = Any  # int64 array (compiled) or list of int (interpreted)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """A game's options packed for its kernels, and what the rest needs to know of them. A game that wants to keep more
    with them derives its own class.

    ``data`` (int32, one-dimensional) is what kernels get as ``rules``. A position has ``row_size`` entries; at most
    ``max_legal`` actions of ``actions`` are legal at once (``open_sampler`` may use ``max_legal + 1`` entries);
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
    plane_scales: tuple[float, ...] = ()


class Kernels(Protocol):
    """The rules, as kernels over a row of integers (see :mod:`tercet.kernel` for what they may rely on)."""

    def setup(self, rules: Any, row: Any, seed: Any, /) -> Any:
        """Write the start position; ``seed`` (0 to 2**62 - 1) settles any chance."""

    def legal(self, rules: Any, row: Any, out: Any, /) -> Any:
        """List the legal actions in ``out``, rising; returns how many. None when the game is over."""

    def allows(self, rules: Any, row: Any, action: Any, /) -> Any:
        """Whether ``action``, a number of the action space, is legal."""

    def apply(self, rules: Any, row: Any, action: Any, events: Any, /) -> Any:
        """Play a legal ``action`` in place and write what happened, four integers an event; returns how many events."""

    def status(self, rules: Any, row: Any, /) -> Any:
        """0 while the game goes on, else an index of ``Rules.reasons``."""

    def scores(self, rules: Any, row: Any, out: Any, /) -> Any:
        """Write each player's share of the one point; zeros while the game goes on."""

    def mover(self, rules: Any, row: Any, /) -> Any:
        """The player whose decision it is."""

    def open_sampler(self, rules: Any, row: Any, scratch: Any, /) -> Any:
        """Prepare ``scratch`` for :meth:`sample` along a random game from here."""

    def sample(self, rules: Any, row: Any, state: Any, scratch: Any, /) -> Any:
        """A uniformly random legal action, drawn with the random ``state``."""

    def observe(self, rules: Any, row: Any, player: Any, out: Any, /) -> Any:
        """Write the observation planes as ``player`` sees them into ``out``, which is all zeros."""

    def refresh(self, rules: Any, row: Any, /) -> Any:
        """Compute everything in the row that follows from the rest of it."""


class Notation(Protocol):
    """How actions and positions are written."""

    def action_text(self, game: Game, row: Row, action: int, /) -> str:
        """Canonical notation of a legal action."""

    def parse_action(self, game: Game, row: Row, text: str, /) -> int:
        """The action that ``text`` means here, legal or not; IllegalAction where it means none."""

    def why_not(self, game: Game, row: Row, action: int, /) -> str:
        """Which rule forbids ``action``, which is not legal here."""

    def position_text(self, game: Game, row: Row, /) -> str:
        """The position string."""

    def position_options(self, text: str, /) -> dict[str, Any]:
        """The options that a position string names; ParseError."""

    def read_position(self, game: Game, text: str, row: Row, /) -> None:
        """Fill ``row`` from a position string of a game with these options; ParseError."""


class View(Protocol):
    """What a person sees and hears, as data (see :mod:`tercet.view`)."""

    def art(self, game: Game, /) -> Art:
        """What pieces and players are drawn with."""

    def picks(self, game: Game, /) -> tuple[Pick, ...]:
        """What is chosen outside the board on the way to an action."""

    def scene(self, position: Position, /) -> Scene:
        """Pieces, marks, panels and words of a position."""

    def paths(self, position: Position, /) -> list[Path]:
        """How each legal action is entered; no two alike."""

    def event(self, game: Game, record: Sequence[int], /) -> Event:
        """One event of ``apply`` in words."""

    def rules_page(self, game: Game, /) -> RulesPage:
        """The rules for a person."""


@dataclass(frozen=True, eq=False)
class GameDefinition:
    """A game's definition: what it must have, then what it may have, None (or empty) where it has not.

    ``pack`` turns complete options into :class:`Rules` (OptionError where they clash).
    ``turn_is_open(game, row)`` says whether the mover is in the middle of a turn of several actions, which can be
    undone action by action; None where each action is a turn. Asked only while the game goes on.
    ``answers(game, row)`` says whether what the mover is asked belongs to the turn before, another player's: lists
    of moves show it with that turn, while records number it by itself. None where that never is; asked only while the
    game goes on.
    ``decisive(game, row)`` names what decided a game that is over and gives its cells.
    ``images(game, row)`` are the rows that are the same but for a symmetry of the game, ``row`` itself among them.
    ``short_text(game, row, action)`` is a readable short form for move lists, ``note(game, row)`` what a record may
    remark beside a position.
    ``gestures(position)`` are several actions of the mover as one motion. ``attempt(position, steps)`` is the action,
    in notation, that ``steps`` (as in :class:`~tercet.view.Path`) ask for or begin with, legal or not, so that one can
    be told why it is not legal; None where they ask for nothing.
    ``facing`` gives for each player by how many degrees the board is turned, clockwise, so that his home is at the
    bottom. ``takebacks`` is the usual rule at a table: ``"consent"`` of the others, one's ``"own"``, or ``"off"``;
    ``retractions`` is how often a player may take back his own last turn in one game where the rule is ``"own"``.
    ``notation_styles`` are other ways to name cells and write moves, for people who choose them.
    ``rated`` lists, by option, the values that rated games may have besides its default: a range or a tuple; an option
    that is not named keeps its default. None: the game has no rated games. ``rated_preset`` is the preset, by its id,
    that rated games and tournaments have where their options are not named (empty: the defaults).
    ``presets`` are ways to play that have names, ``quick_start`` is what a newcomer plays first; ``typical_turns``
    is how many turns each player usually has in a game, from which the speed of a clock is estimated; ``samples``
    are records of games worth playing through; ``links`` lead to the designers' own pages; ``tournament_forms`` are the
    forms of tournament that make sense in the game: ``"best-margin"`` needs a ``tally``, and a game in which the size
    of a win counts; ``translations`` is the folder of what the game says in other languages (``de.toml``: see
    :mod:`tercet.server.translation.catalogue`); ``lessons`` teach the game; ``puzzles`` is how puzzles are found, and
    where those are that come with the game; ``print_sheets(game)`` are the parts to cut out of a printed game
    (:mod:`tercet.printing`), besides its board and its rules.
    """

    name: str
    title: str
    designer: str
    year: int
    summary: str
    options: tuple[Option, ...]
    pack: Callable[[Mapping[str, Any]], Rules]
    kernels: Kernels
    notation: Notation
    view: View
    turn_is_open: Callable[[Game, Row], bool] | None = None
    answers: Callable[[Game, Row], bool] | None = None
    decisive: Callable[[Game, Row], tuple[str | None, tuple[int, ...]]] | None = None
    images: Callable[[Game, Row], list[Row]] | None = None
    resignation: Resignation | None = None
    agreement: Agreement | None = None
    history: History | None = None
    short_text: Callable[[Game, Row, int], str] | None = None
    note: Callable[[Game, Row], str] | None = None
    gestures: Callable[[Position], tuple[Gesture, ...]] | None = None
    attempt: Callable[[Position, Sequence[str]], str | None] | None = None
    explorations: Explorations | None = None
    skins: Skins | None = None
    tally: Tally | None = None
    facing: tuple[int, ...] = ()
    takebacks: Literal["consent", "own", "off"] = "consent"
    quick_start: QuickStart = field(default_factory=QuickStart)
    retractions: int = 10
    rated: Mapping[str, Collection[Any]] | None = None
    rated_preset: str = ""
    typical_turns: int = 40
    links: tuple[Link, ...] = ()
    tournament_forms: tuple[TournamentForm, ...] = ("round-robin", "swiss", "arena")
    saves: tuple[SaveForm, ...] = ()
    turn_forms: tuple[TurnForm, ...] = ()
    notation_styles: tuple[NotationStyle, ...] = ()
    presets: tuple[Preset, ...] = ()
    samples: tuple[Sample, ...] = ()
    translations: pathlib.Path | None = None
    lessons: LessonParts | None = None
    engine: EngineParts = field(default_factory=EngineParts)
    statistics: Statistics | None = None
    solver: Solver | None = None
    puzzles: Puzzles | None = None
    print_sheets: Callable[[Game], tuple[PrintSheet, ...]] | None = None

    @property
    def rated_options(self) -> Mapping[str, Any]:
        """The options of rated games and tournaments that name none."""
        return next((preset.options for preset in self.presets if preset.id == self.rated_preset), {})

    @property
    def kernel_modules(self) -> tuple[object, ...]:
        """The modules that hold the game's kernels, each once: those of the rules, then of its declared abilities."""
        abilities = (self.resignation, self.agreement, self.history)
        return tuple(dict.fromkeys([self.kernels, *(module for module in abilities if module is not None)]))
