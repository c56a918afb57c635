"""Ten strengths for any game, engines by name, and an engine that overlooks actions as weak players do."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tercet.core.abilities.engine import Strength
from tercet.core.game import Action, Game, Position
from tercet.core.rules import whole
from tercet.core.view import Glance, overlooked
from tercet.engines.base import (
    ChangedEngine,
    Engine,
    EngineError,
    Limits,
    Line,
    OnInfo,
    PlannedEngine,
    RandomEngine,
    Thought,
    even_shares,
    read_seed,
)
from tercet.engines.gumbel import GumbelEngine, halving
from tercet.engines.mcts import MctsEngine, networked
from tercet.engines.nets import Net, parts_of, read_net, shipped_net
from tercet.engines.openings import OpeningEngine, opens
from tercet.engines.tree import Settings

MAX_LINES = 16  # of the best lines, in which something is looked for that was seen
LEAST_CHANCE = 0.02  # how readily something quiet is played where none of them was seen
SEEN_BY_EVENT = 0.15  # how much each thing that an action causes beyond itself is seen


def glances_of(position: Position) -> list[Glance]:
    """Return how easily each legal action is seen, in their order: as the game says, or else by what it causes."""
    attention = position.game.definition.engine.attention
    if attention is not None:
        return list(attention(position))
    found = []
    for action in position.legal_actions:
        done = position.transition(action)
        scores = done.after.scores
        wins = scores is not None and scores[position.mover or 0] == 1
        found.append(Glance(action.id, 1.0 if wins else min(0.8, SEEN_BY_EVENT * (len(done.events) - 1))))
    return found


class OverlookingEngine(ChangedEngine):
    """Plays the best of ``engine``'s lines whose first action it does not overlook; ``share`` is how much of what is
    far and quiet it does (see `overlooked`). Where it has seen none of them, it plays something
    else that it sees, the more obvious the likelier."""

    def __init__(self, engine: Engine, share: float, seed: int | None = None) -> None:
        super().__init__(engine, seed, overlooks=share)
        self._share = share

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        thought = self._engine._choose(position, replace(limits, multipv=max(limits.multipv, MAX_LINES)), stop, None)
        chosen = self._seen(position, thought.info.lines)
        lines = (chosen, *(line for line in thought.info.lines if line.pv[0] != chosen.pv[0]))
        info = replace(thought.info, lines=lines[: max(1, limits.multipv)])
        if on_info:
            on_info(info)
        return Thought(position.action(chosen.pv[0]), info)

    def _lines_of(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        return self._engine._lines_of(position, actions, limits, stop)

    def _seen(self, position: Position, lines: Sequence[Line]) -> Line:
        actions = position.legal_actions.ids
        glances = glances_of(position)
        missed = set(overlooked(glances, self._share, self._chance))
        weights = {
            int(action): glances[index].seen + LEAST_CHANCE
            for index, action in enumerate(actions)
            if index not in missed
        }
        for line in lines:
            if position.action(line.pv[0]).id in weights:
                return line
        action = Action(self._chance.choices(list(weights), list(weights.values()))[0], position)
        return Line(lines[0].scores if not lines[0].note else even_shares(position.game), (str(action),))


MOST_THREADS = 64


class Opponent(NamedTuple):
    """A computer opponent: its ``number`` from 1 to 10, its ``name``, a sentence of ``character``, and the name of the
    ``second`` of this level at the same table."""

    number: int
    name: str
    character: str
    second: str


LEVELS = tuple(
    Opponent(number, name, character, second)
    for number, (name, second, character) in enumerate(
        (
            ("Pip", "Pop", "Curious and easily distracted: often misses your threats. A child can win."),
            ("Dot", "Dash", "Takes a win when it sees one, but overlooks distant and quiet moves."),
            ("Fern", "Moss", "Follows its own plans, and stops yours more often than not."),
            ("Tick", "Tock", "Rarely misses a threat, but still overlooks many quiet moves."),
            ("Olive", "Basil", "Stays calm and misses almost nothing nearby, but doesn't look much further."),
            ("Hazel", "Rowan", "Never misses a win in one turn, stops yours, and plans a little further."),
            ("Flint", "Ember", "Plans further ahead, and likes short sequences of threats."),
            ("Argus", "Iris", "Has an eye for good moves and punishes most mistakes."),
            ("Onyx", "Opal", "Searches deeper and finds sequences of threats that few people see."),
            ("Vesper", "Nova", "Plays at full strength, using all the time it is given."),
        ),
        start=1,
    )
)
FULL = len(LEVELS)


def opponent_names(levels: Sequence[int]) -> list[str]:
    """Return the names of computer opponents of these ``levels`` at one table, each another one."""
    names: list[str] = []
    for number in levels:
        level, sitting = LEVELS[number - 1], len(names)
        free = (level.name, level.second, *(f"{level.name} {count}" for count in range(2, sitting + 2)))
        names.append(next(name for name in free if name not in names))
    return names


GLANCE = Settings(effort=0, root_effort=0)
LONG = Settings(effort=4, root_effort=100)  # with a network
# A game without engine kernels or without a network gets this many times as many simulations instead.
WITHOUT_KERNELS = 12
WITHOUT_NET = 30
_STRENGTHS = (
    *(Strength(2, 1.0), Strength(4, 0.69), Strength(8, 0.4), Strength(12, 0.21), Strength(18, 0.04)),
    *(Strength(26), Strength(55), Strength(4, net=True), Strength(60, net=True)),
)


def most_threads(game: Game) -> int:
    """Return how many threads the engines of ``game`` can use: one where it has a planner, else MOST_THREADS."""
    planning = game.definition.engine.planning
    return 1 if planning is not None and planning.plans(game) else MOST_THREADS


def level(game: Game, level: int, seed: int | None = None, threads: int = 1) -> Engine:
    """Return the engine of strength ``level`` (1 to 10).

    Levels below 10 count simulations, not time, so they are as strong on every machine. Level 10 takes the time of the
    limits, by default one second. EngineError for another level, or for too many ``threads`` (see `most_threads`).
    """
    strength, workers, seed = whole(level, 1, FULL), whole(threads, 1, most_threads(game)), read_seed(seed)
    if strength is None:
        raise EngineError(f"A level must be a whole number from 1 to {FULL}, not {level!r:.40}.")
    if workers is None:
        raise EngineError(f"The engine of {game.name} can use 1 to {most_threads(game)} threads, not {threads}.")
    planning = game.definition.engine.planning
    if planning is not None and planning.plans(game):
        return PlannedEngine(game, strength, seed)
    return _opening(_level(game, strength, seed, workers), game, seed)


def _level(game: Game, level: int, seed: int | None, threads: int) -> Engine:
    """Return the engine of a level for the turns of a game that has no planner."""
    if level == FULL:
        return MctsEngine(game, name=f"level:{level}", seed=seed, threads=threads, movetime=1.0, net=_own_net(game))
    own = game.definition.engine.nets
    suited = own.levels(game) if own is not None and _has_net(game) else ()
    strength = (suited or _STRENGTHS)[level - 1]
    net = _own_net(game) if strength.net else None  # reading it takes longer than a weak engine's first move
    nodes = strength.simulations
    if not suited:
        nodes *= WITHOUT_NET if strength.net and net is None else 1
        nodes *= WITHOUT_KERNELS if game.definition.engine.search is None else 1
    capacity = max(1 << 12, 1 << (32 * nodes).bit_length())
    settings = replace(LONG if strength.net else GLANCE, capacity=capacity)
    options: dict[str, Any] = {
        "name": f"level:{level}", "seed": seed, "threads": threads, "nodes": nodes, "capped": True, "proving": False
    }  # fmt: skip
    thinking: Engine
    if strength.net and net is not None and strength.halving:
        thinking = GumbelEngine(game, net=net, settings=halving(settings), **options | {"threads": 1})
    elif strength.net and net is not None:
        thinking = MctsEngine(game, net=net, settings=networked(settings), reuse=False, **options)
    else:
        thinking = MctsEngine(game, settings=settings, reuse=False, **options)
    return OverlookingEngine(thinking, strength.overlooks, seed) if strength.overlooks else thinking


def _has_net(game: Game) -> bool:
    """Return whether a network for so many players and such options comes with the game."""
    nets = game.definition.engine.nets
    return nets is not None and nets.shipped is not None and len(game.players) == nets.heads and nets.suits(game)


def _own_net(game: Game) -> Net | None:
    """Return that network."""
    return shipped_net(game.definition) if _has_net(game) else None


def _opening(thinking: Engine, game: Game, seed: int | None) -> Engine:
    return OpeningEngine(thinking, seed) if opens(game) else thinking


def _searching(kind: str, game: Game, path: str = "", **options: Any) -> Engine:
    """Return the search ``mcts``, ``net`` or ``gumbel``, the last two with a file's network (empty: the game's)."""
    make: Callable[..., Engine] = GumbelEngine if kind == "gumbel" else MctsEngine
    net = {} if kind == "mcts" else {"name": f"{kind}:{path}" if path else kind, "net": _net_of(game, path)}
    return _opening(make(game, **net, **options), game, options.get("seed"))


def _net_of(game: Game, path: str) -> Net:
    if path:
        return read_net(path, game.definition)
    net = shipped_net(game.definition)
    if not parts_of(game.definition).suits(game):
        raise EngineError(
            f"The network that comes with {game.definition.title} has not learnt these options. Name a network's file "
            "(net:FILE), or choose another engine."
        )
    return net


def engine_names() -> tuple[str, ...]:
    """Return the names that :func:`engine` takes, with ``level:N`` for the levels 1 to 10."""
    return ("random", "mcts", "net", "gumbel", "level:N", "net:FILE", "gumbel:FILE", "ugi:COMMAND")


def engine(name: str, game: Game, **options: Any) -> Engine:
    """Return the engine with this name; EngineError if there is none.

    Names are ``"random"``, ``"mcts"``, ``"level:1"`` to ``"level:10"``, ``"net"`` (the game's own network),
    ``"net:FILE"``, ``"gumbel"`` and ``"gumbel:FILE"`` (few actions at the root, see ``engines.gumbel``).
    ``"ugi:COMMAND"`` is an outside program that speaks the engine protocol.
    """
    kind, _, rest = str(name).partition(":")
    if "seed" in options:
        options["seed"] = read_seed(options["seed"])
    try:
        if kind in ("level", "engine"):
            if not (rest.isascii() and rest.isdigit() and len(rest) < 4):
                raise EngineError(f"A level must be a number from 1 to {len(LEVELS)}, not {rest!r}.")
            return level(game, int(rest), **options)
        if (kind in ("net", "gumbel") and rest) or name in ("mcts", "net", "gumbel"):
            return _searching(kind, game, rest, **options)
        if kind == "ugi" and rest:
            from tercet.engines.client import RemoteEngine

            return RemoteEngine(game, rest, **options)
        if name == "random":
            return RandomEngine(**options)
    except TypeError as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unknown is None:
            raise
        raise EngineError(f"The engine {name} has no option {unknown[1]}.") from None
    raise EngineError(f"There is no engine {name!r:.40}. Choose from {', '.join(engine_names())}.")
