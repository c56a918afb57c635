"""What a game may offer beyond its rules: each ability is declared in its :class:`~tercet.definition.GameDefinition`,
as one of these objects or None, and never looked for in any other way.

Parts that are modules of kernels (:class:`Resignation`, :class:`Agreement`, :class:`History`, :class:`BitKernels`) are
usually the module that holds the other kernels; type checkers compare it with what is asked of it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from random import Random

    from tercet.attention import Glance
    from tercet.game import Action, Event, Game, Position, Transition
    from tercet.rules import Rules
    from tercet.view import Art, Exploration, Findings, Mark, RulesPage, Skin

__all__ = [
    "Advice",
    "Agreement",
    "BitKernels",
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
    """Kernels of a game that goes on without a player who resigns, or in which a player can be out."""

    def resign(self, rules: Any, row: Any, player: Any, events: Any, /) -> Any:
        """Play on without ``player``, in place; return the number of events written (0: nothing changed)."""

    def may_resign(self, rules: Any, row: Any, player: Any, /) -> Any:
        """Return whether ``player`` is still in the game. One who is out can neither resign nor agree to a draw."""


class Agreement(Protocol):
    """The kernel of a game whose rules know a draw by agreement."""

    def draw_agreed(self, rules: Any, row: Any, events: Any, /) -> Any:
        """End the game as a draw, in place; return the number of events written."""


class History(Protocol):
    """The kernel of a game whose row holds a history that its position string leaves out."""

    def forget(self, rules: Any, row: Any, /) -> Any:
        """Clear that history, in place."""


class BitKernels(Protocol):
    """Kernels of a game all of whose planes hold zeros and ones: a batch is described faster with bits.

    Bits are packed 32 to an entry, lowest first. In ``planes`` each plane begins with a new entry, and bits after its
    last cell mean nothing. Both arrays are uint32.
    """

    def observe_words(self, rules: Any, row: Any, player: Any, planes: Any, /) -> Any:
        """Write what ``observe`` writes."""

    def legal_words(self, rules: Any, row: Any, planes: Any, legal: Any, /) -> Any:
        """Write the legal actions; return how many they are. ``planes`` is what :meth:`observe_words` has written of
        this position from the mover's side."""

    def change_words(self, rules: Any, row: Any, action: Any, planes: Any, legal: Any, /) -> Any:
        """Do both for the mover of ``row``, where ``action`` was just played and the game goes on; return how many
        actions are legal. Both arrays hold what was written of the position before, which may save most of the work.
        """


@dataclass(frozen=True)
class Tally:
    """A number for each player, drawn through the game. Margins of victory are its differences.

    ``title`` says what is counted, and ``count(position)`` gives one number for each player.
    """

    title: str
    count: Callable[[Position], Sequence[float]]


@dataclass(frozen=True)
class Explorations:
    """Questions that a player can ask about a position.

    ``explore(position, id, cell, limit)`` answers with at most ``limit`` lines. It raises KeyError for an unknown
    ``id``, and if ``cell`` is given and not asked for, or the reverse. ``askable(position)`` gives the ids that have
    an answer here (None: all of them everywhere).
    """

    offered: Callable[[Game], tuple[Exploration, ...]]
    explore: Callable[[Position, str, str | None, int], Findings]
    askable: Callable[[Position], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Skins:
    """The same game in other words and drawings.

    ``art(game, id)`` draws a skin (KeyError for an unknown ``id``); None if skins change words only. ``rules(game,
    id)`` is the rules page of a skin that has its own, else None.
    """

    offered: tuple[Skin, ...]
    art: Callable[[Game, str], Art] | None = None
    rules: Callable[[Game, str], RulesPage | None] | None = None


@dataclass(frozen=True)
class SaveForm:
    """Another way to write positions, from outside.

    ``fits`` says whether a text looks like one. ``read`` reads it (ParseError), and ``write`` writes it (TercetError
    if the form has no room for the position).
    """

    name: str
    title: str
    fits: Callable[[str], bool]
    read: Callable[[str], Position]
    write: Callable[[Position], str]


@dataclass(frozen=True)
class MendedTurn:
    """What a lenient reading makes of a turn: its ``actions`` (none if the text holds no turn), each slip of the pen
    with its correction, and the remark beside it."""

    actions: Sequence[Action]
    slips: Sequence[str] = ()
    remark: str = ""


@dataclass(frozen=True)
class TurnForm:
    """Another way to write turns, from outside.

    ``read`` gives the actions of a turn (IllegalAction). ``write(position, actions, number)`` writes a turn of the
    game's round ``number``, from 1; a round ends when a player who has moved in it moves again. ``split`` cuts a
    game's actions into turns. ``mend(position, line)`` reads a line that has slips and remarks; None if the form has
    no such reading.
    """

    name: str
    title: str
    read: Callable[[Position, str], list[Action]]
    write: Callable[[Position, Sequence[Action], int], str]
    split: Callable[[Position, Iterable[Action | str]], list[list[Action]]]
    mend: Callable[[Position, str], list[MendedTurn]] | None = None


@dataclass(frozen=True)
class NotationStyle:
    """Another way to name cells and write actions on the page, for people who choose it. Records stay canonical.

    ``cells(game)`` gives each cell's name, and ``labels(game)`` replaces labels beside the board; labels left out
    stay. ``write(game, text, events)`` writes an action from its canonical ``text`` and its events. If the result
    begins with the text of the previous action of the turn, it stands for both.
    """

    id: str
    title: str
    cells: Callable[[Game], Mapping[str, str]]
    labels: Callable[[Game], Mapping[str, str]]
    write: Callable[[Game, str, Sequence[Event]], str]


@dataclass(frozen=True)
class Preset:
    """A named way to play. ``title`` and ``help`` describe it to a person.

    ``options`` are those that differ from the defaults. ``alone`` says that one person plays all sides. ``picture``
    is a position string that shows it (empty: the start).
    """

    id: str
    title: str
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False
    picture: str = ""


@dataclass(frozen=True)
class Sample:
    """A game worth playing through: ``title`` names the players, and ``path`` is the file with its record."""

    id: str
    title: str
    path: Path

    @property
    def text(self) -> str:
        """Return the record."""
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Link:
    """A page about the game elsewhere: ``title`` says what it is, ``address`` where."""

    title: str
    address: str


@dataclass(frozen=True)
class QuickStart:
    """A newcomer's first game: its ``options`` and the ``level`` of the engines.

    ``picture`` is a position string that shows what the game looks like (empty: the start). ``moves`` go on from
    there and show how it is played.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    level: int = 2
    picture: str = ""
    moves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Advice:
    """Advice for a beginner in a position: the ``aim`` of the game, and one ``hint`` (or none) with ``marks``."""

    aim: str
    hint: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class LessonParts:
    """The game's lessons. ``folder`` holds their files (see :mod:`tercet.lessons`).

    ``predicates`` are conditions in the game's own words, for goals and claims: ``predicates[name](position, player,
    value)`` is whether the condition holds for ``player``. It raises ValueError if ``value`` makes no sense.
    ``advise(position, player)`` advises a beginner during a game.

    ``first_game`` is the file of the game's guided first game. Its ideas point at what ``finders`` find:
    ``finders[name](position, player)`` returns names of cells, or none where there is nothing to see.
    ``careless(position, player)`` maps actions to why a newcomer would regret them; the page asks before it plays one.
    """

    folder: Path
    predicates: Mapping[str, Callable[[Position, int, Any], bool]] = field(default_factory=dict)
    advise: Callable[[Position, int], Advice] | None = None
    first_game: Path | None = None
    finders: Mapping[str, Callable[[Position, int], Sequence[str]]] = field(default_factory=dict)
    careless: Callable[[Position, int], Mapping[str, str]] | None = None


@dataclass(frozen=True)
class SearchKernels:
    """A game's own kernels for the general tree search.

    ``kernels`` is a module with some of ``candidates``, ``quick_win``, ``forced_win`` and ``rollout`` (see
    ``tercet.engines.kernels.defaults``). ``scratch(rules)`` and ``spare(rules)`` are the entries of int32 and int64
    memory that they need. ``memory(game)`` makes the memory of ``forced_win``: arrays or a named tuple of them, or
    lists for an interpreted game.
    """

    kernels: ModuleType
    scratch: Callable[[Rules], int]
    spare: Callable[[Rules], int]
    memory: Callable[[Game], Any] | None = None


@dataclass(frozen=True)
class MoverViews:
    """Features as the mover sees the game, so that all movers share weights, for any number of ``players``.

    The network predicts all shares: the mover's, the next player's, and so on. ``kernels`` may have ``takes_part(row,
    player)``, which says whether the player can still have a share. Up to three sites rank an action, each with
    weights of its kind. ``action_sites(game)`` gives for each action its pairs of a site and its kind, from 0 to
    ``action_weights - 1``.
    """

    players: int
    action_weights: int
    action_sites: Callable[[Game], Sequence[Sequence[tuple[int, int]]]]


@dataclass(frozen=True)
class Strength:
    """The settings of a level of tree search.

    ``simulations`` is their number for an action, and ``overlooks`` the share of far and quiet moves that it misses.
    ``net`` turns on the game's network, and ``halving`` divides the simulations among few actions by sequential
    halving (see ``engines.gumbel``).
    """

    simulations: int
    overlooks: float = 0.0
    net: bool = False
    halving: bool = False


@dataclass(frozen=True)
class NetParts:
    """What a network sees of a game, whatever its options: *sites* with features, and a few numbers besides.

    ``kernels`` is a module with two kernels and three constants. ``list_features(rules, row, places, scratch, out) ->
    n`` writes ``n`` pairs (a site, one of its features) to ``out``. ``write_inputs(rules, row, out)`` writes INPUTS
    numbers from 0 to 127. Features are numbers from 0 to FEATURES - 1, and a site has at most AT_SITE of them. For a
    game, ``sites`` counts its sites, ``scratch`` the entries of int64 scratch memory, and ``places`` makes a table of
    the board for ``list_features``.

    In a game of two without ``views``, each mover has its own weights, and the first sites are the actions in order.
    Otherwise ``views`` says how the mover sees the game.

    Training uses ``variants`` by default. ``teacher`` is the engine that plays the first games and that networks are
    measured against, if the game has a planner. ``shipped`` is the network that comes with the game, with its hash;
    the highest levels use it in games without a planner. ``levels`` replace the common levels 1 to 9
    (``engines.levels``) where others suit the network.
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
        """Return the number of features."""
        return int(self.kernels.FEATURES)

    @property
    def most_at_site(self) -> int:
        """Return the largest number of features of one site."""
        return int(self.kernels.AT_SITE)

    @property
    def inputs(self) -> int:
        """Return the number of inputs."""
        return int(self.kernels.INPUTS)

    @property
    def heads(self) -> int:
        """Return the number of predicted shares: one for either mover, or one for each player from the mover on."""
        return 2 if self.views is None else self.views.players

    @property
    def action_weights(self) -> int:
        """Return the number of kinds of sites of an action: one for either mover, or as ``views`` says."""
        return 2 if self.views is None else self.views.action_weights


@dataclass(frozen=True)
class Plan:
    """A way to play a turn.

    ``actions`` are numbers of the action space, ``scores`` each player's expected share of the point (0 to 1).
    ``note`` says what is certain (empty: nothing). ``line`` has the actions and the expected replies (empty: no
    replies are foreseen).
    """

    actions: Sequence[int]
    scores: Sequence[float]
    note: str = ""
    line: Sequence[int] = ()


class Planner(Protocol):
    """A game's own engine for turns of several actions.

    ``plan`` returns ways to play the turn that begins (or goes on) at ``position``, the best first. It keeps to
    ``seconds``, ``nodes`` and ``depth`` turns (None: its own limit), stops when ``halted()`` is true, and calls
    ``report(turns ahead, nodes, plans)`` whenever it has found something better. ``lines`` is the number of plans
    wanted, ``nodes`` the size of the last search. ``reset`` forgets what it learnt, so that the same positions get
    the same plans again.
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
    """Where a planner plays: ``make_planner(game, level, seed)`` makes a :class:`Planner` of level 1 to 10 if
    ``plans(game)``, else the general tree search plays."""

    plans: Callable[[Game], bool]
    make_planner: Callable[[Game, int, int], Planner]


class ForcedWin(Protocol):
    """A win by force: the mover wins within ``turns`` own turns, beginning with ``action``, whatever the others do."""

    @property
    def turns(self) -> int: ...
    @property
    def action(self) -> int: ...


class WinProver(Protocol):
    """A prover of forced wins, which makes no mistakes. One thread at a time may use it.

    ``prove(position, seconds, tries, halted)`` searches within a time and a number of tried actions (None: no bound),
    until ``halted()``; None if it finds no win. ``line(position, win, most, seconds)`` plays the win out against the
    longest defence found in that time. It keeps what it learns until ``forget``.
    """

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
    """The engine that an opening is planned for. It thinks about ``position`` with ``nodes`` nodes (None: the usual
    time) and returns its plan."""

    def __call__(self, position: Position, nodes: int | None, /) -> Plan: ...


@dataclass(frozen=True)
class Openings:
    """How engines play openings in which players set up positions and choose sides.

    ``opens(game)`` says whether the game has such an opening, and ``asks(position)`` whether the mover has to decide
    more than a turn. Then ``plan(position, judge, chance, halted)`` returns plans, the best first, until
    ``halted()``.
    """

    opens: Callable[[Game], bool]
    asks: Callable[[Position], bool]
    plan: Callable[[Position, Judge, Random, Callable[[], bool]], Sequence[Plan]]


@dataclass(frozen=True)
class EngineParts:
    """What a game gives the engines. All of it is optional: tree search plays any game from its rules alone.

    ``openings`` plays openings that are no turns. ``make_prover(game)`` makes a :class:`WinProver` for games of two.
    ``attention(position)`` says how easily each legal action is seen, in their order; weak levels overlook the
    others. ``warm`` runs the kernels that neither play nor explorations run, so that ``tercet warm`` compiles them
    too. ``kernels`` is the number of kernels that Python calls before the engine of full strength has moved at the
    quick start; a player who waits for them sees this count.
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
    """The counts of one game. ``follow(before, done)`` is called at each action, and ``end(position)`` returns the
    counts as JSON types."""

    def follow(self, before: Position, done: Transition, /) -> None: ...
    def end(self, position: Position, /) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Statistics:
    """Figures over many games, beyond those of every game: its length, its end, and the points of each seat.

    ``help`` says what is counted. ``count(start)`` begins to count a game. ``summary(game, counts)`` gives the
    figures of several games as JSON types, and ``report(game, summary)`` shows them to a person, one a line.
    """

    help: str
    count: Callable[[Position], GameCount]
    summary: Callable[[Game, Sequence[Mapping[str, Any]]], dict[str, Any]]
    report: Callable[[Game, Mapping[str, Any]], list[str]]


@dataclass(frozen=True)
class Solution:
    """Bounds on the length of the game from a position: at least ``low`` and at most ``high`` turns.

    ``line`` ends it in ``high``: for each turn its actions in notation. The solver tried ``tried`` actions in
    ``seconds``.
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


@dataclass(frozen=True)
class PuzzleSource:
    """Games to look for puzzles in. ``engine`` plays all seats with ``options`` and ``nodes`` nodes an action.

    A share ``noise`` of the actions is random. ``start(seed)`` is the first position, if not the game's own.
    """

    options: Mapping[str, Any]
    engine: str = "level:5"
    nodes: int = 200
    noise: float = 0.15
    start: Callable[[int], Position] | None = None


@dataclass(frozen=True)
class PuzzleIdea:
    """A puzzle that a game found: the ``attackers`` reach ``goal`` within ``turns`` turns from ``position``.

    If the mover is an attacker, the task is to reach the goal, else to prevent it; ``task`` says so to a person.
    ``right`` has the right first actions with their proofs. ``wrong`` has the proofs against all others (None if they
    were only searched), and ``best`` a stronger claim that fails: see ``tercet.proofs`` and ``docs/puzzles.md``.
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
class Puzzles:
    """The puzzles of a game. ``find(positions, seed)`` looks for them in the positions of one game, in order.

    ``sources`` are the games to play for it, one after another. ``folder`` has the files that come with the game.
    ``by_tag`` has other games to play for rare tags. ``named_options`` are named to a solver in any case; of
    the others only those that differ from the default.
    """

    sources: tuple[PuzzleSource, ...]
    find: Callable[[Sequence[Position], int], Iterable[PuzzleIdea]]
    folder: Path
    by_tag: Mapping[str, tuple[PuzzleSource, ...]] = field(default_factory=dict)
    named_options: tuple[str, ...] = ()
