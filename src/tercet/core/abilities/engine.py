"""What a game gives the engines: kernels for the search, networks, planners of whole turns, provers, openings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from random import Random

    from tercet.core.game import Game, Position
    from tercet.core.rules import Rules
    from tercet.core.view import Glance


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
    player)``, which says whether the player can still have a share. Up to three sites rank an action, each with weights
    of its kind. ``action_sites(game)`` gives each action's pairs of a site and a kind, below ``action_weights``.
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
    measured against, if the game has a planner. ``shipped`` is the network that comes with the game, with its hash; the
    highest levels use it in games without a planner, if it ``suits(game)``, whose options may change what is good play.
    ``levels`` replace the common levels 1 to 9 (``engines.levels``) where others suit the network.
    """

    kernels: ModuleType
    sites: Callable[[Rules], int]
    variants: tuple[Mapping[str, Any], ...]
    scratch: Callable[[Rules], int] = lambda _: 1
    places: Callable[[Game], Sequence[int]] = lambda _: (0,)
    views: MoverViews | None = None
    teacher: str = "mcts"
    shipped: tuple[Path, str] | None = None
    suits: Callable[[Game], bool] = lambda _: True
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

    ``actions`` are numbers of the action space, ``scores`` each player's expected share of the point (0 to 1). ``note``
    says what is certain (empty: nothing). ``line`` has the actions and the expected replies (empty: none foreseen).
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
    wanted (0: one, without the replies), ``barred`` has actions that no plan should begin with, as far as it can leave
    them out. ``nodes`` is the size of the last search. ``reset`` forgets what it learnt, so that the same positions get
    the same plans again.
    """

    lines: int
    barred: frozenset[int]

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
    ``plans(game)``, else the general tree search plays. ``forced(position, nodes)`` says of each player whether a
    search of so many nodes proves that they can win against all others together (1), or that these can leave them
    nothing of the point (-1), or neither (0)."""

    plans: Callable[[Game], bool]
    make_planner: Callable[[Game, int, int], Planner]
    forced: Callable[[Position, int], tuple[int, ...]] | None = None


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
    """The engine that an opening is planned for. It returns its plan after ``nodes`` nodes (None: the usual time)."""

    def __call__(self, position: Position, nodes: int | None, /) -> Plan: ...


@dataclass(frozen=True)
class Openings:
    """How engines play openings in which players set up positions and choose sides.

    ``opens(game)`` says whether it has such an opening, ``asks(position)`` whether the mover has to decide more than a
    turn. Then ``plan(position, judge, chance, halted)`` returns plans, the best first, until ``halted()``.
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
