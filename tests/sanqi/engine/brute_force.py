"""Wins by force in SanQi found by trying everything, with ``legal`` and ``apply`` alone: no threats, no windows.

Slow: on side 4 a win in 3 takes a tenth of a second to find or refute, one in 4 half a minute.
"""

import functools
from typing import Any

import numba
import numpy as np

from tercet import Game, Position
from tercet.games.sanqi.kernels.layout import MOVER, STATUS, WINNER

MOST = 4


@functools.cache
def _searches(game: Game) -> list[Any]:
    """For each number of turns: does the mover of ``rows[level]`` win in so many or fewer, and how does he begin?"""
    legal, apply = game.kernels.legal, game.kernels.apply

    @numba.njit
    def wins_in_one(rules, rows, lists, events, refuters, level):  # type: ignore[no-untyped-def]
        for place in range(legal(rules, rows[level], lists[level])):
            rows[level + 1][:] = rows[level]
            apply(rules, rows[level + 1], lists[level][place], events)
            if rows[level + 1][STATUS] != 0 and rows[level + 1][WINNER] == rows[level][MOVER]:
                return lists[level][place]
        return -1

    searches = [wins_in_one]

    def longer(shorter: Any) -> Any:
        @numba.njit
        def wins(rules, rows, lists, events, refuters, level):  # type: ignore[no-untyped-def]
            known = shorter(rules, rows, lists, events, refuters, level)
            if known >= 0:
                return known
            player = rows[level][MOVER]
            for place in range(legal(rules, rows[level], lists[level])):
                rows[level + 1][:] = rows[level]
                apply(rules, rows[level + 1], lists[level][place], events)
                if rows[level + 1][STATUS] != 0:
                    continue
                replies = legal(rules, rows[level + 1], lists[level + 1])
                held = True
                for turn in range(-1, replies):
                    reply = refuters[level]
                    if turn >= 0:
                        reply = lists[level + 1][turn]
                    else:
                        found = False
                        for other in range(replies):
                            found = found or lists[level + 1][other] == reply
                        if not found:
                            continue
                    rows[level + 2][:] = rows[level + 1]
                    apply(rules, rows[level + 2], reply, events)
                    if rows[level + 2][STATUS] != 0:
                        held = rows[level + 2][WINNER] == player
                    else:
                        held = shorter(rules, rows, lists, events, refuters, level + 2) >= 0
                    if not held:
                        refuters[level] = reply
                        break
                if held:
                    return lists[level][place]
            return -1

        return wins

    for _ in range(2, MOST + 1):
        searches.append(longer(searches[-1]))
    return searches


def shortest_win(position: Position, most: int) -> tuple[int, int]:
    """The fewest turns of his own, up to ``most`` (at most MOST), in which the mover wins against everything, and how
    he begins; (0, -1) if he does not."""
    game = position.game
    levels = 2 * MOST + 2
    rows = np.zeros((levels, len(position.row)), np.int64)
    lists = np.zeros((levels, game.rules.max_legal + 8), np.int32)
    refuters = np.zeros(levels, np.int32)
    events = np.zeros(4 * game.rules.max_events, np.int32)
    for turns in range(1, most + 1):
        rows[0] = position.row
        action = int(_searches(game)[turns - 1](game.data, rows, lists, events, refuters, 0))
        if action >= 0:
            return turns, action
    return 0, -1
