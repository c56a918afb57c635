"""What an attacker may try and what the defender may answer, found in windows that are kept up to date.

A *window* is a set of cells that can hold a pattern: a ring, a line, a triangle. Where a type lacks
one piece of a window, putting it there is *hot* for the players who win with that pattern. Where it lacks two, both
actions are *warm*. Actions are kept as bits, WIDTH to a word. Only the rules' kernels say which actions are legal and
what they win.

The answers include every legal action that would stop a threat, so that a proof holds against everything. An attack
that is left out can only cost a win.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.sanqi.engine.kernels.rollouts import unplay
from tercet.games.sanqi.engine.kernels.threats import tried_win
from tercet.games.sanqi.kernels import apply
from tercet.games.sanqi.kernels.layout import (
    KO,
    LINE_REST,
    MOVER,
    PLAYING,
    SIZE,
    STATUS,
    VACANT,
    WINNER,
    stands,
    type_at,
)
from tercet.games.sanqi.kernels.moves import allows, replaceable
from tercet.kernel import kernel, lowest_bit, u

WIDTH = 32
HOT, WARM, SETS = 0, 2, 4  # sets of actions: hot for First, for Second, warm for First, for Second


class Windows(NamedTuple):
    """The windows of one board and what they hold.

    What stays: ``cells`` lists the cells of each window, `width` to each; behind those of a shorter window stands
    SIZE. ``goals`` has bits of the players who win with it. ``starts`` and ``members`` list the windows of each cell,
    ``neighbours`` its six neighbours (SIZE: off the board). ``keys`` are random numbers: one for each action, for ko at
    each cell or none, and for the mover.

    What changes: ``counts`` says how many pieces of each type a window holds, six where the pattern is complete, so
    that seven in a row begin at -1 and four at 2. ``tally`` counts the windows that make an action hot or warm, and
    ``sets`` has these actions as bits; ``picked`` is another such set. ``scores`` has a number for each action. ``key``
    is made of the random numbers of all stones. ``events`` are those of the actions tried.
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
def width(rules):
    """Cells of the largest windows."""
    return max(6, rules[LINE_REST] + 1)


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
    """Note that type ``kind`` (0 to 2) came to ``cell`` (sign 1) or left it (-1). The rest of ``row`` has not
    changed."""
    for index in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
        window = windows.members[u(index)]
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
        first = width(rules) * window
        for corner in range(first, first + width(rules)):
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
    """How many cells more than six ``window`` has; only of lines, with which Second alone wins, it is not 0."""
    return rules[LINE_REST] - 5 if windows.goals[u(window)] == 2 else 0


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
            for index in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
                windows.counts[u(3 * windows.members[u(index)] + kind - 1)] += 1
    for window in range(len(windows.goals)):
        for kind in range(3):
            count = windows.counts[u(3 * window + kind)]
            if count == 4 or count == 5:
                sort = HOT if count == 5 else WARM
                first = width(rules) * window
                for corner in range(first, first + width(rules)):
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
    """Take back ``action``. ``old`` stood on its cell before, and ko was ``ko``."""
    cell = action // 3
    follow(rules, row, windows, cell, action - 3 * cell + 1, old)
    unplay(rules, row, action, old, ko)


@kernel
def legal_hot(rules, row, windows, player):
    """Return an action that is hot for ``player`` and would be legal now, a placement if there is one; -1 for none."""
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
    """Return an action with which the mover's opponent would win if the mover could pass; -1 for none."""
    ko = row[KO]
    row[KO] = 0  # it is the opponent's own piece, which they may replace
    threat = legal_hot(rules, row, windows, 1 - row[MOVER])
    row[KO] = ko
    return threat


# What is tried: threats alone; quiet actions that build windows too; all actions after which threats would win if the
# opponent could pass; all actions (on a full board passing would help them).
THREATS, QUIET, ANY, ALL = 1, 2, 3, 4


@kernel
def pick_none(windows):
    """Empty the set `Windows.picked`."""
    for word in range(len(windows.picked)):
        windows.picked[u(word)] = 0


@kernel
def pick_all(rules, windows):
    """Put all actions into the set."""
    for cell in range(rules[SIZE]):
        pick_cell(windows, cell)


@kernel
def pick_cell(windows, cell):
    """Put all actions on ``cell`` into the set."""
    for action in range(3 * cell, 3 * cell + 3):
        windows.picked[u(action // WIDTH)] |= 1 << (action % WIDTH)


@kernel
def pick_around(rules, windows, cell):
    """Put all actions on ``cell`` and its neighbours into the set."""
    pick_cell(windows, cell)
    for side in range(6 * cell, 6 * cell + 6):
        if windows.neighbours[u(side)] < rules[SIZE]:
            pick_cell(windows, windows.neighbours[u(side)])


@kernel
def is_picked(windows, action):
    """Whether ``action`` is in the set."""
    return (windows.picked[u(action // WIDTH)] >> (action % WIDTH)) & 1


@kernel
def list_picked(rules, row, windows, wanted, lists, at, count):
    """Append the legal actions in the set `Windows.picked` (``wanted`` 1) or not in it (0). Return the new length."""
    for action in range(3 * rules[SIZE]):
        if is_picked(windows, action) == wanted and allows(rules, row, action):
            lists[u(at + count)] = action
            count += 1
    return count


@kernel
def list_threats(rules, row, windows, lists, at):
    """Append the mover's legal actions that may threaten to win in one. `Windows.picked` then holds them.

    Such an action leaves a window one piece short, or changes the neighbours of a missing piece that may not be put
    there yet. Where only ko forbids the missing piece now, every action may threaten.
    """
    player = row[MOVER]
    length = set_length(rules)
    pick_none(windows)
    count = 0
    for word in range(length):
        bits = windows.sets[u(length * (WARM + player) + word)]
        windows.picked[u(word)] = bits
        while bits:
            action = WIDTH * word + lowest_bit(bits)
            bits &= bits - 1
            if allows(rules, row, action):
                lists[u(at + count)] = action
                count += 1
    free = False
    for word in range(length):
        bits = windows.sets[u(length * (HOT + player) + word)]
        while bits:
            action = WIDTH * word + lowest_bit(bits)
            bits &= bits - 1
            cell = action // 3
            pick_around(rules, windows, cell)
            if cell + 1 == row[KO] and replaceable(rules, row, cell, type_at(rules, row, cell), action % 3 + 1):
                free = True
    if free:
        pick_all(rules, windows)
    for word in range(length):
        bits = windows.picked[u(word)] & ~windows.sets[u(length * (WARM + player) + word)]
        while bits:
            action = WIDTH * word + lowest_bit(bits)
            bits &= bits - 1
            if allows(rules, row, action):
                lists[u(at + count)] = action
                count += 1
    return count


@kernel
def score_builders(rules, row, windows, least):
    """`Windows.scores` of the actions that make a window of the mover's count ``least`` (at least 3) of a type."""
    for action in range(3 * rules[SIZE]):
        windows.scores[u(action)] = 0
    mine = 1 << row[MOVER]
    for window in range(len(windows.goals)):
        if windows.goals[u(window)] & mine == 0:
            continue
        for kind in range(3):
            count = windows.counts[u(3 * window + kind)]
            if count + 1 < least or count == 0:
                continue
            others = windows.counts[u(3 * window)] + windows.counts[u(3 * window + 1)]
            others += windows.counts[u(3 * window + 2)] - count + 2 * surplus(rules, windows, window)
            if others > 0 and count < 3:
                continue
            worth = (4 << count) >> (2 * others)
            first = width(rules) * window
            for corner in range(first, first + width(rules)):
                if windows.cells[u(corner)] < rules[SIZE]:
                    windows.scores[u(3 * windows.cells[u(corner)] + kind)] += worth + 1


@kernel
def sort_by_score(windows, lists, at, first, count):
    """Sort the list from place ``first`` on, highest scores first, equal ones as they were."""
    for index in range(first + 1, count):
        action = lists[u(at + index)]
        score = windows.scores[u(action)]
        hole = index
        while hole > first and windows.scores[u(lists[u(at + hole - 1)])] < score:
            lists[u(at + hole)] = lists[u(at + hole - 1)]
            hole -= 1
        lists[u(at + hole)] = action


@kernel
def list_attacks(rules, row, windows, turns, mode, lists, at):
    """List what the mover may try to win in ``turns`` turns: threats, then, as ``mode`` says, quiet actions."""
    count = list_threats(rules, row, windows, lists, at)
    if mode == THREATS or (turns < 3 and mode != ALL):
        return count
    threats = count
    score_builders(rules, row, windows, max(3, 7 - turns))
    every = mode >= ANY or legal_hot(rules, row, windows, 1 - row[MOVER]) >= 0
    for action in range(3 * rules[SIZE]):
        wanted = every or windows.scores[u(action)] > 0
        if wanted and not is_picked(windows, action) and allows(rules, row, action):
            lists[u(at + count)] = action
            count += 1
    sort_by_score(windows, lists, at, threats, count)
    return count


@kernel
def pick_answers(rules, row, windows, threat):
    """Pick all actions that may undo ``threat``, with which the opponent would win.

    Any other action leaves the pieces and the missing cell as they are. If ``threat`` is a replacement, it also leaves
    the neighbours of that cell. So ``threat`` stays legal and wins.
    """
    cell = threat // 3
    kind = threat - 3 * cell
    if type_at(rules, row, cell) == 0:
        pick_cell(windows, cell)
    else:
        pick_around(rules, windows, cell)
    goal = 2 - row[MOVER]  # the bit of the opponent
    for index in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
        window = windows.members[u(index)]
        if windows.counts[u(3 * window + kind)] == 5 and windows.goals[u(window)] & goal:
            first = width(rules) * window
            for corner in range(first, first + width(rules)):
                if windows.cells[u(corner)] < rules[SIZE]:
                    pick_cell(windows, windows.cells[u(corner)])
            return


@kernel
def list_answers(rules, row, windows, threat, lists, at):
    """List all actions of the mover that keep the opponent, who threatens ``threat``, from winning at once."""
    attacker = 1 - row[MOVER]
    ko = row[KO]
    pick_none(windows)
    every = row[VACANT] <= 2  # then the game may also end for want of moves
    if every:
        pick_all(rules, windows)
    else:
        pick_answers(rules, row, windows, threat)
    count = 0
    for word in range(set_length(rules)):
        bits = windows.picked[u(word)]
        while bits:
            action = WIDTH * word + lowest_bit(bits)
            bits &= bits - 1
            if not allows(rules, row, action):
                continue
            old = play(rules, row, windows, action)
            stops = row[WINNER] != attacker
            if row[STATUS] == PLAYING:
                stops = winning_action(rules, row, windows) < 0
            take_back(rules, row, windows, action, old, ko)
            if stops:
                lists[u(at + count)] = action
                count += 1
    return count


@kernel
def list_replies(rules, row, windows, likely, reply, lists, at):
    """List all legal actions of the mover. First come those on the cells of ``likely`` (-1: none) and ``reply``, and
    those where either player may make a threat."""
    length = set_length(rules)
    for word in range(length):
        windows.picked[u(word)] = windows.sets[u(length * (WARM + row[MOVER]) + word)]
    if likely >= 0:
        pick_cell(windows, likely // 3)
    for word in range(length):
        bits = windows.sets[u(length * (WARM + 1 - row[MOVER]) + word)]
        while bits:
            pick_cell(windows, (WIDTH * word + lowest_bit(bits)) // 3)
            bits &= bits - 1
    count = 0
    if reply >= 0 and allows(rules, row, reply):
        lists[u(at)] = reply
        count = 1
        windows.picked[u(reply // WIDTH)] |= 1 << (reply % WIDTH)
    begun = count
    count = list_picked(rules, row, windows, 1, lists, at, count)
    if begun == 1:  # it is there twice
        for index in range(1, count):
            if lists[u(at + index)] == reply:
                count -= 1
                lists[u(at + index)] = lists[u(at + count)]
                break
    return list_picked(rules, row, windows, 0, lists, at, count)
