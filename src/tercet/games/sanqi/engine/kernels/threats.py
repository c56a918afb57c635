"""Wins in one turn, what stops them, and wins forced by a string of threats.

A *window* is a set of cells that can hold a pattern: a ring, a line, a triangle. Where one type holds
all of a window but one cell, that cell is *hot*: a piece there wins for the player whose pattern it is. Windows are
searched a row of the board at a time, in the words of direction 0 (see ``kernels.layout``). A hot cell is verified by
playing there, so that the rules are stated only in ``kernels``.

``scratch`` (int32) begins with the events of the moves tried. Two lists of actions follow, then the stacks of `force`:
FIELDS numbers for each of DEPTH levels, and for each level a list of WIDTH attacks and one of WIDTH answers. ``hot``
(int64) has a word for each row and type.
"""

from tercet.games.sanqi.engine.kernels.rollouts import unplay
from tercet.games.sanqi.kernels import apply, layout
from tercet.games.sanqi.kernels.layout import stands, type_at
from tercet.games.sanqi.kernels.moves import add_digits, allows
from tercet.kernel import kernel, lowest_bit, noinline, u

EVENTS = 8


@kernel
def own_goals(rules, player):
    """Which windows win for ``player`` alone."""
    return rules[u(layout.GOALS + player)] & ~rules[u(layout.GOALS + 1 - player)]


@kernel
def holding(a, b, c, d, e, f, count):
    """Bits set in exactly ``count`` (2 to 6) of six words."""
    return (
        (add_digits(a, b, c, d, e, f, 0) ^ ((count & 1) - 1))
        & (add_digits(a, b, c, d, e, f, 1) ^ (((count >> 1) & 1) - 1))
        & (add_digits(a, b, c, d, e, f, 2) ^ ((count >> 2) - 1))
    )


@noinline
def heat_lines(rules, row, count, hot):
    """Add to ``hot`` the cells missing in lines of another length than six, which lack as many cells of a type as six
    that hold exactly ``count``. Few games have such lines, and `heat` is to stay short."""
    rest = rules[layout.LINE_REST]
    held = rest - 5 + count
    if held <= 0:
        return
    for line in range(9):
        kind = line // 3
        direction = line - 3 * kind
        w = layout.WORDS + 3 * kind * rules[layout.SPAN]
        h = kind * rules[layout.SPAN]
        dq = 0 if direction == 1 else 1
        dr = direction if direction < 2 else -1
        first = 2 + rest * (direction >> 1)
        last = 2 * rules[layout.SIDE] - rest * (direction & 1)
        for r in range(first, last + 1):
            ones = 0  # the digits of how many of the cells from here on are held
            twos = 0
            fours = 0
            for k in range(rest + 1):
                word = row[u(w + r + k * dr)] >> (k * dq)
                fours |= twos & ones & word
                twos ^= ones & word
                ones ^= word
            found = (ones ^ ((held & 1) - 1)) & (twos ^ (((held >> 1) & 1) - 1)) & (fours ^ ((held >> 2) - 1))
            if found:
                for k in range(rest + 1):
                    hot[u(h + r + k * dr)] |= (found << (k * dq)) & ~row[u(w + r + k * dr)]


@kernel
def heat(rules, row, which, count, hot):
    """Fill ``hot`` with the cells missing in windows of ``which`` sorts that hold exactly ``count`` of a type. A line
    of four, five or seven has to lack as many cells as one of six.

    Word (type - 1) * SPAN + r of it is row r. Bits outside the board mean nothing.
    """
    span = rules[layout.SPAN]
    top = 2 * rules[layout.SIDE]
    for i in range(3 * span):
        hot[u(i)] = 0
    for kind in range(3):
        w = layout.WORDS + 3 * kind * span
        h = kind * span
        for r in range(2, top + 1):
            here = row[u(w + r)]
            if which & layout.RINGS:
                up = row[u(w + r + 1)]
                down = row[u(w + r - 1)]
                if up | down:
                    found = holding(here >> 1, here << 1, up, up << 1, down, down >> 1, count)
                    if found:
                        hot[u(h + r)] |= ((found << 1) | (found >> 1)) & ~here
                        hot[u(h + r + 1)] |= (found | (found >> 1)) & ~up
                        hot[u(h + r - 1)] |= (found | (found << 1)) & ~down
            if which & layout.SIXES:
                if here:
                    found = holding(here, here >> 1, here >> 2, here >> 3, here >> 4, here >> 5, count)
                    if found:
                        cells = found | (found << 1) | (found << 2)
                        hot[u(h + r)] |= (cells | (cells << 3)) & ~here
                if r + 5 <= top:
                    b = row[u(w + r + 1)]
                    c = row[u(w + r + 2)]
                    d = row[u(w + r + 3)]
                    e = row[u(w + r + 4)]
                    f = row[u(w + r + 5)]
                    found = holding(here, b, c, d, e, f, count)
                    if found:
                        for k in range(6):
                            hot[u(h + r + k)] |= found & ~row[u(w + r + k)]
                    f = row[u(w + r)] >> 5
                    e = row[u(w + r + 1)] >> 4
                    d = row[u(w + r + 2)] >> 3
                    c = row[u(w + r + 3)] >> 2
                    b = row[u(w + r + 4)] >> 1
                    found = holding(row[u(w + r + 5)], b, c, d, e, f, count)
                    if found:
                        for k in range(6):
                            hot[u(h + r + 5 - k)] |= (found << k) & ~row[u(w + r + 5 - k)]
            if which & layout.SOLID and here:
                if r + 2 <= top:
                    up = row[u(w + r + 1)]
                    tip = row[u(w + r + 2)]
                    found = holding(here, here >> 1, here >> 2, up, up >> 1, tip, count)
                    if found:
                        hot[u(h + r)] |= (found | (found << 1) | (found << 2)) & ~here
                        hot[u(h + r + 1)] |= (found | (found << 1)) & ~up
                        hot[u(h + r + 2)] |= found & ~tip
                if r - 2 >= 2:
                    down = row[u(w + r - 1)]
                    tip = row[u(w + r - 2)]
                    found = holding(here, here >> 1, here >> 2, down >> 1, down >> 2, tip >> 2, count)
                    if found:
                        hot[u(h + r)] |= (found | (found << 1) | (found << 2)) & ~here
                        hot[u(h + r - 1)] |= ((found << 1) | (found << 2)) & ~down
                        hot[u(h + r - 2)] |= (found << 2) & ~tip
    if which & layout.OTHER_LINES:
        heat_lines(rules, row, count, hot)


@kernel
def gather(rules, row, hot, out, at, most):
    """Write the legal actions that put a type on a hot cell, at most ``most``, to ``out`` from entry ``at`` on. Return
    how many there are."""
    span = rules[layout.SPAN]
    side = rules[layout.SIDE]
    count = 0
    for line in range(2 * side - 1):
        entry = rules[layout.ROWS] + 3 * line
        first = rules[u(entry)]
        low = rules[u(entry + 1)]
        board = ((1 << rules[u(entry + 2)]) - 1) << low
        r = 2 * side - line
        for kind in range(3):
            cells = hot[u(kind * span + r)] & board
            while cells:
                q = lowest_bit(cells)
                cells &= cells - 1
                action = 3 * (first + q - low) + kind
                if count < most and allows(rules, row, action):
                    out[u(at + count)] = action
                    count += 1
    return count


@kernel
def completions(rules, row, player, hot, out, at):
    """The actions, legal for the mover, that complete a pattern which wins for ``player``."""
    heat(rules, row, rules[u(layout.GOALS + player)], 5, hot)
    return gather(rules, row, hot, out, at, 3 * rules[layout.SIZE])


@kernel
def tried_win(rules, row, scratch):
    """Return the mover's first winning action, or -1. All actions are tried, for what `completions` does not cover."""
    player = row[layout.MOVER]
    ko = row[layout.KO]
    for action in range(3 * rules[layout.SIZE]):
        if allows(rules, row, action):
            old = type_at(rules, row, action // 3)
            apply(rules, row, action, scratch)
            winner = row[layout.WINNER]
            unplay(rules, row, action, old, ko)
            if winner == player:
                return action
    return -1


@kernel
def win_in_one(rules, row, scratch, hot):
    """An action that wins at once for the mover of a game going on, or -1.

    It completes a pattern, or leaves one standing that the opponent completed, or on a full board takes the last move.
    """
    player = row[layout.MOVER]
    if stands(rules, row, player) or row[layout.VACANT] <= 1:
        return tried_win(rules, row, scratch)
    if completions(rules, row, player, hot, scratch, EVENTS) > 0:
        return scratch[EVENTS]
    return -1


@kernel
def holds(rules, row, action, scratch, hot):
    """Whether the opponent has no win in one after the mover's legal ``action``."""
    ko = row[layout.KO]
    old = type_at(rules, row, action // 3)
    mine = row[layout.MOVER]
    apply(rules, row, action, scratch)
    safe = row[layout.STATUS] != layout.PLAYING and row[layout.WINNER] != 1 - mine
    if row[layout.STATUS] == layout.PLAYING:
        safe = win_in_one(rules, row, scratch, hot) < 0
    unplay(rules, row, action, old, ko)
    return safe


@kernel
def threat_to(rules, row, scratch, hot):
    """Return an action with which the opponent would win after a pass, a placement if there is one; -1 for none."""
    ko = row[layout.KO]
    row[layout.KO] = 0  # it is the opponent's own piece, which they may replace
    count = completions(rules, row, 1 - row[layout.MOVER], hot, scratch, EVENTS)
    row[layout.KO] = ko
    for i in range(count):
        if type_at(rules, row, scratch[u(EVENTS + i)] // 3) == 0:
            return scratch[u(EVENTS + i)]
    return scratch[EVENTS] if count > 0 else -1


@kernel
def touches(rules, row, action, threat):
    """Return whether ``action`` may undo ``threat``: it is a replacement, or on the same cell, or beside a threatened
    replacement."""
    cell = action // 3
    target = threat // 3
    if cell == target or type_at(rules, row, cell) != 0:
        return True
    if type_at(rules, row, target) == 0:
        return False
    dq = rules[u(layout.PLACES + 3 * cell)] - rules[u(layout.PLACES + 3 * target)]
    dr = rules[u(layout.PLACES + 3 * cell + 1)] - rules[u(layout.PLACES + 3 * target + 1)]
    return -1 <= dq <= 1 and -1 <= dr <= 1


@kernel
def answers(rules, row, threat, out, at, most, scratch, hot):
    """Write the mover's actions that leave the opponent, who threatens ``threat``, no win in one. All others lose.

    At most ``most`` are written to ``out`` from entry ``at`` on. Return how many there are.
    """
    count = 0
    all_of_them = row[layout.VACANT] <= 2  # then the game may also end for want of moves
    for action in range(3 * rules[layout.SIZE]):
        near_it = all_of_them or touches(rules, row, action, threat)
        if near_it and allows(rules, row, action) and holds(rules, row, action, scratch, hot):
            if count < most:
                out[u(at + count)] = action
            count += 1
    return count


# force: attacks and answers kept at each level; more answers than that count as an escape
DEPTH, WIDTH = 16, 48
FIELDS = 8
ATTACKS, ATTACK, ANSWERS, ANSWER, OLD_A, KO_A, OLD_D, KO_D = 0, 1, 2, 3, 4, 5, 6, 7
STACK = DEPTH * (2 * WIDTH + FIELDS)


@kernel
def back(rules, row, scratch, at, list_at, what):
    """Take back the attack (``what`` = ATTACK) or the answer (ANSWER) of the level with these fields and lists."""
    if what == ATTACK:
        action = scratch[u(list_at + scratch[u(at + ATTACK)])]
        unplay(rules, row, action, scratch[u(at + OLD_A)], scratch[u(at + KO_A)])
    else:
        action = scratch[u(list_at + WIDTH + scratch[u(at + ANSWER)])]
        unplay(rules, row, action, scratch[u(at + OLD_D)], scratch[u(at + KO_D)])


# Long, because it is a recursive search written as one loop: kernels do not recurse. `level` says how deep it is, and
# what a level knows lies in its own fields of `scratch`.
@kernel
def force(rules, row, scratch, hot, deepest, budget):
    """Return the first action of a win by at most ``deepest`` (up to DEPTH) threats, or -1.

    Every action of the mover's threatens a win in one and leaves the opponent none; all answers are tried. At most
    ``budget`` threats are tried. ``scratch[0]`` then holds how many threats the win takes, ``scratch[1]`` how many were
    tried. The row is left as it was.

    Kernels do not recurse, so this is one loop. A level is a threat and its answers, kept in ``scratch``. Every way out
    of a level takes back what it has played.
    """
    mine = own_goals(rules, row[layout.MOVER])
    size = rules[layout.SIZE]
    fields = EVENTS + 3 * size
    lists = fields + DEPTH * FIELDS
    tried = 0
    for bound in range(1, deepest + 1):
        level = 0
        cut = False
        deeper = False
        enter = True
        while level >= 0:
            at = fields + FIELDS * level
            list_at = lists + 2 * WIDTH * level
            if enter:
                heat(rules, row, mine, 4, hot)
                scratch[u(at + ATTACKS)] = gather(rules, row, hot, scratch, list_at, WIDTH)
                scratch[u(at + ATTACK)] = -1
                enter = False
            scratch[u(at + ATTACK)] += 1
            if scratch[u(at + ATTACK)] >= scratch[u(at + ATTACKS)]:  # no attack here: the answer above was good
                level -= 1
                if level >= 0:
                    at = fields + FIELDS * level
                    list_at = lists + 2 * WIDTH * level
                    back(rules, row, scratch, at, list_at, ANSWER)
                    back(rules, row, scratch, at, list_at, ATTACK)
                continue
            tried += 1
            if tried > budget:
                cut = True
                break
            action = scratch[u(list_at + scratch[u(at + ATTACK)])]
            scratch[u(at + OLD_A)] = type_at(rules, row, action // 3)
            scratch[u(at + KO_A)] = row[layout.KO]
            apply(rules, row, action, scratch)
            count = WIDTH + 1
            if row[layout.STATUS] == layout.PLAYING and win_in_one(rules, row, scratch, hot) < 0:
                threat = threat_to(rules, row, scratch, hot)
                if threat >= 0:
                    count = answers(rules, row, threat, scratch, list_at + WIDTH, WIDTH, scratch, hot)
            scratch[u(at + ANSWERS)] = count
            scratch[u(at + ANSWER)] = 0
            if count > WIDTH or (count > 0 and level + 1 >= bound):
                deeper = deeper or count <= WIDTH
                back(rules, row, scratch, at, list_at, ATTACK)
                continue
            while level >= 0 and scratch[u(at + ANSWER)] >= scratch[u(at + ANSWERS)]:  # the attack here wins
                back(rules, row, scratch, at, list_at, ATTACK)
                if level == 0:
                    action = scratch[u(list_at + scratch[u(at + ATTACK)])]
                    scratch[0] = bound
                    scratch[1] = tried
                    return action
                level -= 1
                at = fields + FIELDS * level
                list_at = lists + 2 * WIDTH * level
                back(rules, row, scratch, at, list_at, ANSWER)
                scratch[u(at + ANSWER)] += 1
            action = scratch[u(list_at + WIDTH + scratch[u(at + ANSWER)])]
            scratch[u(at + OLD_D)] = type_at(rules, row, action // 3)
            scratch[u(at + KO_D)] = row[layout.KO]
            apply(rules, row, action, scratch)
            if row[layout.STATUS] != layout.PLAYING:  # the answer ended the game
                back(rules, row, scratch, at, list_at, ANSWER)
                back(rules, row, scratch, at, list_at, ATTACK)
                continue
            level += 1
            enter = True
        if cut:
            while level > 0:
                level -= 1
                at = fields + FIELDS * level
                list_at = lists + 2 * WIDTH * level
                back(rules, row, scratch, at, list_at, ANSWER)
                back(rules, row, scratch, at, list_at, ATTACK)
        if cut or not deeper:
            break
    scratch[0] = 0
    scratch[1] = tried
    return -1


@noinline
def turn_quick_win(rules, row, scratch, spare, effort):
    """Return how many turns the mover's win takes: in one, or by threats if trying ``effort`` of them finds it. Return
    0 if none was found. ``scratch[0]`` then holds the first action."""
    action = win_in_one(rules, row, scratch, spare)
    if action >= 0:
        scratch[0] = action
        return 1
    if effort <= 0:
        return 0
    action = force(rules, row, scratch, spare, DEPTH, effort)
    if action < 0:
        return 0
    turns = scratch[0] + 1
    scratch[0] = action
    return turns
