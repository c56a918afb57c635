"""SanQi's random games for engines: no player misses a win in one, and few give one away.

Rollouts in which both play at random say little of who is ahead: most end with a blunder, the fifth piece of a triangle
say. Here each player keeps a list of actions that may win for them, which grows by what each new piece opens, so that
nothing has to be looked for on the whole board.

Scratch memory: how many actions are kept for First and for Second, then their lists, KEPT long each.
"""

from tercet.games.sanqi.kernels import apply, layout
from tercet.games.sanqi.kernels.layout import cell_at, count_patterns, flip, lines, near, type_at
from tercet.games.sanqi.kernels.moves import allows, open_sampler, sample
from tercet.kernel import advance_seed, branch_seed, kernel, lowest_bit, noinline, pick, popcount, u

LISTS = 2
KEPT = 60
TRIES = 8  # actions drawn in the place of one that lets the opponent win at once


@kernel
def unplay(rules, row, action, old, ko):
    """Take back ``action``, the last played. ``old`` stood on its cell before (0: nothing), and ko was ``ko``."""
    cell = action // 3
    new = action - 3 * cell + 1
    count_patterns(rules, row, cell, new, -1)
    flip(rules, row, cell, new)
    if old == 0:
        row[layout.VACANT] += 1
    else:
        flip(rules, row, cell, old)
        count_patterns(rules, row, cell, old, 1)
    row[layout.MOVER] = 1 - row[layout.MOVER]
    row[layout.KO] = ko
    row[layout.STATUS] = layout.PLAYING
    row[layout.WINNER] = layout.NOBODY


@kernel
def missing(rules, cell, mask, close):
    """Return the cell around ``cell`` that ``mask`` (see `near`) has and ``close`` lacks; -1 unless it lacks one."""
    lack = mask & ~close
    if lack == 0 or lack & (lack - 1):
        return -1
    bit = lowest_bit(lack)
    dr = bit // 5
    return cell_at(
        rules, rules[u(layout.PLACES + 3 * cell)] + bit - 5 * dr - 2, rules[u(layout.PLACES + 3 * cell + 1)] + dr - 2
    )


@kernel
def forget(out, cell):
    """Strike ``cell`` from the sampler's vacant cells (see `open_sampler`)."""
    vacant = out[0]
    for index in range(1, vacant + 1):
        if out[u(index)] == cell:
            out[u(index)] = out[u(vacant)]
            out[0] = vacant - 1
            return 1
    return 0


@kernel
def completes(rules, row, player, cell, kind):
    """Whether ``kind`` put on ``cell`` completes a pattern that wins for ``player``."""
    close = near(rules, row, cell, kind)
    if popcount(close) >= 5:
        if rules[u(layout.GOALS + player)] & layout.SOLID:
            for mask in layout.TRIANGLE_MASKS:
                if close & mask == mask:
                    return True
        if player == layout.FIRST and close & layout.RING_MASK:
            for mask in layout.CIRCLE_MASKS:
                if close & mask == mask:
                    return True
    if player == layout.SECOND:
        span = rules[layout.SPAN]
        q = rules[u(layout.PLACES + 3 * cell)]
        r = rules[u(layout.PLACES + 3 * cell + 1)]
        words = layout.WORDS + 3 * (kind - 1) * span
        diagonal = row[u(words + 2 * span + rules[u(layout.PLACES + 3 * cell + 2)])]
        return (
            lines(rules, cell, row[u(words + r)] | (1 << q), row[u(words + span + q)] | (1 << r), diagonal | (1 << q))
            > 0
        )
    return False


@kernel
def keep(scratch, player, action):
    """Put ``action`` on the list of what may win for ``player``, if it is not there."""
    count = scratch[u(player)]
    base = LISTS + KEPT * player
    for index in range(base, base + count):
        if scratch[u(index)] == action:
            return 0
    if count < KEPT:
        scratch[u(base + count)] = action
        scratch[u(player)] = count + 1
    return 1


@kernel
def keep_gaps(rules, word, bit, cell, dq, dr, kind, scratch):
    """`keep` the actions that complete lines which lack one cell. ``word`` holds such a line through ``bit``, and lies
    along (``dq``, ``dr``)."""
    rest = rules[layout.LINE_REST]
    whole = (2 << rest) - 1
    for low in range(max(bit - rest, 0), bit + 1):
        lack = whole & ~(word >> low)
        if lack & (lack - 1) == 0 and lack != 0:
            step = low + lowest_bit(lack) - bit
            found = cell_at(
                rules,
                rules[u(layout.PLACES + 3 * cell)] + dq * step,
                rules[u(layout.PLACES + 3 * cell + 1)] + dr * step,
            )
            if found >= 0:
                keep(scratch, layout.SECOND, 3 * found + kind - 1)


@kernel
def open_wins(rules, row, cell, kind, scratch):
    """`keep` the actions that complete patterns through ``cell``, which holds ``kind``, for the player who wins with
    them."""
    close = near(rules, row, cell, kind)
    if popcount(close) >= 5:
        for mask in layout.TRIANGLE_MASKS:
            if popcount(close & mask) == 4:
                found = missing(rules, cell, mask, close)
                if found >= 0:
                    keep(scratch, layout.FIRST, 3 * found + kind - 1)
                    if rules[layout.GOALS + layout.SECOND] & layout.SOLID:
                        keep(scratch, layout.SECOND, 3 * found + kind - 1)
        for mask in layout.CIRCLE_MASKS:
            if popcount(close & mask) == 4:
                found = missing(rules, cell, mask, close)
                if found >= 0:
                    keep(scratch, layout.FIRST, 3 * found + kind - 1)
    span = rules[layout.SPAN]
    q = rules[u(layout.PLACES + 3 * cell)]
    r = rules[u(layout.PLACES + 3 * cell + 1)]
    words = layout.WORDS + 3 * (kind - 1) * span
    rest = rules[layout.LINE_REST]
    word = row[u(words + r)]
    if popcount(word) >= rest:
        keep_gaps(rules, word, q, cell, 1, 0, kind, scratch)
    word = row[u(words + span + q)]
    if popcount(word) >= rest:
        keep_gaps(rules, word, r, cell, 0, 1, kind, scratch)
    word = row[u(words + 2 * span + rules[u(layout.PLACES + 3 * cell + 2)])]
    if popcount(word) >= rest:
        keep_gaps(rules, word, q, cell, 1, -1, kind, scratch)


@kernel
def kept_win(rules, row, player, scratch):
    """Return the mover ``player``'s first kept action that is legal and wins; -1 for none."""
    base = LISTS + KEPT * player
    for index in range(base, base + scratch[u(player)]):
        action = scratch[u(index)]
        cell = action // 3
        if allows(rules, row, action) and completes(rules, row, player, cell, action - 3 * cell + 1):
            return action
    return -1


@kernel
def kept_threat(rules, row, player, scratch):
    """Return a kept placement with which ``player`` would win; -1 for none. Actions that no longer do are removed."""
    base = LISTS + KEPT * player
    threat = -1
    count = 0
    for index in range(base, base + scratch[u(player)]):
        action = scratch[u(index)]
        cell = action // 3
        kind = action - 3 * cell + 1
        old = type_at(rules, row, cell)
        if old != kind and completes(rules, row, player, cell, kind):
            scratch[u(base + count)] = action
            count += 1
            if old == 0:
                threat = action
    scratch[u(player)] = count
    return threat


@noinline
def turn_rollout(rules, row, state, out, scratch, events, limit):
    """Play a random game. Both players win as soon as they can, fill the cell where the opponent would win, and avoid
    actions after which the opponent wins at once."""
    open_sampler(rules, row, out)
    scratch[layout.FIRST] = 0
    scratch[layout.SECOND] = 0
    for cell in range(rules[layout.SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            open_wins(rules, row, cell, kind, scratch)
    win = kept_win(rules, row, row[layout.MOVER], scratch)
    plies = 0
    while plies < limit and row[layout.STATUS] == layout.PLAYING:
        if win >= 0:
            apply(rules, row, win, events)
            return
        player = row[layout.MOVER]
        threat = kept_threat(rules, row, 1 - player, scratch)
        tries = TRIES
        if threat >= 0:
            forget(out, threat // 3)
            tries = 2
        kept0 = scratch[layout.FIRST]
        kept1 = scratch[layout.SECOND]
        ko = row[layout.KO]
        state = advance_seed(state)
        turn = pick(branch_seed(state), 2)
        for attempt in range(tries):
            state = advance_seed(state)
            if threat >= 0:
                cell = threat // 3
                kind = threat - 3 * cell + 1 + ((attempt + turn) & 1)
                action = 3 * cell + (kind if kind < 3 else kind - 3)
            else:
                action = sample(rules, row, state, out)
            cell = action // 3
            kind = action - 3 * cell + 1
            old = type_at(rules, row, cell)
            apply(rules, row, action, events)
            if row[layout.STATUS] != layout.PLAYING:
                return
            open_wins(rules, row, cell, kind, scratch)
            win = kept_win(rules, row, 1 - player, scratch)
            if win < 0 or attempt == tries - 1:
                break
            unplay(rules, row, action, old, ko)
            scratch[layout.FIRST] = kept0
            scratch[layout.SECOND] = kept1
            if old == 0 and threat < 0:
                out[0] += 1
                out[u(out[0])] = cell
        plies += 1
