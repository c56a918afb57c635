"""What SanQi answers the tree search; ``tercet.engines.kernels.defaults`` has the questions.

``threats`` finds wins in one turn and wins forced by threats. ``proof`` proves wins with the attacks and windows of
``attacks``. ``rollouts`` plays random games without blunders, and ``features`` are what networks see. Here are the
actions that the search tries, in the order of what answers a threat, else of what promises most.

The kernels of a turn (``turn_candidates`` and so on) need a row whose STAGE is PLAYED. Those that the search calls set
an opening's stage aside meanwhile. While pieces are still being set up, no win is known.
"""

from tercet.games.sanqi.engine.kernels.proof import turn_forced_win
from tercet.games.sanqi.engine.kernels.rollouts import turn_rollout
from tercet.games.sanqi.engine.kernels.threats import (
    EVENTS,
    answers,
    heat,
    own_goals,
    threat_to,
    turn_quick_win,
    win_in_one,
)
from tercet.games.sanqi.kernels import apply, layout
from tercet.games.sanqi.kernels.moves import choices_of_side, legal, open_sampler, sample
from tercet.kernel import advance_seed, kernel, lowest_bit, noinline, pick, shuffle, start_seed, u

__all__ = ["candidates", "forced_win", "quick_win", "rollout"]

# promise: what an action is worth that is the third, fourth or fifth of a window, or stops such
AFRAID, RANKS = 8, 40
EDGE = 3  # what an action at the edge of the board, through which few patterns go, is worth less
OWN_WORTH, OTHER_WORTH = (0, 0, 2, 6, 9), (0, 0, 1, 5, 7)


@kernel
def add_promise(rules, hot, ranks, worth, against):
    """Add ``worth`` to the ranks of the actions that put a type where it is hot (``against``: another type)."""
    span = rules[layout.SPAN]
    side = rules[layout.SIDE]
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
                action = EVENTS + 3 * (first + q - low)
                if against:
                    other = kind + 1 if kind < 2 else 0
                    ranks[u(action + other)] += worth
                    ranks[u(action + 3 - kind - other)] += worth
                else:
                    ranks[u(action + kind)] += worth


@kernel
def base_ranks(rules, ranks):
    """Rank all actions, in ``ranks`` from place EVENTS on, as if the board were empty."""
    last = 2 * rules[layout.SIDE] - 2
    for line in range(last + 1):
        entry = rules[layout.ROWS] + 3 * line
        first = rules[u(entry)]
        length = rules[u(entry + 2)]
        for index in range(length):
            rank = AFRAID
            if line == 0 or line == last or index == 0 or index == length - 1:
                rank -= EDGE
            for kind in range(3):
                ranks[u(EVENTS + 3 * (first + index) + kind)] = rank


@kernel
def promise(rules, row, ranks, hot):
    """Rank all actions for the mover, in ``ranks`` from entry EVENTS on, by how far they build own windows or break the
    opponent's. Where both win with triangles, the fourth piece of one is feared: after the fifth the opponent closes
    it."""
    mine = own_goals(rules, row[layout.MOVER])
    theirs = own_goals(rules, 1 - row[layout.MOVER])
    base_ranks(rules, ranks)
    for count in range(2, 5):
        heat(rules, row, mine, count, hot)
        add_promise(rules, hot, ranks, OWN_WORTH[count], False)
        heat(rules, row, theirs, count, hot)
        add_promise(rules, hot, ranks, OTHER_WORTH[count], True)
    if rules[layout.GOALS] & rules[layout.GOALS + 1] & layout.SOLID:
        heat(rules, row, layout.SOLID, 4, hot)
        add_promise(rules, hot, ranks, -AFRAID, False)


@kernel
def whole_stride(state, count):
    """Return a number below ``count`` (2 or more) without a common divisor: steps of this length reach every index
    once."""
    stride = 1 + pick(advance_seed(state), count - 1)
    while True:
        a = count
        b = stride
        while b:
            rest = a % b
            a = b
            b = rest
        if a == 1:
            return stride
        stride = stride - 1 if stride > 1 else count - 1


@noinline
def turn_candidates(rules, row, out, scratch, spare, salt, need):
    """List a win in one alone; else, when the opponent threatens one, what stops it; else every action. They are in the
    order of `promise`, equal ones shuffled by ``salt``."""
    win = win_in_one(rules, row, scratch, spare)
    if win >= 0:
        out[0] = win
        return -1
    threat = threat_to(rules, row, scratch, spare)
    if threat >= 0:
        count = answers(rules, row, threat, out, 0, 3 * rules[layout.SIZE], scratch, spare)
    else:
        count = legal(rules, row, out)
    if count > 1:
        promise(rules, row, scratch, spare)
        state = start_seed(salt)
        shift = pick(state, count)
        stride = whole_stride(state, count)
        for rank in range(RANKS):
            spare[u(rank)] = 0
        for place in range(count):
            state = advance_seed(state)
            rank = min(max(scratch[u(EVENTS + out[u(place)])], 0), RANKS - 2) + pick(state, 2)
            scratch[u(EVENTS + out[u(place)])] = rank
            spare[u(rank)] += 1
        total = 0
        for i in range(RANKS):
            rank = RANKS - 1 - i
            here = spare[u(rank)]
            spare[u(rank)] = total
            total += here
        base = EVENTS + 3 * rules[layout.SIZE]
        place = shift
        for _ in range(count):
            rank = scratch[u(EVENTS + out[u(place)])]
            scratch[u(base + spare[u(rank)])] = out[u(place)]
            spare[u(rank)] += 1
            place += stride
            if place >= count:
                place -= count
        for place in range(count):
            out[u(place)] = scratch[u(base + place)]
    return count


@kernel
def candidates(rules, row, out, scratch, spare, salt, need):
    """`turn_candidates`, after the choices of the player who chooses a side."""
    stage = row[layout.STAGE]
    if stage == layout.PLAYED:
        return turn_candidates(rules, row, out, scratch, spare, salt, need)
    if stage >= layout.SETTING_UP:
        count = legal(rules, row, out)
        shuffle(out, count, need, salt)
        return count
    choices = choices_of_side(rules, row)
    row[layout.STAGE] = layout.PLAYED
    count = turn_candidates(rules, row, out, scratch, spare, salt, need)
    row[layout.STAGE] = stage
    if count < 0:
        return count
    for index in range(choices):
        out[u(count + index)] = out[u(index)]
    for index in range(choices):
        out[u(index)] = 3 * rules[layout.SIZE] + index
    return count + choices


@kernel
def quick_win(rules, row, scratch, spare, effort):
    """`turn_quick_win`, of the side to move; 0 during a set-up."""
    stage = row[layout.STAGE]
    if stage >= layout.SETTING_UP:
        return 0
    row[layout.STAGE] = layout.PLAYED
    turns = turn_quick_win(rules, row, scratch, spare, effort)
    row[layout.STAGE] = stage
    return turns


@kernel
def forced_win(rules, row, memory, effort):
    """`turn_forced_win`, of the side to move; 0 during a set-up."""
    stage = row[layout.STAGE]
    if stage >= layout.SETTING_UP:
        return 0
    row[layout.STAGE] = layout.PLAYED
    turns = turn_forced_win(rules, row, memory, effort)
    row[layout.STAGE] = stage
    return turns


@kernel
def rollout(rules, row, state, out, scratch, events, limit):
    """`turn_rollout`. A set-up is finished at random before it, with either player as First."""
    if row[layout.STAGE] >= layout.SETTING_UP:
        open_sampler(rules, row, out)
        while row[layout.STAGE] >= layout.SETTING_UP:
            state = advance_seed(state)
            apply(rules, row, sample(rules, row, state, out), events)
        row[layout.SWAPPED] ^= pick(advance_seed(state), 2)
    row[layout.STAGE] = layout.PLAYED
    turn_rollout(rules, row, state, out, scratch, events, limit)
