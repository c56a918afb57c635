"""What is learnt from a game: lessons, puzzles, figures over many games, solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tercet.core.game import Game, Position, Transition
    from tercet.core.view import Mark


@dataclass(frozen=True)
class Advice:
    """Advice for a beginner in a position: the ``aim`` of the game, and one ``hint`` (or none) with ``marks``."""

    aim: str
    hint: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class LessonParts:
    """The game's lessons. ``folder`` holds their files (see :mod:`tercet.learning.lessons`).

    ``predicates`` are conditions in the game's own words, for goals and claims: ``predicates[name](position, player,
    value)`` is whether the condition holds for ``player``. It raises ValueError if ``value`` makes no sense.
    ``advise(position, player)`` advises a beginner during a game.

    ``first_game`` is the file of the game's guided first game. Its ideas point at what ``finders`` find:
    ``finders[name](position, player)`` returns names of cells, or marks of its own, whose words begin the idea's text;
    none where there is nothing to see.
    ``careless(position, player)`` maps actions to why a newcomer would regret them; the page asks before it plays one.
    ``reason(position, turn)`` says in a sentence why the mover's ``turn`` helps them (empty if it sees no reason).
    """

    folder: Path
    predicates: Mapping[str, Callable[[Position, int, Any], bool]] = field(default_factory=dict)
    advise: Callable[[Position, int], Advice] | None = None
    first_game: Path | None = None
    finders: Mapping[str, Callable[[Position, int], Sequence[str | Mark]]] = field(default_factory=dict)
    careless: Callable[[Position, int], Mapping[str, str]] | None = None
    reason: Callable[[Position, Sequence[str]], str] | None = None


@dataclass(frozen=True)
class PuzzleSource:
    """Games to look for puzzles in. ``engine`` plays all seats with ``options`` and ``nodes`` nodes an action.

    A share ``noise`` of the actions is random. ``start(seed)`` is the first position, if not the game's own, and a game
    ends after ``plies`` actions at the latest. ``find`` looks for the puzzles, in place of the game's own (None).
    """

    options: Mapping[str, Any]
    engine: str = "level:5"
    nodes: int = 200
    noise: float = 0.15
    start: Callable[[int], Position] | None = None
    plies: int = 600
    find: Callable[[Sequence[Position], int], Iterable[PuzzleIdea]] | None = None


@dataclass(frozen=True)
class PuzzleIdea:
    """A puzzle that a game found: the ``attackers`` reach ``goal`` within ``turns`` turns from ``position``.

    If the mover is an attacker, the task is to reach the goal, else to prevent it; ``task`` says so to a person.
    ``right`` has the right first actions with their proofs. ``wrong`` has the proofs against all others (None if they
    were only searched), and ``best`` a stronger claim that fails: see ``tercet.core.proofs`` and ``docs/puzzles.md``.
    ``tags`` are the game's own; ``difficulty`` is an estimated rating.
    """

    position: Position
    attackers: tuple[int, ...]
    goal: Mapping[str, Any]
    turns: int
    task: str
    right: Mapping[str, Any]
    wrong: Any
    tags: tuple[str, ...]
    difficulty: int
    best: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Motif:
    """A motif that the trainer teaches, by the name ``key``: something that the puzzles with all of ``tags`` have in
    common. ``title`` names it to a person, and ``says`` tells in a sentence what one learns to see."""

    key: str
    title: str
    says: str
    tags: tuple[str, ...]

    def holds(self, puzzle: Mapping[str, Any]) -> bool:
        """Return whether a puzzle, as its file says it, has this motif."""
        return set(self.tags) <= set(puzzle["tags"])


@dataclass(frozen=True)
class Puzzles:
    """The puzzles of a game. ``find(positions, seed)`` looks for them in the positions of one game, in order.

    ``sources`` are the games to play for it, one after another. ``folder`` has the files that come with the game.
    ``by_tag`` has other games to play for rare tags, and for motifs with such a tag. ``named_options`` are named to a
    solver in any case; of the others only those that differ from the default. ``daily(position, mover)``, of the
    position's string, is whether a puzzle may be one of a day, which newcomers solve too (None: any may). ``motifs``
    are those of the trainer.
    """

    sources: tuple[PuzzleSource, ...]
    find: Callable[[Sequence[Position], int], Iterable[PuzzleIdea]]
    folder: Path
    by_tag: Mapping[str, tuple[PuzzleSource, ...]] = field(default_factory=dict)
    named_options: tuple[str, ...] = ()
    daily: Callable[[str, int], bool] | None = None
    motifs: tuple[Motif, ...] = ()


class GameCount(Protocol):
    """The counts of one game. ``follow(before, done)`` is called at each action, and ``end(position)`` returns the
    counts as JSON types."""

    def follow(self, before: Position, done: Transition, /) -> None: ...
    def end(self, position: Position, /) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Statistics:
    """Figures over many games, beyond those of every game: its length, its end, and the points of each seat.

    ``help`` says what is counted. ``count(start)`` begins to count a game. ``summary(game, counts)`` gives the
    figures of several games as JSON types, and ``report(game, summary)`` shows them to a person, one a line. ``titles``
    name figures, or groups of them, above charts.
    """

    help: str
    count: Callable[[Position], GameCount]
    summary: Callable[[Game, Sequence[Mapping[str, Any]]], dict[str, Any]]
    report: Callable[[Game, Mapping[str, Any]], list[str]]
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Solution:
    """Bounds on the length of the game from a position: at least ``low`` and at most ``high`` turns.

    ``line`` ends it in ``high``: for each turn its actions in notation. ``tried`` actions took ``seconds``.
    """

    low: int
    high: int
    line: Sequence[Sequence[str]]
    tried: int
    seconds: float

    @property
    def is_proven(self) -> bool:
        """Return whether ``high`` is the smallest number of turns."""
        return self.low == self.high


@dataclass(frozen=True)
class Solver:
    """A solver of positions for one player: ``solve(position, seconds, on_progress)`` (None: until proven); OptionError
    if it cannot solve games with these options. ``options`` are its defaults, ``help`` a sentence about it."""

    help: str
    solve: Callable[[Position, float | None, Callable[[Solution], None] | None], Solution]
    options: Mapping[str, Any] = field(default_factory=dict)
