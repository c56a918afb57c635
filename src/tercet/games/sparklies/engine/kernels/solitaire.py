"""Solitaires of Speed, searched to the end."""

from __future__ import annotations

from tercet.games.sparklies.engine.kernels.beam import BUDGET, SALT, TRIED, fingerprint, in_turn, load, met, store
from tercet.games.sparklies.kernels.layout import (
    HELD,
    HOLD,
    PLACES,
    PLAYING,
    STATUS,
    WORDS,
)
from tercet.games.sparklies.kernels.moves import (
    legal,
)
from tercet.games.sparklies.kernels.turns import (
    apply,
)
from tercet.kernel import kernel, lowest_bit, u


@kernel
def may_fill(rules, row, turns):
    """Whether a solitaire of Speed might be over in so many ``turns``, at a look: each takes one cell, and captures
    free cells of one colour only, and these keep their colours as long as they are free."""
    red = 0
    green = 0
    blue = 0
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + index)]
        while word:
            colour = row[u(PLACES + 32 * index + lowest_bit(word))] & 3
            word &= word - 1
            red += colour == 0
            green += colour == 1
            blue += colour == 2
    least = min(red, min(green, blue))
    most = max(red, max(green, blue))
    falls = 0
    if turns == 1:
        falls = most
    elif turns == 2:
        falls = red + green + blue - least
    elif turns > 2:
        falls = red + green + blue
    return row[HELD] - falls <= turns


@kernel
def list_level(rules, row, level, outs, width, out):
    """List the legal actions of ``row`` in list number ``level`` of ``outs``, their number in its last entry."""
    count = legal(rules, row, out)
    for which in range(count):
        outs[u(level * width + which)] = out[u(which)]
    outs[u(level * width + width - 1)] = count


@kernel
def fills(rules, start, size, turns, parameters, rows, outs, width, line, table, row, out, events):
    """Whether a solitaire of Speed, going on, can be over in so many ``turns`` from ``start``, the beginning of a turn:
    how many actions it takes, which are in ``line`` then; 0 if it cannot; -1 if TRIED reached BUDGET before that was
    known. ``rows`` has room for 2 * ``turns`` rows, ``outs`` for as many lists of ``width``; ``table`` remembers the
    rows entered with as many turns to go.
    """
    if not may_fill(rules, start, turns):
        return 0
    level = 0
    store(rows, 0, start, size)
    list_level(rules, start, 0, outs, width, out)
    while level >= 0:
        at = level * width
        left = outs[u(at + width - 1)]
        if left == 0:
            level -= 1
            continue
        if parameters[TRIED] >= parameters[BUDGET]:
            return -1
        parameters[TRIED] += 1
        outs[u(at + width - 1)] = left - 1
        action = outs[u(at + left - 1)]
        line[u(level)] = action
        load(rows, level, row, size)
        apply(rules, row, action, events)
        if row[STATUS] != PLAYING:
            return level + 1
        if not in_turn(row):
            to_go = turns - ((level + 1) >> 1)
            if to_go == 0 or not may_fill(rules, row, to_go):
                continue
            if met(table, fingerprint(rules, row, parameters[SALT] + to_go * 2654435761)):
                continue
        level += 1
        store(rows, level, row, size)
        list_level(rules, row, level, outs, width, out)
    return 0
