"""Figures like those of the designers' playtests of Sparklies, such as how alike neighbours are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tercet.core.abilities.knowledge import Statistics
from tercet.core.boards import Board
from tercet.core.figures import mean, per_turn, points, share, spread, turns_spread, words
from tercet.core.game import Game, Position, Transition
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.positions import held

CENTRE = 9  # a ninth of the board is its centre


def grouping(board: Board, kinds: Sequence[int]) -> tuple[float, float]:
    """The share of pairs of neighbours of one kind (``kinds`` by cell), and what it would be by chance."""
    pairs = [(cell, near) for cell, row in enumerate(board.neighbours) for near in row if cell < near < len(board)]
    alike = sum(kinds[cell] == kinds[near] for cell, near in pairs)
    cells = len(kinds)
    chance = sum(count * (count - 1) for count in Counter(kinds).values()) / max(1, cells * (cells - 1))
    return alike / max(1, len(pairs)), chance


def runs(board: Board, kinds: Sequence[int]) -> float:
    """The mean length of straight runs of one kind, along all of the board's lines."""
    lines = len(board) * (board.degree // 2)  # a cell lies on so many, and begins a run unless one goes on there
    alike = sum(kinds[near] == kinds[cell] for cell, near, _ in _pairs(board))
    return lines / max(1, lines - alike)


def border(board: Board, holders: Sequence[int]) -> float | None:
    """The share of the borders between cells of two players (``holders`` by cell, 0 for none) that lie in the direction
    which most of them have: 1 where one straight line splits the board. None where no two players meet."""
    found = Counter(line for cell, near, line in _pairs(board) if 0 != holders[cell] != holders[near] != 0)
    return max(found.values()) / found.total() if found else None


def _pairs(board: Board) -> list[tuple[int, int, int]]:
    """Each pair of neighbours once, with the number of the line that they lie on."""
    return [
        (cell, row[line], line)
        for cell, row in enumerate(board.neighbours)
        for line in range(board.degree // 2)
        if row[line] < len(board)
    ]


def centre(board: Board) -> tuple[int, ...]:
    """The ninth of the cells that are nearest to the middle, and those as near as the last of them."""
    middle = [sum(place[axis] for place in board.centres) / len(board) for axis in (0, 1)]
    distances = [round(math.dist(place, middle), 6) for place in board.centres]
    bound = sorted(distances)[-(-len(board) // CENTRE) - 1]
    return tuple(cell for cell, distance in enumerate(distances) if distance <= bound)


def groups(board: Board, kinds: Sequence[int]) -> list[list[int]]:
    """The sets of cells of one kind that hang together, each in the order in which it was walked through."""
    found, seen = [], set()
    for first in range(len(board)):
        if first in seen:
            continue
        group = [first]
        seen.add(first)
        for cell in group:
            for near in board.neighbours[cell]:
                if near < len(board) and near not in seen and kinds[near] == kinds[first]:
                    seen.add(near)
                    group.append(near)
        found.append(group)
    return found


BASE = 4  # cells of one player that hang together are a base from so many on
PARTS = ("first", "middle", "last")  # thirds of a game
ALIKE = ("mean", "chance")  # the share of neighbours that are alike, and what it would be by chance


class PlaytestCount:
    """One game. Counted for each turn, or each round of a duel: cells ``gained`` by its player (by all in a duel),
    free cells ``filled`` (by thirds of the turns), and ``pings``.

    Counted for the game: ``turns``, ``lead_changes``, the cells ``held`` at the end, and how like neighbours are then
    (``colour_groups``, ``holder_groups``: as it is and as chance gives), how long straight runs of one colour and of
    one holder are then (``colour_runs``, ``holder_runs``), and which part of the borders between players lies in one
    direction (``border``; None where they do not meet). ``centre`` is the share of the point of the
    player who held most of the centre halfway, or None. ``contact`` is the turn in which a player first captured
    another's cell, and ``bases`` how many each player then had on average (both None where that never happened)."""

    def __init__(self, start: Position) -> None:
        self._centre = centre(start.game.board)
        self._duel = start.game.options["mode"] == "duel"
        self._before = _all_held(start)
        self._pings = 0
        self._leader: int | None = None
        self._lead_changes = 0
        self._ahead_in_centre: list[int | None] = []
        self._gained: list[int] = []
        self._filled: list[int] = []
        self._all_pings: list[int] = []
        self._contact: int | None = None
        self._bases: float | None = None

    def follow(self, before: Position, done: Transition) -> None:
        """Count one action."""
        after, mover, step = done.after, before.mover or 0, before.row[layout.STEP]
        for kind, _, was, _ in done.records:
            self._pings += kind == layout.PINGED
            if kind == layout.CAPTURED and self._contact is None and was not in (0, mover + 1):
                self._contact = len(self._gained) + 1
                self._bases = _bases(before)
        if step == layout.HANDICAP:
            self._before = _all_held(after)
        elif self._ends_turn(step, after):
            now = _all_held(after)
            change = [have - had for have, had in zip(now, self._before, strict=True)]
            self._filled.append(sum(change))
            self._gained.append(sum(change) if self._duel else change[mover])
            self._all_pings.append(self._pings)
            ahead = _leader(now)
            self._lead_changes += ahead is not None and self._leader is not None and ahead != self._leader
            self._leader = self._leader if ahead is None else ahead
            self._before, self._pings = now, 0
            self._ahead_in_centre.append(_leader(self._centre_held(after)))

    def _ends_turn(self, step: int, after: Position) -> bool:
        if not self._duel:
            return not after.turn_is_open
        return after.is_over or (after.row[layout.STEP] == layout.CONTROL and step != layout.CONTROL)

    def end(self, position: Position) -> dict[str, Any]:
        """Return the counts."""
        outcome, board = position.outcome, position.game.board
        assert outcome is not None
        kernels, row = position.game.kernels, position.row
        colours = [int(kernels.colour_at(row, cell)) for cell in range(len(board))]
        holders = [int(kernels.holder_at(row, cell)) for cell in range(len(board))]
        ahead = self._ahead_in_centre
        halfway = ahead[len(ahead) // 2] if ahead and len(outcome.scores) > 1 else None
        return {
            "turns": len(self._gained),
            "gained": self._gained,
            "filled": {name: _third(self._filled, part) for part, name in enumerate(PARTS)},
            "pings": self._all_pings,
            "lead_changes": self._lead_changes,
            "held": self._before,
            "colour_groups": dict(zip(ALIKE, grouping(board, colours), strict=True)),
            "holder_groups": dict(zip(ALIKE, grouping(board, holders), strict=True)),
            "colour_runs": runs(board, colours),
            "holder_runs": runs(board, holders),
            "border": border(board, holders),
            "centre": None if halfway is None else outcome.scores[halfway],
            "contact": self._contact,
            "bases": self._bases,
        }

    def _centre_held(self, position: Position) -> list[int]:
        """Return how many cells of the centre each player holds."""
        kernels, row = position.game.kernels, position.row
        holders = [int(kernels.holder_at(row, cell)) for cell in self._centre]
        return [holders.count(seat + 1) for seat in range(len(self._before))]


def _summary(game: Game, counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {key: turns_spread([one[key] for one in counts]) for key in ("gained", "pings")}
    found |= {key: spread([one[key] for one in counts]) for key in ("turns", "lead_changes")}
    thirds = {name: [one["filled"][name] for one in counts] for name in PARTS}
    found["filled"] = {name: per_turn(values).as_dict() if any(values) else None for name, values in thirds.items()}
    for key in ("colour_groups", "holder_groups"):
        found[key] = {name: round(fmean(one[key][name] for one in counts), 4) for name in ALIKE}
    for key in ("colour_runs", "holder_runs", "border"):
        known = [one[key] for one in counts if one[key] is not None]
        found[key] = mean(known).as_dict() if known else None
    led = [one["centre"] for one in counts if one["centre"] is not None]
    found["centre"] = share(led).as_dict() | {"games": len(led)} if led else None
    met = [one for one in counts if one["contact"] is not None]
    found["contact"] = spread([one["contact"] for one in met]) | {"games": len(met)} if met else None
    found["bases"] = mean([one["bases"] for one in met]).as_dict() if met else None
    found["held"] = {player: spread([one["held"][seat] for one in counts]) for seat, player in enumerate(game.players)}
    return found


def _report(game: Game, found: Mapping[str, Any]) -> list[str]:
    unit = "round" if game.options["mode"] == "duel" else "turn"
    titles = {
        "gained": f"cells gained a {unit}",
        "pings": f"pings a {unit}",
        "turns": f"{unit}s a game",
        "lead_changes": "changes of the lead",
    }
    lines = [f"{title:<20} {words(found[key])}" for key, title in titles.items()]
    filled = ", ".join(f"{rate['mean']:.2f} in the {part} third" for part, rate in found["filled"].items() if rate)
    lines.append(f"{'cells filled':<20} {filled} of the {unit}s")
    for key, title in (("colour_groups", "like colours"), ("holder_groups", "one holder's")):
        alike, chance = (100 * found[key][name] for name in ("mean", "chance"))
        lines.append(f"{title:<20} {alike:.1f} % of neighbours at the end, {chance:.1f} % by chance")
    lines.append(
        f"{'straight runs':<20} of one colour {found['colour_runs']['mean']:.2f} cells at the end, of one holder "
        f"{found['holder_runs']['mean']:.2f}"
    )
    if found["border"] is not None:
        share_ = 100 * found["border"]["mean"]
        lines.append(f"{'borders':<20} {share_:.1f} % of those between players lie in the direction of most of them")
    if found["centre"] is not None:
        cells, games = len(centre(game.board)), found["centre"]["games"]
        lines.append(
            f"{'centre':<20} who held most of its {cells} cells halfway had {points(found['centre'])}, {games} games"
        )
    if found["contact"] is not None:
        lines.append(
            f"{'first capture':<20} of another's cell in {unit} {found['contact']['mean']:.1f}, when each had "
            f"{found['bases']['mean']:.2f} bases of {BASE} cells or more, {found['contact']['games']} games"
        )
    lines += [f"{name:<20} {found['held'][name]['mean']:.1f} cells at the end" for name in game.players]
    return lines


STATISTICS = Statistics(
    "Sparklies: cells gained a turn, chains, turns, changes of the lead, grouping by colour and holder, dependence on "
    "the centre, bases before the first capture of another's cell. A duel is counted by rounds.",
    PlaytestCount,
    _summary,
    _report,
    {
        "gained": "cells gained a turn",
        "pings": "pings a turn",
        "filled": "cells filled a turn, by thirds of the game",
        "colour_runs": "straight runs of one colour at the end, in cells",
        "holder_runs": "straight runs of one owner at the end, in cells",
        "border": "part of the borders that lies in one direction",
        "centre": "share of the point of the player ahead in the centre halfway",
        "contact": "turn of the first capture of another's cell",
        "bases": "bases of each player then",
    },
)


def _all_held(position: Position) -> list[int]:
    return [held(position.row, seat) for seat in range(len(position.game.players))]


def _bases(position: Position) -> float:
    """Return how many bases a player has on average."""
    kernels, row, board = position.game.kernels, position.row, position.game.board
    holders = [int(kernels.holder_at(row, cell)) for cell in range(len(board))]
    found = [len(group) for group in groups(board, holders) if holders[group[0]]]
    return sum(size >= BASE for size in found) / len(position.game.players)


def _third(values: Sequence[int], part: int) -> Sequence[int]:
    return values[len(values) * part // 3 : len(values) * (part + 1) // 3]


def _leader(held: Sequence[int]) -> int | None:
    most = max(held)
    return held.index(most) if list(held).count(most) == 1 else None
