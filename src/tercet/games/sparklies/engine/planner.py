"""Sparklies' engine: plans whole turns. Each way to play the turn is judged by the best replies to it, turn by turn, as
far ahead as time allows; the turns themselves come from ``search``. A duel is left to plain tree search."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.core.abilities.engine import Plan
from tercet.core.game import Game, Position
from tercet.games.sparklies.engine.kernels.evaluation import HASH, WON
from tercet.games.sparklies.engine.search import Effort, Final, TurnSearch, learnt_for, row_key
from tercet.games.sparklies.kernels import layout

OWN_SHARE = 0.3  # of the effort for the turn itself, the rest for replies ...
LAST_SHARE = 0.6  # ... and where the turn might end the game: there it is searched again with these `Effort.ending`
LAST_TRIES = (64, 128, 24, 0, 64, 128, 24, 0)
LAST_BUDGET = 600_000
KILLERS = 3  # replies remembered, for each player and number of turns to go
SCALE = 700  # of values: 1 / (1 + e) of the point for this much behind


@dataclass(frozen=True)
class Look:
    """One round of looking at replies: how many turns ahead, how many ways of the turn are still in question, how many
    replies to each turn but the last, and how hard each turn is searched."""

    turns: int
    ways: int
    replies: int
    effort: Effort


@dataclass(frozen=True)
class PlannerSettings:
    """How much a level sees: its own turn with these efforts, one after another; then replies; ``chance`` is how far it
    misjudges a turn, in hundredths of a cell; ``nodes`` and ``seconds`` are its limits where none are given. ``full``:
    in a game of two, turns are judged by learnt weights, where there are any, and alpha-beta spares replies."""

    own: tuple[Effort, ...]
    looks: tuple[Look, ...] = ()
    chance: int = 0
    nodes: int | None = None
    seconds: float | None = None
    full: bool = False


OWN = (
    Effort(2, 8, 6, 12, 100_000, 48),
    Effort(6, 32, 8, 16, 400_000, 48),
    Effort(16, 64, 12, 24, 2_000_000, 48),
)
CHAIN_LOOKS = (
    Look(1, 48, 0, Effort(2, 4, 2, 8, 8_000, 8)),
    Look(1, 16, 0, Effort(2, 8, 6, 12, 40_000, 8)),
    Look(2, 12, 3, Effort(2, 4, 2, 8, 8_000, 8)),
    Look(2, 8, 4, Effort(2, 8, 6, 12, 40_000, 8)),
    Look(3, 6, 3, Effort(2, 4, 2, 8, 8_000, 8)),
    Look(3, 6, 4, Effort(2, 8, 6, 12, 40_000, 8)),
    Look(4, 5, 3, Effort(2, 4, 4, 8, 16_000, 8)),
    Look(4, 4, 4, Effort(4, 16, 8, 12, 100_000, 8)),
    Look(5, 4, 4, Effort(4, 16, 8, 12, 100_000, 8)),
)
# Where a chain is part of its first ping, all turns can be listed; replies that only the next turn's count of cells
# recommends mislead (measured: one more turn ahead with few replies loses to one less with many).
PING_OWN = (Effort(1, 1, 12, 8, 400_000, 400),)
PING_LOOKS = (
    Look(1, 400, 0, Effort(1, 1, 3, 8, 20_000, 8)),
    Look(2, 24, 6, Effort(1, 1, 2, 8, 20_000, 8)),
    Look(2, 24, 12, Effort(1, 1, 3, 8, 20_000, 12)),
)
# With alpha-beta, all replies can soon be looked at, and then a turn more.
FULL_PING_LOOKS = (
    *PING_LOOKS,
    Look(2, 64, 64, Effort(1, 1, 4, 8, 20_000, 64)),
    Look(2, 400, 400, Effort(1, 1, 8, 8, 40_000, 400)),
    Look(3, 16, 16, Effort(1, 1, 4, 8, 20_000, 16)),
    Look(3, 48, 48, Effort(1, 1, 4, 8, 20_000, 48)),
    Look(3, 200, 200, Effort(1, 1, 6, 8, 20_000, 200)),
    Look(4, 12, 12, Effort(1, 1, 4, 8, 20_000, 12)),
    Look(4, 48, 48, Effort(1, 1, 4, 8, 20_000, 48)),
)


def strength(level: int, whole: bool, learnt: bool = True) -> PlannerSettings:
    """Return what ``level`` (1 to 10) sees; ``whole``: chains are part of their first ping; ``learnt``: there are
    learnt weights for the game. Without them levels from 7 on have to try more."""
    own = PING_OWN if whole else OWN
    looks = PING_LOOKS if whole else CHAIN_LOOKS
    full = PlannerSettings(own, FULL_PING_LOOKS if whole else looks, full=True)
    if level == 10:
        return replace(full, seconds=1.0)
    if level > 6 and learnt:
        return replace(full, nodes={7: 26_000, 8: 90_000, 9: 270_000}[level])
    return {
        1: PlannerSettings((Effort(1, 1, 0, -2, 800, 16),), chance=160, nodes=800),
        2: PlannerSettings((Effort(1, 1, 0, 0, 2_500, 16),), chance=109, nodes=2_500),
        3: PlannerSettings((Effort(1, 2, 3, 4, 20_000, 16),), chance=95, nodes=15_000),
        4: PlannerSettings((Effort(2, 4, 3, 8, 20_000, 16),), chance=99, nodes=15_000),
        5: PlannerSettings((Effort(2, 4, 3, 8, 20_000, 16),), looks[:1], chance=130, nodes=43_000),
        6: PlannerSettings(own[:1], looks[:2], nodes=112_000),
        7: PlannerSettings(own[:1], looks[:2], nodes=230_000),
        8: PlannerSettings(own[:1], looks[:3], nodes=400_000),
        9: PlannerSettings(own[:1], looks[:5], nodes=1_200_000),
    }[level]


def plans(game: Game) -> bool:
    """Return whether there is a `make_planner` for ``game``: not for a duel, whose turns are single actions."""
    return bool(game.options["mode"] != "duel")


def make_planner(game: Game, level: int = 10, seed: int = 0) -> TurnPlanner:
    """The planner of ``level`` (1 to 10) for ``game``, which is no duel."""
    learnt = learnt_for(game) is not None
    return TurnPlanner(game, strength(level, bool(game.rules.data[layout.WHOLE]), learnt), seed)


class _Spent(Exception):  # noqa: N818  (no error: time is up)
    """Time or nodes have run out."""


class TurnPlanner:
    """Plans turns of one game: see ``tercet.engines.base.Planner``. A node is an action tried."""

    def __init__(self, game: Game, strength: PlannerSettings, seed: int = 0) -> None:
        self.game = game
        self.lines = 1  # all that are found are given anyway
        self.barred: frozenset[int] = frozenset()  # not left out: all plans are given, and the caller chooses
        self.strength = strength
        self.players = len(game.players)
        self._full = strength.full and self.players == 2
        self._seed = seed
        self._search = TurnSearch(game, (seed * 2 + 1) & HASH, learnt=self._full)
        self._search.sweep(game.start().row, Effort(1, 1, 1, 1, 10, 1), lines=True)  # compiling is not thinking time
        self.reset()

    def reset(self) -> None:
        """Begin as if new."""
        self._search.reset()
        self._random = random.Random(self._seed)
        self._rate = 1e6
        self._killers: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._began = 0.0
        self._seconds: float | None = None
        self._nodes: int | None = None
        self._halted: Callable[[], bool] = bool

    @property
    def nodes(self) -> int:
        """Actions tried for the last plan."""
        return self._search.tried

    def value(self, row: Any, player: int) -> int:
        """Return what a row at the end of a turn looks like to ``player``, before anything is searched."""
        return self._search.value(row, player)

    def plan(
        self,
        position: Position,
        seconds: float | None,
        nodes: int | None,
        depth: int | None,
        halted: Callable[[], bool],
        report: Callable[[int, int, Sequence[Plan]], None],
    ) -> list[Plan]:
        """Ways to play the turn that begins, or goes on, here, best first; ``depth`` bounds the turns looked ahead."""
        strength = self.strength
        self._began = time.perf_counter()
        self._search.tried = 0
        self._killers.clear()
        if seconds is None and nodes is None:
            seconds = strength.seconds
        self._seconds = seconds
        self._nodes = min(nodes or strength.nodes, strength.nodes) if strength.nodes else nodes
        self._halted = halted
        me = position.mover or 0
        ways = self._own_turn(position.row)
        if strength.chance:
            spread = strength.chance
            ways = sorted(ways, key=lambda way: -way.value - (way.value < WON) * self._random.gauss(0, spread))
        report(1, self.nodes, self._plans(ways, me))
        if ways[0].value >= WON or len(ways) == 1:
            return self._plans(ways, me)
        for look in strength.looks:
            if depth is not None and look.turns >= depth:
                break
            judged, whole = self._judge(ways[: look.ways], look, me)
            seen = {way.actions for way in judged}
            if judged:
                ways = judged + [way for way in ways if way.actions not in seen]
                report(1 + look.turns, self.nodes, self._plans(ways, me))
            if not whole or ways[0].value >= WON:
                break
        return self._plans(ways, me)

    def _left(self) -> int:
        """Actions that may still be tried; _Spent if none."""
        left = 1 << 40
        if self._nodes is not None:
            left = self._nodes - self.nodes
        if self._seconds is not None:
            spent = time.perf_counter() - self._began
            if self.nodes > 2_000:
                self._rate = self.nodes / max(spent, 1e-6)
            if math.isfinite(self._seconds):
                left = min(left, int((self._seconds - spent) * self._rate))
        if left <= 0 or self._halted():
            raise _Spent
        return left

    def _own_turn(self, row: Any) -> list[Final]:
        """The best ways to play the turn, by what their ends look like. At least one, however little time there is."""
        found: dict[bytes, Final] = {}
        efforts = self.strength.own
        share = 1.0
        if self.strength.looks:
            share = OWN_SHARE
            if self._search.may_end(row):
                share = LAST_SHARE
                efforts += tuple(replace(efforts[-1], budget=LAST_BUDGET, ending=ending) for ending in LAST_TRIES)
        for effort in efforts:
            try:
                left = self._left()
            except _Spent:
                if found:
                    break
                left = 1
            budget = int((left + self.nodes) * share) - self.nodes
            if found and budget < effort.budget // 16:
                break
            for final in self._search.sweep(row, effort, budget=budget, lines=True):
                key = row_key(final.row)
                known = found.get(key)
                if known is None or len(known.actions) > len(final.actions):
                    found[key] = final
            if self._search.complete or any(final.value >= WON for final in found.values()):
                break
        return sorted(found.values(), key=lambda final: (-final.value, len(final.actions)))

    def _judge(self, ways: list[Final], look: Look, me: int) -> tuple[list[Final], bool]:
        """The ways looked at, by their values after replies, best first; and whether all were looked at."""
        judged: list[Final] = []
        best = -2 * WON
        whole = True
        for way in ways:
            try:
                if self._full:
                    worth = self.worth(way.row, me, look.turns, look, best, 2 * WON)
                else:
                    leaf = self._leaf(way.row, look.turns, look, best if self.players == 2 else None, me)
                    worth = self._search.value(leaf, me)
            except _Spent:
                whole = False
                break
            judged.append(replace(way, value=worth))
            best = max(best, worth)
        return sorted(judged, key=lambda way: -way.value), whole

    def worth(self, row: Any, player: int, turns: int, look: Look, low: int, high: int) -> int:
        """Return what ``row`` is worth to ``player``, one of two, so many turns ahead, by alpha-beta: where it is not
        between ``low`` and ``high``, a bound of it."""
        if int(row[layout.STATUS]) != layout.PLAYING:
            return self._search.value(row, player)
        mover = int(row[layout.MOVER])
        if mover != player:
            return -self.worth(row, mover, turns, look, -high, -low)
        if turns == 1:
            return self._search.best(row, look.effort, min(WON, high), self._left())
        best = -3 * WON
        for actions, target in self._replies(row, player, turns, look):
            best = max(best, self.worth(target, player, turns - 1, look, max(low, best), high))
            if best >= high:
                self._remember(player, turns, actions)
                break
        return best

    def _replies(self, row: Any, player: int, turns: int, look: Look) -> list[tuple[tuple[int, int], Any]]:
        """The replies to look at, each with its last two actions: those that lately refuted another way first, then the
        best by what their ends look like; a reply that wins alone."""
        found = self._search.replies(row, look.effort, self._left())
        if found[0].value >= WON:
            del found[1:]
        replies = [(reply.last, reply.row) for reply in found[: look.replies]]
        for killer in self._killers.get((player, turns), ()):
            place = next((place for place, (actions, _) in enumerate(replies) if actions == killer), 0)
            replies.insert(0, replies.pop(place))
        return replies

    def _remember(self, player: int, turns: int, actions: tuple[int, int]) -> None:
        """Note that a reply that ends with these ``actions`` was good enough for ``player``."""
        killers = self._killers.setdefault((player, turns), [])
        if actions in killers:
            killers.remove(actions)
        killers.insert(0, actions)
        del killers[KILLERS:]

    def _leaf(self, row: Any, turns: int, look: Look, floor: int | None, me: int) -> Any:
        """The row that comes of ``row`` when each player plays for themselves, so many turns ahead. ``floor``, in a
        game of two: a row worth no more than this to ``me`` is as good an answer as any, if another leads there."""
        if int(row[layout.STATUS]) != layout.PLAYING:
            return row
        mover = int(row[layout.MOVER])
        cutoff = WON
        if floor is not None and mover != me and turns == 1:
            cutoff = min(cutoff, -floor)
        finals = self._search.sweep(row, look.effort, cutoff=cutoff, budget=self._left())
        if turns == 1 or finals[0].value >= WON:
            return finals[0].row
        best, most = None, -3 * WON
        for final in finals[: look.replies]:
            leaf = self._leaf(final.row, turns - 1, look, floor if mover != me else None, me)
            worth = self._search.value(leaf, mover)
            if worth > most:
                best, most = leaf, worth
            if floor is not None and mover != me and -worth <= floor:
                break
        return best

    def _plans(self, ways: Sequence[Final], me: int) -> list[Plan]:
        return [Plan(way.actions, self._shares(way.value, me), self._note(way)) for way in ways]

    def _note(self, way: Final) -> str:
        """Return what is certain: only a turn that ends the game is, since not every reply to another is looked at."""
        return "wins" if way.value >= WON and int(way.row[layout.STATUS]) != layout.PLAYING else ""

    def _shares(self, value: int, me: int) -> tuple[float, ...]:
        """Expected shares of the point for a value of the mover's."""
        if self.players == 1:
            return (1.0,)
        odds = math.exp(max(-30.0, min(30.0, value / SCALE)))
        mine = odds / (odds + self.players - 1)
        other = (1 - mine) / (self.players - 1)
        return tuple(mine if player == me else other for player in range(self.players))
