"""What a game may offer beyond its rules: each ability is declared in its :class:`~tercet.definition.GameDefinition`,
as one of these objects or None, and never looked for in any other way.

Parts that are modules of kernels (:class:`Resignation`, :class:`Agreement`, :class:`History`) are usually the module
that holds the other kernels; type checkers compare it with what is asked of it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from random import Random

    from tercet.action import Action
    from tercet.attention import Glance
    from tercet.definition import Rules
    from tercet.game import Game
    from tercet.outcome import Event
    from tercet.position import Position
    from tercet.view import Art, Exploration, Findings, Mark, RulesPage, Skin

__all__ = [
    "Advice",
    "Agreement",
    "EngineParts",
    "Explorations",
    "ForcedWin",
    "GameCount",
    "History",
    "Judge",
    "LessonParts",
    "Link",
    "MendedTurn",
    "MoverViews",
    "NetParts",
    "NotationStyle",
    "Openings",
    "Plan",
    "Planner",
    "Planning",
    "Preset",
    "PuzzleIdea",
    "PuzzleSource",
    "Puzzles",
    "QuickStart",
    "Resignation",
    "Sample",
    "SaveForm",
    "SearchKernels",
    "Skins",
    "Solution",
    "Solver",
    "Statistics",
    "Tally",
    "TurnForm",
    "WinProver",
]


class Resignation(Protocol):
    """Kernels of a game that goes on without a player who resigns, or knows players who are out of it."""

    def resign(self, rules: Any, row: Any, player: Any, events: Any, /) -> Any:
        """Play on without ``player``, in place; returns the number of events written (0: nothing changed)."""

    def may_resign(self, rules: Any, row: Any, player: Any, /) -> Any:
        """Whether ``player`` is still in the game. One who is not can neither resign nor is asked about a draw."""


class Agreement(Protocol):
    """Kernel of a game whose rules know a draw by agreement."""

    def draw_agreed(self, rules: Any, row: Any, events: Any, /) -> Any:
        """End the game as drawn, in place; returns the number of events written."""


class History(Protocol):
    """Kernel of a game whose row holds a history that its position string does not tell."""

    def forget(self, rules: Any, row: Any, /) -> Any:
        """Clear that history, in place."""


@dataclass(frozen=True)
class Tally:
    """A number for each player that is drawn through the game: ``title`` says what is counted, ``count(position)``
    gives one number for each player. Margins of victory are its differences."""

    title: str
    count: Callable[[Position], Sequence[float]]


@dataclass(frozen=True)
class Explorations:
    """What can be asked about a position. ``explore(position, id, cell, limit)`` answers with at most ``limit`` lines
    (KeyError where there is no exploration ``id``, or ``cell`` is given and not asked for, or the reverse);
    ``askable(position)`` gives the ids that have an answer here (None: all of them everywhere)."""

    offered: Callable[[Game], tuple[Exploration, ...]]
    explore: Callable[[Position, str, str | None, int], Findings]
    askable: Callable[[Position], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Skins:
    """The same game told and drawn otherwise. ``art(game, id)`` draws a skin (KeyError where there is no ``id``);
    None where a skin changes words only. ``rules(game, id)`` is the rules page of a skin that has one of its own, else
    None."""

    offered: tuple[Skin, ...]
    art: Callable[[Game, str], Art] | None = None
    rules: Callable[[Game, str], RulesPage | None] | None = None


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
class MendedTurn:
    """What a lenient reading makes of a turn: its ``actions`` (none where the text holds no turn), each slip of the pen
    with how it was mended, and the remark that stands beside it."""

    actions: Sequence[Action]
    slips: Sequence[str] = ()
    remark: str = ""


@dataclass(frozen=True)
class TurnForm:
    """Another way to write turns, from outside. ``read`` gives the actions that a turn means (IllegalAction),
    ``write(position, actions, number)`` writes a turn from a position, of the game's round ``number`` from 1 on; a
    round is over when a player who has moved in it moves again. ``split`` cuts a game's actions into turns.
    ``mend(position, line)`` reads the turns of a line with slips and remarks; None where the form has no such
    reading."""

    name: str
    title: str
    read: Callable[[Position, str], list[Action]]
    write: Callable[[Position, Sequence[Action], int], str]
    split: Callable[[Position, Iterable[Action | str]], list[list[Action]]]
    mend: Callable[[Position, str], list[MendedTurn]] | None = None


@dataclass(frozen=True)
class NotationStyle:
    """Another way to name cells and to write actions on a board and in lists of moves, for people who choose it.
    Records stay in canonical notation. ``id`` names it among the game's, ``title`` tells a person of it.

    ``cells(game)`` gives each cell's name in the style, ``labels(game)`` what to write in the place of the labels
    beside the board (those not named stay). ``write(game, text, events)`` writes an action from its canonical ``text``
    and its events. Where that begins with what the action before it in the turn is written as, it stands for both.
    """

    id: str
    title: str
    cells: Callable[[Game], Mapping[str, str]]
    labels: Callable[[Game], Mapping[str, str]]
    write: Callable[[Game, str, Sequence[Event]], str]


@dataclass(frozen=True)
class Preset:
    """A way to play that has a name: ``id`` names it among the game's, ``title`` and ``help`` tell a person of it;
    ``options`` are those that differ from the defaults, ``alone`` says that one person plays all sides. ``picture`` is
    a position string that shows it (empty: the start)."""

    id: str
    title: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False
    picture: str = ""


@dataclass(frozen=True)
class Sample:
    """A game worth playing through: ``id`` names it among the game's, ``title`` tells whose it is, ``path`` is the file
    with its record, comments included."""

    id: str
    title: str
    path: Path

    @property
    def text(self) -> str:
        """The record."""
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Link:
    """A page about the game elsewhere: ``title`` says what it is, ``address`` where."""

    title: str
    address: str


@dataclass(frozen=True)
class QuickStart:
    """A first game for somebody who does not know the game yet: its ``options``, the ``level`` of the engines against
    him, and ``picture``, a position string that shows what the game looks like (empty: the start), with ``moves`` from
    there that show how it goes."""

    options: Mapping[str, Any] = field(default_factory=dict)
    level: int = 2
    picture: str = ""
    moves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Advice:
    """What a beginner is told of a position: his ``aim`` in the game, and one ``hint`` (empty where there is none) with
    ``marks`` that show it on the board."""

    aim: str
    hint: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class LessonParts:
    """The game's lessons. ``folder`` holds their files (see :mod:`tercet.lessons`). ``predicates`` say things of a
    position in the game's own words, for goals and claims: ``predicates[name](position, player, value)`` is whether it
    is so for ``player``; ValueError where ``value`` makes no sense. ``advise(position, player)`` accompanies a beginner
    through a game that is going on."""

    folder: Path
    predicates: Mapping[str, Callable[[Position, int, Any], bool]] = field(default_factory=dict)
    advise: Callable[[Position, int], Advice] | None = None


@dataclass(frozen=True)
class SearchKernels:
    """What a game gives the general tree search of its own: ``kernels`` is a module with some of ``candidates``,
    ``quick_win``, ``forced_win``, ``rollout`` (see ``tercet.engines.kernels.defaults``); ``scratch(rules)`` and
    ``spare(rules)`` are the entries of int32 and of int64 memory that they need, ``memory(game)`` makes the memory of
    ``forced_win`` (arrays, or a named tuple of them; lists where the game is interpreted)."""

    kernels: ModuleType
    scratch: Callable[[Rules], int]
    spare: Callable[[Rules], int]
    memory: Callable[[Game], Any] | None = None


@dataclass(frozen=True)
class MoverViews:
    """Features written as the mover sees the game, so that all movers share weights, for any number of ``players``.

    The shares of all are foretold: the mover's, the next one's after him, and so on. ``kernels`` may have
    ``takes_part(row, player)`` besides: whether the player can still have a share, if not all can. An action is ranked
    by three sites at most, each with weights of its kind: for a game ``action_sites`` gives for each action of the
    action space its pairs of a site and its kind, from 0 to ``action_weights - 1``.
    """

    players: int
    action_weights: int
    action_sites: Callable[[Game], Sequence[Sequence[tuple[int, int]]]]


@dataclass(frozen=True)
class Strength:
    """What a level of tree search has: so many ``simulations`` an action, the share that it ``overlooks`` of what is
    far and quiet, whether the game's network evaluates (``net``), and whether it then divides its simulations among
    few actions by sequential ``halving`` (see ``engines.gumbel``)."""

    simulations: int
    overlooks: float = 0.0
    net: bool = False
    halving: bool = False


@dataclass(frozen=True)
class NetParts:
    """What a network sees of this game, whatever its options: *sites* with features, and a few numbers besides.

    ``kernels`` is a module with ``list_features(rules, row, places, scratch, out) -> n``, which writes ``n`` pairs (a
    site, one of its features) to ``out``, and ``write_inputs(rules, row, out)``, which writes INPUTS numbers from 0 to
    127. Features are numbers from 0 to FEATURES - 1; a site has at most AT_SITE of them at a time: these are the
    module's as well. For a game, ``sites`` counts its sites, ``scratch`` is the entries of scratch memory (int64), and
    ``places`` makes what `list_features` knows of its board, where it needs any.

    A game of two may leave it at that: each mover has weights of his own, and the first sites are the actions of the
    action space, in order. Otherwise ``views`` says how the game is seen by its mover.

    ``variants`` are the options that training plays with if nobody says, and ``teacher`` the engine that plays the
    first games and that networks are measured against, where the game has a planner. ``shipped`` is the network that
    comes with the game, with the hash that it must have; the highest levels use it where the game has no planner.
    ``levels`` are levels 1 to 9 of a game with it, where others than the common ones (``engines.levels``) suit that.
    """

    kernels: ModuleType
    sites: Callable[[Rules], int]
    variants: tuple[Mapping[str, Any], ...]
    scratch: Callable[[Rules], int] = lambda _: 1
    places: Callable[[Game], Sequence[int]] = lambda _: (0,)
    views: MoverViews | None = None
    teacher: str = "mcts"
    shipped: tuple[Path, str] | None = None
    levels: Callable[[Game], Sequence[Strength]] = lambda _: ()

    @property
    def features(self) -> int:
        """How many features there are."""
        return int(self.kernels.FEATURES)

    @property
    def most_at_site(self) -> int:
        """How many of them a site has at most."""
        return int(self.kernels.AT_SITE)

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return int(self.kernels.INPUTS)

    @property
    def heads(self) -> int:
        """How many shares a network knows to foretell: of either mover, or of each player as the mover sees them."""
        return 2 if self.views is None else self.views.players

    @property
    def action_weights(self) -> int:
        """How many kinds of sites an action may have: one for either mover, or as ``views`` says."""
        return 2 if self.views is None else self.views.action_weights


class Plan(Protocol):
    """A way to play a turn: its ``actions`` (numbers of the action space), each player's expected share of the point
    (0 to 1), a ``note`` on what is certain (empty where nothing is), and ``line``: the actions with those expected to
    follow them."""

    @property
    def actions(self) -> Sequence[int]: ...
    @property
    def scores(self) -> Sequence[float]: ...
    @property
    def note(self) -> str: ...
    @property
    def line(self) -> Sequence[int]: ...


class Planner(Protocol):
    """A game's own engine for turns of several actions.

    ``plan`` returns ways to play the turn that begins (or goes on) at ``position``, the best first, within so many
    ``seconds`` and ``nodes`` and ``depth`` turns (None: the planner's own limit), until ``halted()`` is true. It calls
    ``report(turns ahead, nodes, plans)`` whenever it has found something better. ``nodes`` is how many nodes the last
    search had; ``lines`` is how many plans are wanted. ``reset`` forgets everything learnt from earlier positions, so
    that the same positions get the same plans again.
    """

    lines: int

    @property
    def nodes(self) -> int: ...

    def plan(
        self,
        position: Position,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        halted: Callable[[], bool],
        report: Callable[[int, int, Sequence[Plan]], None],
    ) -> Sequence[Plan]: ...

    def reset(self) -> None: ...


@dataclass(frozen=True)
class Planning:
    """``make_planner(game, level, seed)`` makes a :class:`Planner` of strength 1 to 10 wherever ``plans(game)``;
    elsewhere the general tree search plays."""

    plans: Callable[[Game], bool]
    make_planner: Callable[[Game, int, int], Planner]


class ForcedWin(Protocol):
    """The mover wins in ``turns`` of his own or fewer, whatever the others do, beginning with ``action``."""

    @property
    def turns(self) -> int: ...
    @property
    def action(self) -> int: ...


class WinProver(Protocol):
    """Finds wins by force, exactly: ``prove(position, seconds, tries, halted)`` within a time, a number of actions
    tried (None: no bound) and until ``halted()``; None where it finds none. ``line(position, win, most, seconds)`` is
    how it goes, the others holding out as long as is found in that time. What it learns it keeps until ``forget``. Not
    for two threads at once."""

    def prove(
        self,
        position: Position,
        seconds: float | None = None,
        tries: int | None = None,
        halted: Callable[[], bool] | None = None,
    ) -> ForcedWin | None: ...

    def line(self, position: Position, win: Any, most: int = 12, seconds: float | None = None) -> Sequence[int]: ...

    def forget(self) -> None: ...


class Judge(Protocol):
    """The engine that an opening is planned for: it thinks about ``position`` with so many ``nodes`` (None: as long as
    it has for an action) and returns what it would play."""

    def __call__(self, position: Position, nodes: int | None, /) -> Plan: ...


@dataclass(frozen=True)
class Openings:
    """How engines play openings in which players set up positions and choose sides. ``opens(game)`` says whether there
    is such an opening, ``asks(position)`` whether the mover is asked for more than a turn; then
    ``plan(position, judge, chance, halted)`` returns what the mover can do, the best first, until ``halted()``."""

    opens: Callable[[Game], bool]
    asks: Callable[[Position], bool]
    plan: Callable[[Position, Judge, Random, Callable[[], bool]], Sequence[Plan]]


@dataclass(frozen=True)
class EngineParts:
    """What a game gives the engines, all of it optional: tree search plays any game from its rules alone.

    ``openings`` plays openings that are no turns. ``make_prover(game)`` makes a :class:`WinProver`, for games of two.
    ``attention(position)`` says how easily each legal action is seen, in their order, by which the weak levels of tree
    search overlook some. ``warm`` runs once the kernels that neither play nor explorations run, so that ``tercet warm``
    compiles them too. ``kernels`` is how many kernels Python calls, those of the rules included, before the engine of
    full strength has moved at the quick start: a player who waits while they compile sees their count.
    """

    search: SearchKernels | None = None
    make_prover: Callable[[Game], WinProver] | None = None
    openings: Openings | None = None
    planning: Planning | None = None
    nets: NetParts | None = None
    attention: Callable[[Position], Sequence[Glance]] | None = None
    warm: Callable[[], object] | None = None
    kernels: int = 0


class GameCount(Protocol):
    """What is counted in one game. ``follow(before, action, after)`` is called at each action; ``end(position)`` at the
    end returns the counts, made of JSON's types."""

    def follow(self, before: Position, action: Action, after: Position, /) -> None: ...
    def end(self, position: Position, /) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Statistics:
    """Figures over many games that a game's designers ask for, beyond what is counted in every game: its length, why it
    ends, and the points of each seat.

    ``help`` is a sentence that says what is counted. ``count(start)`` begins to count a game. ``summary(game, counts)``
    gives the figures of several games from their counts, made of JSON's types; ``report(game, summary)`` shows them to
    a person, one a line.
    """

    help: str
    count: Callable[[Position], GameCount]
    summary: Callable[[Game, Sequence[Mapping[str, Any]]], dict[str, Any]]
    report: Callable[[Game, Mapping[str, Any]], list[str]]


class Solution(Protocol):
    """The game from a position takes at least ``low`` and at most ``high`` turns; ``line`` ends it in ``high``: for
    each turn its actions in canonical notation. ``tried`` actions in ``seconds``."""

    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def is_proven(self) -> bool: ...
    @property
    def line(self) -> Sequence[Sequence[str]]: ...
    @property
    def tried(self) -> int: ...
    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True)
class Solver:
    """Solves positions of a game for one: ``solve(position, seconds, on_progress)`` within so many seconds (None:
    until it is proven); OptionError where it cannot with these options. ``options`` are presumed where nothing is
    said, ``help`` is a sentence about what is solved."""

    help: str
    solve: Callable[[Position, float | None, Callable[[Solution], None] | None], Solution]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PuzzleSource:
    """Games that puzzles are looked for in: played with ``options`` by ``engine`` on all seats, which looks at
    ``nodes`` nodes an action; a share ``noise`` of the actions is random. ``start(seed)`` is the position they begin
    with, where it is not the game's own."""

    options: Mapping[str, Any]
    engine: str = "level:5"
    nodes: int = 200
    noise: float = 0.15
    start: Callable[[int], Position] | None = None


@dataclass(frozen=True)
class PuzzleIdea:
    """What a game found: at ``position`` the mover is to see to it that the ``attackers`` reach ``goal`` within
    ``turns`` turns, if he is one of them, or else that they cannot. ``task`` says so to a person. ``right`` has the
    right first actions with their proofs, ``wrong`` the proofs against all others (None where they were only
    searched), ``best`` a stronger claim that fails: see ``tercet.proofs`` and ``docs/puzzles.md``. ``tags`` are the
    game's own; ``difficulty`` is an estimate, in points of rating."""

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
class Puzzles:
    """Puzzles of a game: ``find(positions, seed)`` looks for them in the positions of one game, in order;
    ``sources`` are the games to play for it, one after another; ``folder`` has the files that come with the game.
    ``by_tag`` has the games to play instead where puzzles with some tag are asked for, for tags that are rare."""

    sources: tuple[PuzzleSource, ...]
    find: Callable[[Sequence[Position], int], Iterable[PuzzleIdea]]
    folder: Path
    by_tag: Mapping[str, tuple[PuzzleSource, ...]] = field(default_factory=dict)
