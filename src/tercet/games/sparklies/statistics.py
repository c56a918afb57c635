"""Figures like those of Sparklies' designers' playtests, counted over games."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tercet.errors import OptionError
from tercet.game import Action, Game, Position
from tercet.games.sparklies.grouping import centre, grouping
from tercet.games.sparklies.kernels import chain, layout
from tercet.games.sparklies.positions import held

__all__ = ["PlaytestFigures", "figures"]

TITLES = (
    ("gained", "cells gained a turn"),
    ("pings", "pings a turn"),
    ("turns", "turns a game"),
    ("actions", "actions a game"),
    ("lead_changes", "changes of the lead"),
)


def figures(game: Game, at_random: bool) -> PlaytestFigures:
    """Figures of games of ``game``, still empty; OptionError where they make no sense."""
    if game.options["mode"] == "duel":
        raise OptionError("mode", "a duel has no turns to count")
    if game.options["end"] == "agreement" and at_random:
        raise OptionError("end", "random players may never agree")
    return PlaytestFigures(game)


class PlaytestFigures:
    """What was counted: a list entry for each turn (``gained`` cells more for its player, ``pings``) or each game
    (``turns``, ``actions``, ``lead_changes``, ``shares`` of the point for each player, ``held`` cells at the end;
    ``colour_groups`` and ``holder_groups``: pairs of like neighbours at the end, as a share and over what chance gives;
    ``centre``: the share of the point of whoever held most of the centre halfway, where anybody did)."""

    def __init__(self, game: Game) -> None:
        self.players = game.players
        self.gained: list[int] = []
        self.pings: list[int] = []
        self.turns: list[int] = []
        self.actions: list[int] = []
        self.lead_changes: list[int] = []
        self.shares: list[tuple[float, ...]] = []
        self.held: list[tuple[int, ...]] = []
        self.colour_groups: list[tuple[float, float]] = []
        self.holder_groups: list[tuple[float, float]] = []
        self.centre: list[float] = []
        self._centre = centre(game.board)
        self._events = game.new_events()
        self._running = _Game()

    def begin(self, position: Position) -> None:
        """A game begins."""
        self._running = _Game(before=_all_held(position))

    def follow(self, before: Position, action: Action, after: Position) -> None:
        """One action of it."""
        game = self._running
        mover = before.mover or 0
        game.pings += self._count_pings(before, action.id)
        game.actions += 1
        if before.row[layout.STEP] == layout.HANDICAP:
            game.before = _all_held(after)
        elif not after.turn_is_open:
            now = _all_held(after)
            self.gained.append(now[mover] - game.before[mover])
            self.pings.append(game.pings)
            ahead = _leader(now)
            game.lead_changes += ahead is not None and game.leader is not None and ahead != game.leader
            game.leader = game.leader if ahead is None else ahead
            game.before, game.pings = now, 0
            game.turns += 1
            game.centre.append(_leader(self._centre_held(after)))

    def end(self, position: Position) -> None:
        """It is over."""
        game, outcome = self._running, position.outcome
        assert outcome is not None
        self.turns.append(game.turns)
        self.actions.append(game.actions)
        self.lead_changes.append(game.lead_changes)
        self.shares.append(outcome.scores)
        self.held.append(tuple(game.before))
        cells = range(len(position.game.board))
        kernels, row = position.game.kernels, position.row
        self.colour_groups.append(grouping(position.game.board, [int(kernels.colour_at(row, cell)) for cell in cells]))
        self.holder_groups.append(grouping(position.game.board, [int(kernels.holder_at(row, cell)) for cell in cells]))
        halfway = game.centre[len(game.centre) // 2] if game.centre else None
        if halfway is not None and len(self.players) > 1:
            self.centre.append(outcome.scores[halfway])

    def _centre_held(self, position: Position) -> list[int]:
        """How many cells of the centre each player holds."""
        kernels, row = position.game.kernels, position.row
        holders = [int(kernels.holder_at(row, cell)) for cell in self._centre]
        return [holders.count(seat + 1) for seat in range(len(self.players))]

    def _count_pings(self, position: Position, action: int) -> int:
        row, events = position.row.copy(), self._events
        count = int(position.game.kernels.apply(position.game.data, row, action, events))
        return sum(int(events[4 * at]) == chain.PINGED for at in range(count))

    def as_dict(self) -> dict[str, Any]:
        """Means with 95 % intervals, and how chains are distributed."""
        return {
            "games": len(self.turns),
            "gained": _summary(self.gained),
            "pings": _summary(self.pings),
            "turns": _summary(self.turns),
            "actions": _summary(self.actions),
            "lead_changes": _summary(self.lead_changes),
            "shares": {
                player: _share(sum(shares[seat] for shares in self.shares), len(self.shares))
                for seat, player in enumerate(self.players)
            },
            "colour_groups": _grouped(self.colour_groups),
            "holder_groups": _grouped(self.holder_groups),
            "centre": _share(sum(self.centre), len(self.centre)) | {"games": len(self.centre)} if self.centre else None,
            "held": {player: _summary([one[seat] for one in self.held]) for seat, player in enumerate(self.players)},
        }

    def report(self) -> list[str]:
        """The same in lines for a person."""
        answer = self.as_dict()
        lines = [f"{title:<20} {_words(answer[key])}" for key, title in TITLES]
        for key, title in (("colour_groups", "like colours"), ("holder_groups", "one holder's")):
            found = answer[key]
            lines.append(
                f"{title:<20} {100 * found['mean']:.1f} % of neighbours at the end, "
                f"{100 * found['chance']:.1f} % by chance"
            )
        if answer["centre"] is not None:
            found, cells = answer["centre"], len(self._centre)
            points = (
                f"{100 * found['mean']:.1f} % of the points ({100 * found['low']:.1f} to {100 * found['high']:.1f})"
            )
            lines.append(
                f"{'centre':<20} who held most of its {cells} cells halfway had {points}, {found['games']} games"
            )
        for name in self.players:
            share, at_end = answer["shares"][name], answer["held"][name]
            lines.append(
                f"{name:<20} {100 * share['mean']:.1f} % of the points ({100 * share['low']:.1f} to "
                f"{100 * share['high']:.1f}), {at_end['mean']:.1f} cells at the end"
            )
        return lines


@dataclass
class _Game:
    """The game that is being counted: cells ``before`` its turn, and what has been counted of it so far."""

    before: list[int] = field(default_factory=list)
    turns: int = 0
    actions: int = 0
    pings: int = 0
    lead_changes: int = 0
    leader: int | None = None
    centre: list[int | None] = field(default_factory=list)  # after each turn, who held most of it


def _all_held(position: Position) -> list[int]:
    return [held(position.row, seat) for seat in range(len(position.game.players))]


def _grouped(found: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Means of what is and of what chance gives."""
    return {
        "mean": round(statistics.fmean(share for share, _ in found), 4),
        "chance": round(statistics.fmean(chance for _, chance in found), 4),
    }


def _summary(values: Sequence[float]) -> dict[str, float]:
    mean = statistics.fmean(values)
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    found = {"mean": mean, "low": mean - half, "high": mean + half, "median": statistics.median(values)}
    found |= {"most": float(max(values))}
    return {name: round(value, 3) for name, value in found.items() if math.isfinite(value)}


def _share(points: float, games: int) -> dict[str, float]:
    """The mean share with Wilson's 95 % interval."""
    z = 1.959964
    share = points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return {
        "mean": round(share, 4),
        "low": round(max(0.0, middle - half), 4),
        "high": round(min(1.0, middle + half), 4),
    }


def _leader(held: Sequence[int]) -> int | None:
    most = max(held)
    return held.index(most) if list(held).count(most) == 1 else None


def _words(found: dict[str, float]) -> str:
    interval = f" ({found['low']:.2f} to {found['high']:.2f})" if "low" in found else ""
    return f"mean {found['mean']:.2f}{interval}, median {found['median']:g}, most {found['most']:g}"
