"""Places for patterns, with what they hold, kept up to date action by action: wins in one without looking for them.

A *window* is a place for a pattern: a ring, six (or seven) in a row, a triangle. Where a type lacks one piece of a
window, putting it there is *hot* for the players who win with that pattern; where it lacks two, both actions are
*warm*. Actions are kept as bits, WIDTH to a word. Which actions are legal, and what they win, only the rules' kernels
say.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.sanqi.engine.kernels.rollouts import unplay
from tercet.games.sanqi.engine.kernels.threats import tried_win
from tercet.games.sanqi.kernels.layout import KO, LINE_REST, MOVER, SIZE, VACANT, stands, type_at
from tercet.games.sanqi.kernels.moves import allows
from tercet.games.sanqi.kernels.turns import apply
from tercet.kernel import kernel, lowest_bit, u

WIDTH = 32
HOT, WARM, SETS = 0, 2, 4  # sets of actions: hot for First, for Second, warm for First, for Second


class Windows(NamedTuple):
    """The windows of one board and what they hold.

    ``cells`` as many to a window as a line has (behind those of a shorter one SIZE), ``goals`` bits of who wins with
    it, ``starts`` and ``members`` the windows of each cell, ``neighbours`` six to a cell (SIZE: off the board),
    ``keys`` random numbers: one for each action, for ko at each cell or none, and for the mover. What changes:
    ``counts`` of each type in each window, six where the pattern is complete (so seven in a row begin at -1),
    ``tally`` how many windows make an action hot or warm, ``sets`` those as bits, ``picked`` another such set,
    ``scores`` a number for each action, ``key`` the stones' random numbers together, ``events`` of actions tried.
    """

    cells: Any
    goals: Any
    starts: Any
    members: Any
    neighbours: Any
    keys: Any
    counts: Any
    tally: Any
    sets: Any
    picked: Any
    scores: Any
    key: Any
    events: Any


@kernel
def set_length(rules):
    """Words of a set of actions."""
    return (3 * rules[SIZE] + WIDTH - 1) // WIDTH


@kernel
def tell(rules, windows, which, action, sign):
    """One window more (or less) makes ``action`` belong to set ``which``."""
    place = 3 * rules[SIZE] * which + action
    before = windows.tally[u(place)]
    windows.tally[u(place)] = before + sign
    if before == 0 or before + sign == 0:
        windows.sets[u(set_length(rules) * which + action // WIDTH)] ^= 1 << (action % WIDTH)


@kernel
def tell_players(rules, windows, sort, goals, action, sign):
    """`tell` those who win with a window of these ``goals``."""
    if goals & 1:
        tell(rules, windows, sort, action, sign)
    if goals & 2:
        tell(rules, windows, sort + 1, action, sign)


@kernel
def follow_type(rules, row, windows, cell, kind, sign):
    """Type ``kind`` (0 to 2) comes to ``cell`` (sign 1) or leaves it (-1); the rest of ``row`` is as it is."""
    for place in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
        window = windows.members[u(place)]
        count = windows.counts[u(3 * window + kind)]
        windows.counts[u(3 * window + kind)] = count + sign
        others = count if sign > 0 else count - 1
        if others < 3:
            continue
        goals = windows.goals[u(window)]
        if others == 5:
            tell_players(rules, windows, HOT, goals, 3 * cell + kind, -sign)
            continue
        if others == 4:
            tell_players(rules, windows, WARM, goals, 3 * cell + kind, -sign)
        first = (rules[LINE_REST] + 1) * window
        for corner in range(first, first + rules[LINE_REST] + 1):
            other = windows.cells[u(corner)]
            if other != cell and other < rules[SIZE] and type_at(rules, row, other) != kind + 1:
                if others == 4:
                    tell_players(rules, windows, WARM, goals, 3 * other + kind, -sign)
                    tell_players(rules, windows, HOT, goals, 3 * other + kind, sign)
                else:
                    tell_players(rules, windows, WARM, goals, 3 * other + kind, sign)


@kernel
def follow(rules, row, windows, cell, old, new):
    """``cell`` changes from type ``old`` to ``new`` (0 for nothing)."""
    if old != 0:
        follow_type(rules, row, windows, cell, old - 1, -1)
        windows.key[0] ^= windows.keys[u(3 * cell + old - 1)]
    if new != 0:
        follow_type(rules, row, windows, cell, new - 1, 1)
        windows.key[0] ^= windows.keys[u(3 * cell + new - 1)]


@kernel
def surplus(rules, windows, window):
    """How many cells more than six ``window`` has."""
    if rules[LINE_REST] == 5:
        return 0
    return 1 if windows.cells[u(7 * window + 6)] < rules[SIZE] else 0


@kernel
def count_windows(rules, row, windows):
    """Begin at the position in ``row``, from nothing."""
    for window in range(len(windows.goals)):
        for kind in range(3):
            windows.counts[u(3 * window + kind)] = -surplus(rules, windows, window)
    for i in range(len(windows.tally)):
        windows.tally[u(i)] = 0
    for i in range(len(windows.sets)):
        windows.sets[u(i)] = 0
    windows.key[0] = 0
    # A window's missing cells must be known as its pieces are counted: each cell counts what came before it.
    for cell in range(rules[SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            windows.key[0] ^= windows.keys[u(3 * cell + kind - 1)]
            for place in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
                windows.counts[u(3 * windows.members[u(place)] + kind - 1)] += 1
    for window in range(len(windows.goals)):
        for kind in range(3):
            count = windows.counts[u(3 * window + kind)]
            if count == 4 or count == 5:
                sort = HOT if count == 5 else WARM
                first = (rules[LINE_REST] + 1) * window
                for corner in range(first, first + rules[LINE_REST] + 1):
                    cell = windows.cells[u(corner)]
                    if cell < rules[SIZE] and type_at(rules, row, cell) != kind + 1:
                        tell_players(rules, windows, sort, windows.goals[u(window)], 3 * cell + kind, 1)


@kernel
def position_key(rules, row, windows):
    """A random number for the position: its stones, ko and the mover."""
    size = rules[SIZE]
    return windows.key[0] ^ windows.keys[u(3 * size + row[KO])] ^ (windows.keys[u(4 * size + 1)] * row[MOVER])


@kernel
def play(rules, row, windows, action):
    """Play the legal ``action``; returns what its cell held."""
    cell = action // 3
    old = type_at(rules, row, cell)
    follow(rules, row, windows, cell, old, action - 3 * cell + 1)
    apply(rules, row, action, windows.events)
    return old


@kernel
def take_back(rules, row, windows, action, old, ko):
    """Take back ``action``, which left ``old`` on its cell, as ``ko`` was before."""
    cell = action // 3
    follow(rules, row, windows, cell, action - 3 * cell + 1, old)
    unplay(rules, row, action, old, ko)


@kernel
def legal_hot(rules, row, windows, player):
    """An action hot for ``player`` that would be legal now, a placement if there is one; else -1."""
    found = -1
    length = set_length(rules)
    for word in range(length):
        bits = windows.sets[u(length * (HOT + player) + word)]
        while bits:
            action = WIDTH * word + lowest_bit(bits)
            bits &= bits - 1
            if type_at(rules, row, action // 3) == 0:
                return action
            if found < 0 and allows(rules, row, action):
                found = action
    return found


@kernel
def winning_action(rules, row, windows):
    """An action that wins at once for the mover of a game going on, or -1."""
    player = row[MOVER]
    if stands(rules, row, player) or row[VACANT] <= 1:
        return tried_win(rules, row, windows.events)
    return legal_hot(rules, row, windows, player)


@kernel
def standing_threat(rules, row, windows):
    """What the opponent of the mover would win with if the mover could pass: one such action, or -1."""
    ko = row[KO]
    row[KO] = 0  # it is the opponent's own piece, which they may replace
    threat = legal_hot(rules, row, windows, 1 - row[MOVER])
    row[KO] = ko
    return threat
