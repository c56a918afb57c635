"""What an attacker who wants to win by force may try, and what the defender may answer.

Nothing legal that would stop a threat is left out of the answers, so that a proof holds against everything; what is
left out of the attacks can only cost a win that is there.
"""

from __future__ import annotations

from tercet.games.sanqi.engine.kernels.windows import (
    HOT,
    WARM,
    WIDTH,
    legal_hot,
    play,
    set_length,
    surplus,
    take_back,
    winning_action,
)
from tercet.games.sanqi.kernels.layout import KO, LINE_REST, MOVER, PLAYING, SIZE, STATUS, VACANT, WINNER, type_at
from tercet.games.sanqi.kernels.moves import allows, replaceable
from tercet.kernel import kernel, lowest_bit, u

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
    """Append the legal actions that are in the set (``wanted`` 1) or are not (0); returns the list's new length."""
    for action in range(3 * rules[SIZE]):
        if is_picked(windows, action) == wanted and allows(rules, row, action):
            lists[u(at + count)] = action
            count += 1
    return count


@kernel
def list_threats(rules, row, windows, lists, at):
    """The mover's legal actions that may threaten to win in one; `Windows.picked` then holds them.

    They leave a window one piece short, or change what is around a missing piece that cannot be put there yet; all do
    where ko alone forbids the missing piece now.
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
            first = (rules[LINE_REST] + 1) * window
            for corner in range(first, first + rules[LINE_REST] + 1):
                if windows.cells[u(corner)] < rules[SIZE]:
                    windows.scores[u(3 * windows.cells[u(corner)] + kind)] += worth + 1


@kernel
def sort_by_score(windows, lists, at, first, count):
    """Sort the list from place ``first`` on, highest scores first, equal ones as they were."""
    for place in range(first + 1, count):
        action = lists[u(at + place)]
        score = windows.scores[u(action)]
        hole = place
        while hole > first and windows.scores[u(lists[u(at + hole - 1)])] < score:
            lists[u(at + hole)] = lists[u(at + hole - 1)]
            hole -= 1
        lists[u(at + hole)] = action


@kernel
def list_attacks(rules, row, windows, turns, mode, lists, at):
    """What the mover may try who wants to win in ``turns`` turns: threats, then, as ``mode`` says, quiet actions."""
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
    """Put all actions into the set that may undo ``threat``, with which the opponent would win.

    Any other leaves the pieces and the missing cell as they are, and, if ``threat`` is a replacement, what is around
    that cell, so that ``threat`` stays legal and wins.
    """
    cell = threat // 3
    kind = threat - 3 * cell
    if type_at(rules, row, cell) == 0:
        pick_cell(windows, cell)
    else:
        pick_around(rules, windows, cell)
    goal = 2 - row[MOVER]  # the bit of the opponent
    for place in range(windows.starts[u(cell)], windows.starts[u(cell + 1)]):
        window = windows.members[u(place)]
        if windows.counts[u(3 * window + kind)] == 5 and windows.goals[u(window)] & goal:
            first = (rules[LINE_REST] + 1) * window
            for corner in range(first, first + rules[LINE_REST] + 1):
                if windows.cells[u(corner)] < rules[SIZE]:
                    pick_cell(windows, windows.cells[u(corner)])
            return


@kernel
def list_answers(rules, row, windows, threat, lists, at):
    """All actions of the mover after which the opponent, who threatens ``threat``, does not win at once."""
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
    """All legal actions of the mover; first those on the cells of ``likely`` (-1: none) and ``reply``, and where either
    player may make a threat."""
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
        for place in range(1, count):
            if lists[u(at + place)] == reply:
                count -= 1
                lists[u(at + place)] = lists[u(at + count)]
                break
    return list_picked(rules, row, windows, 0, lists, at, count)
