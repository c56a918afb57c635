"""What an engine is: something that thinks about a position within limits and chooses an action. With the two simplest:
random play, and the engine of games with a planner of their own, which plans whole turns."""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, cast

from tercet.core.abilities.engine import Plan, Planner
from tercet.core.game import Action, Game, Position
from tercet.core.rules import PlainNumbers, whole
from tercet.core.texts import Text
from tercet.errors import TercetError


class EngineError(TercetError, ValueError):
    """An engine that does not exist, an option it does not have, or an outside engine that misbehaves."""


def read_seed(seed: Any) -> int | None:
    """Return ``seed`` as a number, or None; EngineError where it is neither."""
    number = whole(seed)
    if number is None and seed is not None:
        raise EngineError(f"seed must be a whole number or None, not {seed!r:.40}.")
    return number


@dataclass(frozen=True)
class Limits(PlainNumbers):
    """How long to think: the first limit that is reached counts.

    ``movetime`` is in seconds, ``nodes`` in simulations, ``depth`` in actions. ``infinite`` ends only when stopped or
    when the result is proven. ``multipv`` is the number of lines to report; with 0 only the action matters, and an
    engine may leave out what is expected to follow. Without a limit the engine uses its own.
    ``barred`` are numbers of actions not to play; an engine that cannot leave them out may report them all the same.
    EngineError where one of them makes no sense.
    """

    movetime: float | None = None
    nodes: int | None = None
    depth: int | None = None
    multipv: int = 1
    infinite: bool = False
    barred: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, unit, least in (("nodes", "simulations", 1), ("depth", "actions", 1), ("multipv", "lines", 0)):
            value = getattr(self, name)
            if not ((value is None and name != "multipv") or whole(value, least) is not None):
                raise EngineError(f"{name} must be a whole number of {unit}, at least {least}, not {value!r:.40}.")
        seconds: Any = self.movetime
        if not (seconds is None or (isinstance(seconds, Real) and float(seconds) >= 0)):
            raise EngineError(f"movetime must be a number of seconds, at least 0, not {seconds!r:.40}.")


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Line:
    """One line of play: each player's expected share of the point (0 to 1), and the actions in notation.

    ``note`` says what is certain, such as ``"win in 3"``: three turns of the winner's own.
    """

    scores: tuple[float, ...]
    pv: tuple[str, ...]
    note: Text = ""

    @property
    def is_proved(self) -> bool:
        """Return whether the end of the game is certain: there is a note."""
        return bool(self.note)

    def certainty(self, player: int) -> int:
        """Return 1 if ``player`` certainly wins, -1 if they certainly get nothing, else 0."""
        return 0 if not self.note or 0 < self.scores[player] < 1 else 1 if self.scores[player] else -1


def even_shares(game: Game) -> tuple[float, ...]:
    """Return each player's share of the point where all are equal."""
    return (1 / len(game.players),) * len(game.players)


@dataclass(frozen=True)
class Info:
    """The state of a search: ``lines``, the best first, and ``nodes`` (simulations), ``nps`` of them a second."""

    depth: int = 0
    nodes: int = 0
    nps: int = 0
    seconds: float = 0.0
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Thought:
    """The action that an engine chose, and the last report of its search."""

    action: Action
    info: Info = field(default_factory=Info)


OnInfo = Callable[[Info], None]


class Engine(ABC):
    """A player. ``options`` are the settings it was made with."""

    name: str
    options: dict[str, Any]

    def think(
        self, position: Position, limits: Limits, *, stop: threading.Event | None = None, on_info: OnInfo | None = None
    ) -> Thought:
        """Choose an action. ``stop`` ends thinking early. EngineError if the game is over."""
        if position.is_over:
            raise EngineError("The game is over.")
        stop = stop or threading.Event()
        thought = self._choose(position, limits, stop, on_info)
        if others := self._others(position, thought.info, limits, stop):
            first, *lines = thought.info.lines
            lines = sorted([*lines, *others], key=lambda line: -line.certainty(position.mover or 0))
            thought = replace(thought, info=replace(thought.info, lines=(first, *lines)))
            if on_info:
                on_info(thought.info)
        return thought

    def choose(self, position: Position) -> Action:
        """Return the action that `think` chooses within the engine's own limits, without a report."""
        return self.think(position, NO_LIMITS).action

    def _others(self, position: Position, info: Info, limits: Limits, stop: threading.Event) -> list[Line]:
        """Return lines for actions that ``info`` lacks, where a proof has left fewer than were asked for."""
        if limits.multipv < 2 or not info.lines or not info.lines[0].is_proved:
            return []
        most = min(limits.multipv, len(position.legal_actions)) - len(info.lines)
        if most < 1:
            return []
        known = {line.pv[0] for line in info.lines}
        legal = [action for action in position.legal_actions if action.id not in limits.barred]
        seconds = None if limits.movetime is None else max(0.0, limits.movetime - info.seconds)
        nodes = None if limits.nodes is None else max(most, limits.nodes - info.nodes)
        left = replace(limits, multipv=most, infinite=False, movetime=seconds, nodes=nodes)
        return self._lines_of(position, [action for action in legal if str(action) not in known], left, stop)[:most]

    def _lines_of(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:  # noqa: ARG002
        """Return the best lines that begin with ``actions``; none if the engine looks at one action only."""
        return []

    @abstractmethod
    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        """Choose an action for `think`."""

    def visits(self) -> dict[int, int]:
        """Return the visits of each action (by number) in the last search; empty without a search or a count."""
        return {}

    def policy(self) -> dict[int, float]:
        """Return the share that the last search gives each action (by number): what a network should learn.

        These are shares of `visits`, unless the engine knows better; empty if it needed no search.
        """
        visits = self.visits()
        total = sum(visits.values())
        return {action: count / total for action, count in sorted(visits.items())} if total else {}

    def pruned_visits(self) -> dict[int, int]:
        """Return `visits` without those for exploration alone; all if the engine does not tell them apart."""
        return self.visits()

    def new_game(self, seed: int | None = None) -> None:
        """Forget earlier positions, and begin random numbers from ``seed`` (None: from the engine's own seed)."""
        self._begin(read_seed(seed))

    def _begin(self, seed: int | None) -> None:  # noqa: B027  (an engine may have neither memory nor chance)
        """Begin as `new_game` says."""

    def close(self) -> None:  # noqa: B027  (only outside engines hold anything)
        """End the processes that the engine has started."""


class RandomEngine(Engine):
    """Plays any legal action with equal chance."""

    def __init__(self, seed: int | None = None) -> None:
        self.name = "random"
        self.options = {"seed": read_seed(seed)}
        self._random = random.Random(self.options["seed"])

    def _begin(self, seed: int | None) -> None:
        """Begin the sequence of random numbers again, if a seed was given."""
        seed = self.options["seed"] if seed is None else seed
        if seed is not None:
            self._random = random.Random(seed)

    def choose(self, position: Position) -> Action:
        """Return any legal action."""
        actions = position.legal_actions
        return cast(Action, actions[self._random.randrange(len(actions))])

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:  # noqa: ARG002
        action = self.choose(position)
        others = [other for other in position.legal_actions if other != action] if limits.multipv > 1 else []
        chosen = [action, *self._random.sample(others, min(max(0, limits.multipv - 1), len(others)))]
        info = Info(1, 1, 0, 0.0, tuple(Line(even_shares(position.game), (str(one),)) for one in chosen))
        if on_info:
            on_info(info)
        return Thought(action, info)


class ChangedEngine(Engine):
    """Changes what ``engine`` plays, with random numbers of its own. ``options`` are those that it has besides."""

    def __init__(self, engine: Engine, seed: int | None = None, **options: Any) -> None:
        self.name = engine.name
        self.options = engine.options | options
        self._engine = engine
        self._chance = random.Random(seed)

    def _begin(self, seed: int | None) -> None:
        self._engine.new_game(seed)
        if seed is not None:
            self._chance = random.Random(seed)

    def close(self) -> None:
        """End what the engine has started."""
        self._engine.close()


PV_LENGTH = 60  # actions of a line
QUICK_NODES = 300  # for what follows an action that no plan begins with


def report(position: Position, plans: Sequence[Plan], depth: int, nodes: int, seconds: float) -> Info:
    """Return ``plans`` for ``position``, the best first, as a report."""
    lines = tuple(
        Line(tuple(plan.scores), tuple(position.notate((plan.line or plan.actions)[:PV_LENGTH])), plan.note)
        for plan in plans
    )
    return Info(depth, nodes, int(nodes / max(seconds, 1e-6)), seconds, lines)


class PlannedTurn:
    """A turn that was planned: what it goes on with at each position on its way."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, Info]] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def at(self, position: Position) -> tuple[Action, Info] | None:
        """Return what follows at ``position``, or None where the turn does not lead there."""
        known = self._known.get(position.key())
        return None if known is None else (Action(known[0], position), known[1])

    def go_on(self, position: Position, limits: Limits, on_info: OnInfo | None) -> Thought | None:
        """Return what follows, unless ``limits`` ask for several lines, other actions or endless thinking."""
        known = None if limits.infinite or limits.multipv > 1 or limits.barred else self.at(position)
        if known is None:
            return None
        if on_info:
            on_info(known[1])
        return Thought(*known)

    def begin(self, position: Position, actions: Sequence[int], info: Info, *, repeat: bool = False) -> Thought:
        """Remember the turn that ``actions`` are, and return its first action. ``repeat``: answer alike when asked
        about ``position`` again, instead of planning once more."""
        self._known = {}
        best, following = info.lines[0], position
        for number, action in enumerate(actions):
            left = Info(info.depth, 0, 0, 0.0, (Line(best.scores, best.pv[number:], best.note),))
            if number or repeat:
                self._known[following.key()] = (action, left if number else info)
            following = following.play(action)
        return Thought(Action(actions[0], position), info)


class PlannedEngine(Engine):
    """Thinks at the first action of a turn and answers the others from its plan at once.

    The game's planner of strength ``level`` (1 to 10) plans, a new one for another game; EngineError if there is none.
    """

    def __init__(self, game: Game, level: int, seed: int | None = None) -> None:
        self.name = f"level:{level}"
        self.options: dict[str, Any] = {"seed": seed}
        self._level = level
        self._seed = random.SystemRandom().getrandbits(60) if seed is None else seed
        self._game = game
        self._planner = self._made(game)
        self._turn = PlannedTurn()
        self._lock = threading.Lock()

    def _made(self, game: Game) -> Planner:
        planning = game.definition.engine.planning
        if planning is None or not planning.plans(game):
            raise EngineError(f"The engine {self.name} does not play {game.name} with these options.")
        return planning.make_planner(game, self._level, self._seed)

    def _begin(self, seed: int | None) -> None:
        """Forget the plan; random numbers begin again from the seed."""
        self._turn = PlannedTurn()
        if seed is None:
            self._planner.reset()
        else:
            self._seed = seed
            self._planner = self._made(self._game)

    def planned(self, position: Position) -> tuple[Action, Info] | None:
        """Return what the turn planned last goes on with at ``position``; None if it does not lead there."""
        return self._turn.at(position) if position.game == self._game else None

    def rest(self, position: Position) -> Iterator[tuple[Position, Action, Info]]:
        """Yield each position from ``position`` to the end of the turn planned last, and what follows there."""
        while (planned := self.planned(position)) is not None:
            yield position, *planned
            position = position.play(planned[0])

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        with self._lock:
            if position.game != self._game:
                self._game = position.game
                self._planner = self._made(position.game)
                self._turn = PlannedTurn()
            known = self._turn.go_on(position, limits, on_info)
            return known or self._think(position, limits, stop, on_info)

    def _lines_of(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        """Plan without the actions known, then turns that begin with what even such plans leave out."""
        with self._lock:
            planner, left = self._planner, {action.id: action for action in actions}
            planner.lines = limits.multipv
            planner.barred = frozenset(int(number) for number in position.legal_actions.ids) - left.keys()
            plans = self._plan(position, limits, stop)
            quick = Limits(nodes=min(limits.nodes or QUICK_NODES, QUICK_NODES))
            plans = [plan for plan in plans if left.pop(plan.actions[0], None) is not None][: limits.multipv]
            planner.lines, planner.barred = 1, frozenset()
            for action in list(left.values())[: limits.multipv - len(plans)]:
                after, mover = position.play(action), position.mover or 0
                if after.scores is not None:
                    share = after.scores[mover]
                    best = Plan((), after.scores, "wins" if share == 1 else "draws" if share else "loses")
                else:
                    best = self._plan(after, quick, stop)[0]
                note = best.note if after.mover in (None, mover) else ""
                plans.append(Plan((action.id, *(best.line or best.actions)), best.scores, note))
            return list(report(position, plans, 1, 0, 0.0).lines)

    def _plan(self, position: Position, limits: Limits, stop: threading.Event) -> Sequence[Plan]:
        return self._planner.plan(position, limits.movetime, limits.nodes, limits.depth, stop.is_set, lambda *_: None)

    def _think(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        began = time.perf_counter()
        most, deepest = max(1, limits.multipv), 0

        def look(turns: int, nodes: int, plans: Sequence[Plan]) -> None:
            nonlocal deepest
            deepest = turns
            if on_info and plans:
                on_info(report(position, plans[:most], turns, nodes, time.perf_counter() - began))

        seconds, nodes = limits.movetime, limits.nodes
        if limits.infinite:
            seconds, nodes = float("inf"), None
        self._planner.lines, self._planner.barred = limits.multipv, limits.barred
        plans = self._planner.plan(position, seconds, nodes, limits.depth, stop.is_set, look)
        final = report(position, plans[:most], deepest, self._planner.nodes, time.perf_counter() - began)
        return self._turn.begin(position, plans[0].actions, final)
