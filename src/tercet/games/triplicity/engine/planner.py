"""Triplicity's planner: iterative deepening with the settings of ten levels, with what each overlooks and what the
solved endings know."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tercet import kernel
from tercet.core.abilities.engine import Plan
from tercet.core.execution import bundle
from tercet.core.game import Game, Position
from tercet.core.view import Glance, overlooked
from tercet.games.triplicity.engine.kernels import alphabeta, evaluation, memory
from tercet.games.triplicity.engine.kernels.memory import BEST_REPLY
from tercet.games.triplicity.engine.tablebase import Ending, best_actions, class_of, endings
from tercet.games.triplicity.kernels import layout


@dataclass(frozen=True)
class SearchSettings:
    """How much a level sees. ``depth`` actions ahead and ``nodes`` at most (None: as far as time allows), then up to
    ``calm`` captures; of the first actions it overlooks so large a share of the quiet ones (``overlooks``, see
    :mod:`tercet.core.view`). Positions worth the same give or take
    ``noise`` are the same to it. ``mode`` is how it thinks of its enemies, ``wide`` how many quiet actions it looks at
    for each one left, ``late`` from which one on less deeply, ``margin`` how many points a quiet action is trusted to
    bring. ``drawn`` is how many points less than its share a draw is worth to it, ``table`` the logarithm of how many
    positions it remembers; ``endings`` whether it knows the solved ones; ``wary`` whether it thinks of both enemies
    where its last king is in danger (see ``kernels.alphabeta``); ``placed`` whether it knows what men are worth where
    they stand."""

    depth: int | None = None
    nodes: int | None = None
    calm: int = 6
    overlooks: float = 0.0
    noise: int = 7
    mode: int = BEST_REPLY
    wide: int = 29
    late: int = 10
    margin: int = 134
    drawn: int = 300
    table: int = 18
    endings: bool = False
    wary: bool = False
    placed: bool = False


# Wanting more than a draw was measured to win for who looks ahead little, and not for who looks ahead far.
LEVELS: dict[int, SearchSettings] = {
    1: SearchSettings(depth=1, calm=0, overlooks=0.9, noise=255, table=8),
    2: SearchSettings(depth=1, calm=0, overlooks=0.62, noise=255, table=8),
    3: SearchSettings(depth=1, calm=0, overlooks=0.37, noise=200, table=8),
    4: SearchSettings(depth=1, calm=1, overlooks=0.49, noise=200, table=8),
    5: SearchSettings(depth=1, calm=1, overlooks=0.3, noise=127, table=8),
    6: SearchSettings(depth=1, calm=1, overlooks=0.08, noise=15, table=8),
    7: SearchSettings(depth=2, calm=2, overlooks=0.08, noise=37, table=12),
    8: SearchSettings(depth=3, nodes=2_000, calm=4, noise=15, table=14, endings=True),
    9: SearchSettings(nodes=8_000, drawn=0, table=16, endings=True),
    10: SearchSettings(drawn=0, endings=True, wary=True, placed=True),
}


# Points (see ``kernels.evaluation``); lists go by kind, from pawn to king, or by a token's worth with 1 to 3 players.
# These and the numbers of the search were found by play (``benchmarks/triplicity_tuning.py``).
WEIGHTS: dict[str, Any] = {
    "value": (100, 263, 272, 551, 988, 487),
    "mobility": (0, 6, 6, 1, 0, 3),
    "token": (24, 24, 56),
    "scale": 416,
    "zone": 6,
    "exposed": 5,
    "doomed": 35,
    "checked": 131,
    "loose_soon": 37,
    "loose_later": 14,
    "hit": 6,
}
ADVANCE = tuple(2 * (12 - way) ** 2 for way in range(13))  # of a pawn, by its way to promotion


def index_of(name: str) -> int:
    """Return where the kernels find the first of the weights ``name``."""
    return int(getattr(evaluation, name.upper())) + (name in ("value", "mobility"))  # kinds are counted from 1


def places(game: Game) -> list[int]:
    """Return where each mover sees each cell: turned as White, Black and Red are turned into White."""
    turns = game.board.symmetries
    return [place for mover in range(3) for place in turns[(3 - mover) % 3]]


@functools.cache
def placement() -> tuple[tuple[int, ...], ...]:
    """The points of each kind of man, from pawn to king, on each cell as its owner sees the board from White's side.
    They were learnt from games (``benchmarks/triplicity_places.py``)."""
    lines = Path(__file__).with_name("placement.csv").read_text(encoding="ascii").split()[1:]
    return tuple(zip(*(map(int, line.split(",")[1:]) for line in lines), strict=True))


def weights(game: Game, placed: bool) -> list[int]:
    """WEIGHTS as the kernels take them, with `placement` if ``placed``."""
    packed = [0] * evaluation.WEIGHTS
    for name, points in WEIGHTS.items():
        values = points if isinstance(points, tuple) else (points,)
        packed[index_of(name) : index_of(name) + len(values)] = values
    for site, seen in enumerate(places(game)):
        player, cell = divmod(site, layout.SIZE)
        at = evaluation.PLACED + layout.KING * layout.SIZE * player + cell
        packed[at] = ADVANCE[game.rules.data[layout.HEIGHT + site]]
        for kind, points in enumerate(placement() if placed else ()):
            packed[at + layout.SIZE * kind] += points[seen]
    return packed


class Search:
    """The memory of searches by one ``strength``. Not for two threads at once. ``nodes`` counts the positions that the
    search begun last has looked at."""

    def __init__(self, game: Game, strength: SearchSettings) -> None:
        self._execution = game.execution
        self.kernels = bundle("triplicity", (evaluation, memory, alphabeta), game.execution)
        zeros = functools.partial(kernel.zeros, game.execution)
        levels, width = memory.LEVELS + 1, 2 * game.rules.max_legal + 2
        self.weights = kernel.array(game.execution, weights(game, strength.placed), "int32")
        self.weights[evaluation.DRAWN] = strength.drawn
        self.memory = memory.SearchMemory(
            rows=zeros((levels, layout.ROW_SIZE), "int64"),
            codes=zeros((levels, width), "int32"),
            ranks=zeros((levels, width), "int32"),
            frames=zeros((levels, memory.FRAME), "int64"),
            header=zeros(memory.HEADER + game.rules.max_legal + 1, "int64"),
            spare=zeros(width, "int32"),
            weights=self.weights,
            work=zeros(evaluation.WORK, "int64"),
            history=zeros(3 * layout.ACTIONS, "int32"),
            table=zeros(4 << strength.table, "int64"),
            events=game.new_events(),
        )
        self.reset()
        start = game.start()  # compiling the kernels, or loading what was compiled, is not thinking time
        self.strengths(start)
        self.standing(start, 0)
        self.begin(start, 1)
        self.run(start, 0)

    def reset(self) -> None:
        """Forget everything."""
        for array in (self.memory.table, self.memory.history):
            kernel.clear(array)
        self._age = 0

    def standing(self, position: Position, me: int) -> int:
        """The position's worth to ``me`` at a look (see ``kernels.evaluation``)."""
        return int(self.kernels.worth(position.game.data, position.row, self.weights, self.memory.work, me, 0))

    def strengths(self, position: Position) -> tuple[int, int, int]:
        """Each player's strength at a look; 0 for who is no longer in the game."""
        work = self.memory.work
        self.kernels.strengths(position.game.data, position.row, self.weights, work)
        first = evaluation.STRENGTHS
        return int(work[first]), int(work[first + 1]), int(work[first + 2])

    def shares(self, position: Position, me: int, value: int) -> tuple[float, ...]:
        """Each player's share of the chances if the position is worth ``value`` to ``me``: that player's by that, the
        others' as their strengths compare at a look."""
        scale = float(self.weights[evaluation.SCALE])
        most = 0.75 if position.game.rules.data[layout.RULE_SECOND] else 1.0
        mine = most * (value > 0) if abs(value) > evaluation.NEARLY else 1 / (1 + 2 ** (-value / scale))
        strong = self.strengths(position)
        odds = [2 ** ((s - max(strong)) / scale) if s and p != me else 0.0 for p, s in enumerate(strong)]
        rest = sum(odds) or 1.0
        return tuple(mine if player == me else (1 - mine) * odds[player] / rest for player in range(3))

    def prepare(self, me: int, strength: SearchSettings, salt: int) -> None:
        """Get ready to think for ``me`` about another position; what was learnt stays, but counts for less."""
        arrays, header = self.memory, self.memory.header
        self._age = self._age % 63 + 1
        if self._execution == "compiled":
            history = arrays.history
            history >>= 2
        else:
            for index in range(len(arrays.history)):
                arrays.history[index] >>= 2
        for name, value in (
            (memory.ME, me), (memory.MODE, strength.mode), (memory.NODES, 0), (memory.SALT, salt),
            (memory.NOISE, strength.noise), (memory.AGE, self._age), (memory.DEEPEST, 0), (memory.CALM, strength.calm),
            (memory.WIDE, strength.wide), (memory.LATE, strength.late), (memory.MARGIN, strength.margin),
            (memory.WARY, int(strength.wary)),
        ):  # fmt: skip
            header[name] = value

    def begin(
        self,
        position: Position,
        depth: int,
        barred: Iterable[int] = (),
        me: int | None = None,
        window: tuple[int, int] = (-memory.LIMIT, memory.LIMIT),
    ) -> None:
        """Begin to search ``position`` so many actions deep, without the actions ``barred``, for ``me`` (default: for
        whom `prepare` said), for a value in ``window``."""
        header = self.memory.header
        count = 0
        for action in barred:
            header[memory.BARS + count] = action
            count += 1
        header[memory.BARRED] = count
        if me is not None:
            header[memory.ME] = me
        self.kernels.begin(position.game.data, position.row, self.memory, depth, *window)

    def run(self, position: Position, budget: int) -> bool:
        """Go on searching for up to ``budget`` nodes; whether it is finished."""
        return bool(self.kernels.search(position.game.data, self.memory, budget))

    @property
    def nodes(self) -> int:
        """Positions looked at since `prepare`."""
        return int(self.memory.header[memory.NODES])

    @property
    def choice(self) -> int:
        """The best action found so far, -1 for none."""
        return int(self.memory.frames[0][memory.CHOICE])

    @property
    def best(self) -> int:
        """What it is worth to who moves."""
        return int(self.memory.frames[0][memory.BEST])


KING, OTHERS, SAVING, QUIET = 1.0, 0.7, 0.55, 0.2  # taking a king, another man; moving one who could be taken; others


def attention(position: Position) -> list[Glance]:
    """Each legal action. What takes the same man is one topic; what the same man does besides is another."""
    game, row = position.game, position.row
    mover = position.mover or 0
    others = [player for player in range(3) if player != mover and row[layout.STATE + player] == layout.ACTIVE]
    afraid: dict[int, bool] = {}
    found = []
    for number in position.legal_actions.ids:
        action = int(number)
        goal = int(game.kernels.target(game.data, action))
        if action >= layout.PURCHASES:
            found.append(Glance(-1, QUIET))
            continue
        source = int(game.kernels.source(game.data, action))
        man = int(row[layout.CELLS + goal])
        if man:
            found.append(Glance(goal, KING if man & 7 == layout.KING else OTHERS))
            continue
        if source not in afraid:
            afraid[source] = any(game.kernels.attacked(game.data, row, source, other, -1) for other in others)
        found.append(Glance(layout.SIZE + source, SAVING if afraid[source] else QUIET))
    return found


CHUNK = 1000  # nodes between looks at the clock
PV_LENGTH, PV_DEPTH = 5, 2  # the actions of a line, and how far each after the first is looked for
LEAST_PV_NODES, MOST_PV_NODES = 300, 5_000  # nodes for each: no more in all than for the first, the least if it is late
ENOUGH = 0.6  # of the time: no deeper search is begun after that


class SearchPlanner:
    """A searcher with its memory. Not for two threads at once. With a seed and a limit of nodes or depth, the same
    questions since `reset` get the same answers."""

    def __init__(self, game: Game, strength: SearchSettings, seed: int) -> None:
        self.game = game
        self.strength = strength
        self.search = Search(game, strength)
        self.lines = 1
        self.barred: frozenset[int] = frozenset()
        self.nodes = 0
        self.depth = 0
        self.value = 0  # of the best action found last, to the mover
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Forget everything; random numbers begin again from the seed."""
        self.search.reset()
        self._chance = random.Random(self._seed)

    def plan(
        self,
        position: Position,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        halted: Callable[[], bool],
        report: Callable[[int, int, Sequence[Plan]], None],
    ) -> list[Plan]:
        """The best actions, as many as ``lines`` says, best first, within so many seconds, nodes and actions ahead, and
        what the engine sees. ``report(depth, nodes, plans)`` is called after each depth."""
        began = time.perf_counter()
        self.nodes = self.depth = 0
        strength = self.strength
        most = min(nodes or strength.nodes or 1 << 60, strength.nodes or 1 << 60)
        deepest = min(depth or memory.LEVELS // 2, strength.depth or memory.LEVELS // 2)
        if seconds is None and most == 1 << 60 and (depth or strength.depth) is None:
            seconds = 1.0
        until = None if seconds is None else began + seconds
        legal = [int(action) for action in position.legal_actions.ids]
        share = strength.overlooks
        barred = [legal[place] for place in overlooked(attention(position), share, self._chance)] if share else []
        if self.barred:
            allowed = [action for action in legal if action not in self.barred]
            seen = [action for action in allowed if action not in barred]
            barred = [action for action in legal if action not in (seen or allowed)]
        solved = self._solved(position, seconds is None)
        if solved is not None and (right := [action for action in solved[1] if action not in self.barred]):
            ending = solved[0]
            if ending.value:
                self.depth = abs(ending.value)
                sure = [self._sure(position, ending, action) for action in right[: max(1, self.lines)]]
                report(self.depth, 0, sure)
                return sure
            barred = [action for action in legal if action not in right]
        lines = max(1, min(self.lines, len(legal) - len(barred)))
        if len(legal) == 1 and lines == 1 and seconds != float("inf"):
            deepest = 1
        self._settled = self._complete = False

        def spent() -> bool:
            return halted() or self.nodes >= most or (until is not None and time.perf_counter() >= until)

        self.search.prepare(position.mover or 0, strength, self._chance.getrandbits(40))
        found: list[Plan] = []
        for ahead in range(1, deepest + 1):
            plans = self._look(position, ahead, lines, barred, most, spent)
            finished = len(plans) == lines and self._complete
            if finished or (plans and lines == 1):
                found = sorted(plans, key=lambda plan: -plan.scores[position.mover or 0])
            if finished:
                self.depth = ahead
                report(ahead, self.nodes, found)
            if not finished or halted() or self.nodes >= most or self._settled:
                break
            if until is not None and time.perf_counter() - began > ENOUGH * (until - began):
                break
        return [self._expected(position, plan, until) if self.lines else plan for plan in found]

    def _solved(self, position: Position, patient: bool) -> tuple[Ending, list[int]] | None:
        """Return what the solved endings know of ``position``, and the actions that keep it. A table that is not there
        is built, in the background unless ``patient``."""
        found = class_of(position) if self.strength.endings and self.game.execution == "compiled" else None
        if found is None:
            return None
        tables = endings()
        if patient:
            tables.build(found[0])
        elif not tables.ready(found[0]):
            tables.prepare(found[0])
            return None
        known = best_actions(tables, position)
        limit = int(position.game.rules.data[layout.RULE_QUIET_LIMIT])
        if known is None or int(position.row[layout.QUIET]) + abs(known[0].value) > limit:
            return None
        return known

    def _sure(self, position: Position, ending: Ending, action: int) -> Plan:
        """A plan whose end is known."""
        mover = position.mover or 0
        others = [p for p in range(3) if p != mover and position.row[layout.STATE + p] == layout.ACTIVE]
        winner = mover if ending.value > 0 else others[0]
        second = 0.25 * bool(position.game.rules.data[layout.RULE_SECOND])
        loser = mover + others[0] - winner
        scores = tuple((1 - second) * (player == winner) + second * (player == loser) for player in range(3))
        return Plan((action,), scores, f"{'win' if ending.value > 0 else 'loss'} in {ending.turns}", (action,))

    def _look(
        self, position: Position, ahead: int, lines: int, barred: list[int], most: int, spent: Callable[[], bool]
    ) -> list[Plan]:
        """The best actions ``ahead`` deep, as many of ``lines`` as the limits allow; what was found so far is last."""
        plans: list[Plan] = []
        for _ in range(lines):
            taken = [plan.actions[0] for plan in plans]
            done = self._search(position, ahead, barred + taken, most, spent)
            choice, value = self.search.choice, self.search.best
            if choice < 0:
                break
            after = position.play(choice)
            scores = after.scores or self.search.shares(after, position.mover or 0, value)
            wins = after.outcome is not None and after.outcome.winners == (position.mover,)
            plans.append(Plan((choice,), scores, "win in 1" if wins else "", (choice,)))
            if not plans[1:]:
                self.value = value
                self._settled = abs(value) > evaluation.NEARLY and evaluation.WON - abs(value) <= ahead
            self._complete = done
            if not done:
                break
        return plans

    def _search(self, position: Position, ahead: int, barred: list[int], most: int, spent: Callable[[], bool]) -> bool:
        """Search ``ahead`` deep without the actions ``barred``; whether that was finished before all is ``spent``."""
        self.search.begin(position, ahead, barred)
        while True:
            # The first depth is always finished, so that there is something to choose from.
            budget = min(CHUNK, max(1, most - self.nodes)) if ahead > 1 else CHUNK
            done = self.search.run(position, budget)
            self.nodes = self.search.nodes
            if done:
                return True
            if ahead > 1 and spent():
                return False

    def _expected(self, position: Position, plan: Plan, until: float | None) -> Plan:
        """``plan`` with the actions that are expected to follow, each mover looking a little ahead for themselves, and
        less far when the clock shows ``until``."""
        following = position.play(plan.actions[0])
        line = [plan.actions[0]]
        while not following.is_over and len(line) < PV_LENGTH:
            self.search.begin(following, PV_DEPTH, me=following.mover)
            late = until is not None and time.perf_counter() >= until
            nodes = 0 if late else min(self.nodes // PV_LENGTH, MOST_PV_NODES)
            self.search.run(following, max(nodes, LEAST_PV_NODES))
            choice = self.search.choice
            if choice < 0:
                break
            line.append(choice)
            following = following.play(choice)
        return replace(plan, line=tuple(line))


PROVING = replace(LEVELS[10], mode=memory.PARANOID, calm=2, noise=0, wide=1_000_000, table=14, wary=False)
DEEPEST_PROOF = 6  # actions
WINS, LOSES = (evaluation.NEARLY, evaluation.NEARLY + 1), (-evaluation.NEARLY - 1, -evaluation.NEARLY)  # windows


@functools.lru_cache(maxsize=4)
def _prover(game: Game) -> Search:
    return Search(game, PROVING)


def forced(position: Position, nodes: int) -> tuple[int, ...]:
    """Return for each player 1 where a search of ``nodes`` positions proves that they win against both others
    together, -1 where these can leave them nothing of the point, else 0. No quiet action of the others is left out."""
    search = _prover(position.game)
    found = [0, 0, 0]
    for player in range(3):
        for proof, window in ((1, WINS), (-1, LOSES)):
            search.prepare(player, PROVING, 0)
            for depth in range(1, DEEPEST_PROOF + 1):
                search.begin(position, depth, window=window)
                if not search.run(position, nodes - search.nodes):
                    break
                if proof * search.best > evaluation.NEARLY:
                    found[player] = proof
                    break
    return tuple(found)


def plans(game: Game) -> bool:  # noqa: ARG001  (all games' engines share this signature)
    """Return whether `make_planner` plays the game with its options: always."""
    return True


def make_planner(game: Game, level: int, seed: int) -> SearchPlanner:
    """A searcher of strength ``level`` (1 to 10)."""
    return SearchPlanner(game, LEVELS[level], seed)
