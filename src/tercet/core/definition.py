"""What a game declares: :class:`GameDefinition`, with its :class:`Kernels`, :class:`Notation` and :class:`View`. Its
options and packed rules are in :mod:`tercet.core.rules`, and what it may offer besides in :mod:`tercet.core.abilities`.

``mypy --strict`` checks a game against this: write ``DEFINITION = GameDefinition(...)`` in the game's ``__init__.py``.
A module serves as the object that a protocol asks for, if its functions have the names and types said here.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tercet.core.abilities.engine import EngineParts
from tercet.core.abilities.kernels import Agreement, BitKernels, History, LegalBits, Resignation, ScaledPlanes
from tercet.core.abilities.knowledge import LessonParts, Puzzles, Solver, Statistics
from tercet.core.abilities.play import (
    Editor,
    Explorations,
    Link,
    NotationStyle,
    Preset,
    QuickStart,
    Sample,
    SaveForm,
    Skins,
    Tally,
    TurnForm,
)
from tercet.core.execution import bundle
from tercet.core.rules import Option, Rules

if TYPE_CHECKING:
    from tercet.core.game import Event, Game, Position
    from tercet.core.view import Art, Gesture, Path, Pick, PrintSheet, RulesPage, Scene

TournamentForm = Literal["round-robin", "swiss", "arena", "best-margin"]

Row = Any  # int64 array (compiled) or list of int (interpreted)


class Kernels(Protocol):
    """The rules, as kernels over a row of integers. See :mod:`tercet.kernel` for what they may rely on."""

    def setup(self, rules: Any, row: Any, seed: Any, /) -> Any:
        """Write the start position. ``seed`` (0 to 2**62 - 1) decides anything random."""

    def legal(self, rules: Any, row: Any, out: Any, /) -> Any:
        """List the legal actions in ``out``, rising; return their number (0 when the game is over)."""

    def allows(self, rules: Any, row: Any, action: Any, /) -> Any:
        """Return whether ``action``, a number of the action space, is legal."""

    def apply(self, rules: Any, row: Any, action: Any, events: Any, /) -> Any:
        """Play a legal ``action`` in place and write its events, four integers each; return their number."""

    def status(self, rules: Any, row: Any, /) -> Any:
        """Return 0 while the game goes on, else an index of ``Rules.reasons``."""

    def scores(self, rules: Any, row: Any, out: Any, /) -> Any:
        """Write each player's share of the one point; zeros while the game goes on."""

    def mover(self, rules: Any, row: Any, /) -> Any:
        """Return the player to decide."""

    def open_sampler(self, rules: Any, row: Any, scratch: Any, /) -> Any:
        """Prepare ``scratch`` for :meth:`sample` along a random game from here."""

    def sample(self, rules: Any, row: Any, state: Any, scratch: Any, /) -> Any:
        """Return a uniformly random legal action, drawn with the random ``state``."""

    def observe(self, rules: Any, row: Any, player: Any, out: Any, /) -> Any:
        """Write the observation planes as ``player`` sees them: every entry of ``out``, whatever it held."""

    def refresh(self, rules: Any, row: Any, /) -> Any:
        """Compute everything in the row that follows from the rest of it."""


class Notation(Protocol):
    """How actions and positions are written."""

    def action_text(self, game: Game, row: Row, action: int, /) -> str:
        """Return the canonical notation of a legal action."""

    def parse_action(self, game: Game, row: Row, text: str, /) -> int:
        """Return the action that ``text`` names, legal or not; IllegalAction if it names none."""

    def why_not(self, game: Game, row: Row, action: int, /) -> str:
        """Return the rule that forbids ``action``, which is not legal here."""

    def position_text(self, game: Game, row: Row, /) -> str:
        """Return the position string."""

    def position_options(self, text: str, /) -> dict[str, Any]:
        """Return the options in a position string; ParseError."""

    def read_position(self, game: Game, text: str, row: Row, /) -> None:
        """Fill ``row`` from a position string of a game with these options; ParseError."""


class View(Protocol):
    """What a person sees and hears, as data (see :mod:`tercet.core.view`)."""

    def art(self, game: Game, /) -> Art:
        """Return what pieces and players are drawn with."""

    def picks(self, game: Game, /) -> tuple[Pick, ...]:
        """Return the choices outside the board."""

    def scene(self, position: Position, /) -> Scene:
        """Return the pieces, marks, panels and words of a position."""

    def paths(self, position: Position, /) -> list[Path]:
        """Return how each legal action is entered; no two alike."""

    def event(self, game: Game, record: Sequence[int], /) -> Event:
        """Return one event of ``apply`` in words."""

    def rules_page(self, game: Game, /) -> RulesPage:
        """Return the rules for a person."""


@dataclass(frozen=True, eq=False)
class GameDefinition:
    """A game: the parts that it must have, then optional parts, None or empty by default.

    ``docs/reference/definition.md`` describes each part. ``pack`` raises OptionError where options clash.
    ``turn_is_open(game, row)`` and ``answers(game, row)`` are called only while the game goes on. ``decisive(game,
    row)`` returns the pattern and the cells that decided a finished game. ``attempt(position, steps)`` returns the
    action, in notation, that ``steps`` (as in `Path`) ask for or begin with, legal or not; None
    if they ask for nothing. ``move_again(game, row, player)`` returns the row in which ``player`` has the move, before
    the others' first turn; OptionError if the options exclude it. ``turn_words(events)`` returns what a long turn did
    up to now, in short; "" where the sentences of its events are short enough. ``events`` has a sentence for each
    kind of event: when it happens. ``rules_version`` rises when the same options, position and action lead to something
    else, ``planes_version`` when the same position shows a network something else. ``aim`` is the rule that explains
    the game, in a line of at most 60 characters; ``aim_holds(options)`` whether it is right under these options (None:
    under all). ``template_kernel`` is the kernel that ``tercet new-variant`` gives a designer to change.
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
    events: Mapping[str, str] = field(default_factory=dict)
    aim: str = ""
    aim_holds: Callable[[Mapping[str, Any]], bool] | None = None
    turn_is_open: Callable[[Game, Row], bool] | None = None
    answers: Callable[[Game, Row], bool] | None = None
    decisive: Callable[[Game, Row], tuple[str | None, tuple[int, ...]]] | None = None
    images: Callable[[Game, Row], list[Row]] | None = None
    move_again: Callable[[Game, Row, int], Row] | None = None
    resignation: Resignation | None = None
    agreement: Agreement | None = None
    history: History | None = None
    bits: BitKernels | None = None
    scaled: ScaledPlanes | None = None
    words: LegalBits | None = None
    short_text: Callable[[Game, Row, int], str] | None = None
    note: Callable[[Game, Row], str] | None = None
    turn_words: Callable[[Sequence[Event]], str] | None = None
    gestures: Callable[[Position], tuple[Gesture, ...]] | None = None
    attempt: Callable[[Position, Sequence[str]], str | None] | None = None
    editor: Editor | None = None
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
    template_kernel: str = "scores"
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
    studies: pathlib.Path | None = None
    wordmark: str = ""
    rules_version: int = 1
    planes_version: int = 1

    @property
    def environment_version(self) -> int:
        """Return the N of the environments ``tercet/NAME-vN``: it rises with the version of the rules or the planes."""
        return self.rules_version + self.planes_version - 1

    @property
    def rated_options(self) -> Mapping[str, Any]:
        """Return the options of rated games and tournaments that name none."""
        return next((preset.options for preset in self.presets if preset.id == self.rated_preset), {})

    @property
    def kernel_modules(self) -> tuple[object, ...]:
        """Return the modules of the game's kernels, each once: those of the rules, then of its abilities."""
        abilities = (self.resignation, self.agreement, self.history, self.bits, self.scaled)
        return tuple(dict.fromkeys([self.kernels, *(module for module in abilities if module is not None)]))

    def bundle(self, execution: str, *modules: object) -> SimpleNamespace:
        """Return the game's kernels and those of ``modules`` over them, as `execution.bundle` does."""
        return bundle(self.name, (*self.kernel_modules, *modules), execution)
